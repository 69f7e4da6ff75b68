import { createHmac } from "node:crypto";

import type { Envelope } from "./sockets.ts";
import type { State } from "./state.ts";

/** How a test signs a request; what is left out is right. */
export interface Signing {
  readonly secret?: string;
  /** Unix seconds. */
  readonly timestamp?: string;
  /** What is signed in place of what is sent. */
  readonly signed?: string;
}

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Slack's side of requests over HTTP: signs them, and posts each kind to the address that the manifest names for it. */
export class Endpoint {
  readonly #state: State;
  /** Called with the payloads of acknowledgements. */
  onAnswer: (answer: unknown) => void = () => undefined;

  constructor(state: State) {
    this.#state = state;
  }

  /** As Slack does when a manifest is saved; rejects where an address does not answer the challenge. */
  async verify(): Promise<void> {
    const challenge = this.#state.id("challenge-");
    const { request_url: url = "" } = this.#state.manifest.settings.event_subscriptions;
    const answer = await this.send(url, JSON.stringify({ type: "url_verification", token: "t", challenge }));
    const said = await answer.text();
    if (answer.status !== 200 || !said.includes(challenge)) throw new Error(`${url} could not be verified: ${said}`);
  }

  /** Posts a request and takes the response as its acknowledgement. A retry is of an event that was not acknowledged. */
  async post(envelope: Envelope, retry?: { readonly number: number; readonly reason: string }): Promise<void> {
    envelope.deliveries += 1;
    const { type, payload } = envelope;
    const form = new URLSearchParams(
      type === "slash_commands"
        ? Object.entries(payload as Record<string, string | undefined>).filter(
            (one): one is [string, string] => one[1] !== undefined,
          )
        : { payload: JSON.stringify(payload) },
    ).toString();
    const [body, contentType] = type === "events_api" ? [JSON.stringify(payload), JSON_TYPE] : [form, FORM_TYPE];
    const more =
      retry === undefined ? {} : { "x-slack-retry-num": `${retry.number}`, "x-slack-retry-reason": retry.reason };
    const response = await this.send(this.#urlOf(envelope), body, {}, { "content-type": contentType, ...more });
    const said = await response.text();
    if (response.status !== 200) this.#state.violations.push(`${type} was answered with ${response.status} ${said}`);
    if (response.headers.get("set-cookie") !== null) this.#state.violations.push(`${type} was answered with a cookie`);
    envelope.acknowledgedAfter ??= performance.now() - envelope.at;
    // A text would be posted as a message.
    envelope.answer = said === "" ? undefined : (JSON.parse(said) as unknown);
    this.onAnswer(envelope.answer);
  }

  send(url: string, body: string, signing: Signing = {}, more: Record<string, string> = {}): Promise<Response> {
    return fetch(url, { method: "POST", headers: { ...this.headers(body, signing), ...more }, body });
  }

  headers(body: string, { secret = this.#state.signingSecret, signed = body, timestamp }: Signing = {}) {
    const at = timestamp ?? String(Math.floor(this.#state.now() / 1000));
    const digest = createHmac("sha256", secret).update(`v0:${at}:${signed}`).digest("hex");
    return { "content-type": JSON_TYPE, "x-slack-request-timestamp": at, "x-slack-signature": `v0=${digest}` };
  }

  #urlOf({ type, payload }: Envelope): string {
    const { features, settings } = this.#state.manifest;
    const { interactivity } = settings;
    const { type: kind } = payload as { type?: string };
    const url = {
      slash_commands: features.slash_commands[0]?.url,
      interactive: kind === "block_suggestion" ? interactivity.message_menu_options_url : interactivity.request_url,
      events_api: settings.event_subscriptions.request_url,
    }[type];
    if (url === undefined) throw new Error(`the manifest names no address for ${kind ?? type}`);
    return url;
  }
}
