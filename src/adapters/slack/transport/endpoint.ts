import type { App } from "@slack/bolt";

import type { AdapterHealth } from "../../adapter.ts";
import { parseJson } from "../../chat/parse-json.ts";
import { NOT_RUNNING, type WebhookRequest, type WebhookResponse } from "../../webhook.ts";
import { isObject } from "./bolt.ts";
import type { Identity } from "./identity.ts";
import { createIntake, type IntakeOptions } from "./intake.ts";
import { isSignedBySlack } from "./signature.ts";

interface EndpointOptions extends IntakeOptions {
  readonly signingSecret: string;
  /** Checks the bot's token; left out where there are many. */
  readonly identity?: Pick<Identity, "health"> | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** No check of the certificate has a longer body: https://docs.slack.dev/interactivity/implementing-slash-commands. */
const MAX_SSL_CHECK_BYTES = 1024;
/** The same request would be refused again: https://docs.slack.dev/apis/events-api#retries. */
const MALFORMED: WebhookResponse = { status: 400, headers: { "X-Slack-No-Retry": "1" } };

/** Takes the requests that Slack posts over HTTP, in the place of Socket Mode. */
export function slackEndpoint(options: EndpointOptions) {
  const { identity, now, signingSecret } = options;
  const intake = createIntake(options);
  let running = false;
  return {
    /** The health of the token: only Slack knows whether requests arrive. */
    get health(): AdapterHealth {
      return identity?.health ?? { state: running ? "up" : "starting" };
    },
    init: (app: App): void => intake.init(app),
    async start() {
      running = true;
    },
    async stop() {
      running = false;
    },
    /** Resolves with what acknowledges a request; Slack waits 3 s for it. */
    async handle(request: WebhookRequest): Promise<WebhookResponse> {
      // Slack does not sign a check of the certificate, and nothing follows from it.
      if (isSslCheck(request)) return { status: 200 };
      if (!isSignedBySlack(request, signingSecret, now())) return { status: 401 };
      const body = bodyOf(request);
      if (body === undefined) return MALFORMED;
      if (body["type"] === "url_verification") return answerOf({ challenge: String(body["challenge"]) });
      if (!running) return NOT_RUNNING;
      const { promise: acknowledged, resolve } = Promise.withResolvers<WebhookResponse>();
      const retryNum = request.header("x-slack-retry-num");
      const retryReason = request.header("x-slack-retry-reason");
      void intake.process({
        body,
        ack: (answer) => Promise.resolve(resolve(answerOf(answer))),
        ...(retryNum === undefined ? {} : { retryNum: Number(retryNum) }),
        ...(retryReason === undefined ? {} : { retryReason }),
      });
      return acknowledged;
    },
  };
}

/** A command comes as a form, a press or a form of Slack's as JSON in its field `payload`, an event as JSON. */
function bodyOf(request: WebhookRequest): Record<string, unknown> | undefined {
  const text = Buffer.from(request.body).toString();
  if (!isForm(request)) return objectOf(text);
  const fields = new URLSearchParams(text);
  const payload = fields.get("payload");
  if (payload !== null) return objectOf(payload);
  return fields.has("command") ? Object.fromEntries(fields) : undefined;
}

function isForm(request: WebhookRequest): boolean {
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/iu.test(request.header("content-type")?.trim() ?? "");
}

function isSslCheck(request: WebhookRequest): boolean {
  if (!isForm(request) || request.body.length > MAX_SSL_CHECK_BYTES) return false;
  return new URLSearchParams(Buffer.from(request.body).toString()).get("ssl_check") === "1";
}

function objectOf(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** An acknowledgement as the body of the response: https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response. */
function answerOf(answer: unknown): WebhookResponse {
  if (answer === undefined || answer === "") return { status: 200 };
  return { status: 200, headers: { "Content-Type": "application/json" }, body: JSON.stringify(answer) };
}
