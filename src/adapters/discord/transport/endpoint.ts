import {
  type APIInteraction,
  InteractionResponseType,
  InteractionType,
  type RESTGetCurrentApplicationResult,
  Routes,
} from "discord-api-types/v10";

import { messageOf } from "../../../errors.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { AdapterHealth } from "../../adapter.ts";
import { parseJson } from "../../chat/parse-json.ts";
import { Backoff } from "../../chat/supervision.ts";
import type { WebhookRequest, WebhookResponse } from "../../webhook.ts";
import { isTokenRefused, TOKEN_REFUSED } from "./rest.ts";
import { signatureCheck } from "./signature.ts";
import type { GatewayOptions } from "./transport.ts";

interface EndpointOptions extends Omit<GatewayOptions, "token" | "onMessage" | "onInteraction" | "legacy"> {
  /** 64 hexadecimal digits. */
  readonly publicKey: string;
  /** Where Discord should post interactions; undefined without PUBLIC_URL. */
  readonly url: string | undefined;
  /** Unix milliseconds. */
  now(): number;
  onInteraction(interaction: APIInteraction): void;
}

const KEY_REFUSED =
  "DISCORD_PUBLIC_KEY is not the key of this application: copy the Public Key from its page General Information and start again";

export type InteractionsEndpoint = ReturnType<typeof interactionsEndpoint>;

/**
 * Interactions over HTTP, in place of the gateway: takes the requests that Discord posts, and checks whether Discord
 * accepts the bot's token, with which everything else is sent. No method rejects.
 */
export function interactionsEndpoint(options: EndpointOptions) {
  const { log, publicKey, rest, timing, url: wanted } = options;
  const isSigned = signatureCheck(publicKey);
  const backoff = new Backoff(timing.backoffMillis);
  let health: AdapterHealth = { state: "starting" };
  /** The address that the Developer Portal named last. */
  let entered: string | undefined;

  const check = async (signal: AbortSignal): Promise<AdapterHealth> => {
    try {
      const found = await rest.get(Routes.currentApplication(), { signal });
      const { id, verify_key: key, interactions_endpoint_url: url } = found as RESTGetCurrentApplicationResult;
      if (typeof key === "string" && key !== publicKey.toLowerCase()) return { state: "failed", why: KEY_REFUSED };
      const named = url ?? "";
      // Until the Developer Portal names this endpoint, no interaction arrives, and nothing else tells the operator.
      if (wanted !== undefined && named !== wanted && named !== entered) {
        log.warn({ platform: "discord", entered: named, wanted }, "interactions endpoint not entered");
      }
      entered = named;
      options.onReady(id);
      return { state: "up" };
    } catch (error) {
      return isTokenRefused(error)
        ? { state: "failed", why: TOKEN_REFUSED }
        : { state: "down", why: `no answer: ${messageOf(error)}` };
    }
  };
  return {
    get health() {
      return health;
    },
    /** Checks the token; resolves with the pause before the next check, or with undefined once it is stopped. */
    async attempt(signal: AbortSignal): Promise<Milliseconds | undefined> {
      const { state: before } = health;
      const now = await check(signal);
      if (signal.aborted) return undefined;
      health = now;
      const { state, why } = now;
      if (state === "up") {
        backoff.reset();
        if (before !== "up") log.info({ platform: "discord" }, "interactions ready");
        return timing.checkMillis;
      }
      const wait = backoff.next();
      const [pause, level] = state === "failed" ? ([timing.failedMillis, "error"] as const) : ([wait, "warn"] as const);
      log[level]({ platform: "discord", why, againInMillis: pause }, "interactions unavailable");
      return pause;
    },
    /**
     * Answers a request of Discord's. A ping is answered at once: its answer cannot be sent separately
     * (https://github.com/discord/discord-api-docs/issues/7311). Any other interaction is answered as one of the gateway,
     * which Discord announces with an empty 202:
     * https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-callback.
     */
    handle(request: WebhookRequest): WebhookResponse {
      if (!isSigned(request, options.now())) return { status: 401 };
      const interaction = parseJson(Buffer.from(request.body).toString()) as Partial<APIInteraction> | null | undefined;
      if (interaction?.type === InteractionType.Ping) {
        const body = JSON.stringify({ type: InteractionResponseType.Pong });
        return { status: 200, headers: { "Content-Type": "application/json" }, body };
      }
      if (typeof interaction?.id !== "string" || typeof interaction.token !== "string") return { status: 400 };
      // The 202 goes out first.
      setImmediate(() => options.onInteraction(interaction as APIInteraction));
      return { status: 202 };
    },
  };
}
