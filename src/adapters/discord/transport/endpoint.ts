import {
  type APIInteraction,
  InteractionResponseType,
  InteractionType,
  type RESTGetCurrentApplicationResult,
  Routes,
} from "discord-api-types/v10";

import { messageOf } from "../../../errors.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { AdapterHealth } from "../../adapter.ts";
import { parseJson } from "../../chat/parse-json.ts";
import { Backoff } from "../../chat/supervision.ts";
import type { WebhookRequest, WebhookResponse } from "../../webhook.ts";
import { isTokenRefused, TOKEN_REFUSED } from "./rest.ts";
import { signatureCheck } from "./signature.ts";
import type { GatewayOptions } from "./transport.ts";

interface EndpointOptions extends Omit<GatewayOptions, "token"> {
  /** 64 hexadecimal digits. */
  readonly publicKey: string;
  /** Where Discord should post interactions; undefined without PUBLIC_URL. */
  readonly url: string | undefined;
  /** Unix milliseconds. */
  now(): number;
}

const KEY_REFUSED =
  "DISCORD_PUBLIC_KEY is not the key of this application: copy the Public Key from its page General Information and start again";

/**
 * Interactions over HTTP, in place of the gateway: takes the requests that Discord posts, and checks whether Discord
 * accepts the bot's token, with which everything else is sent. No method rejects.
 */
export class InteractionsEndpoint {
  readonly #options: EndpointOptions;
  readonly #isSigned: ReturnType<typeof signatureCheck>;
  readonly #backoff: Backoff;
  health: AdapterHealth = { state: "starting" };
  /** The address that the Developer Portal named last. */
  #entered: string | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#isSigned = signatureCheck(options.publicKey);
    this.#backoff = new Backoff(options.timing.backoffMillis);
  }

  /** Checks the token; resolves with the pause before the next check, or with undefined once it is stopped. */
  async attempt(signal: AbortSignal): Promise<Milliseconds | undefined> {
    const { log, timing } = this.#options;
    const { state: before } = this.health;
    const health = await this.#check(signal);
    if (signal.aborted) return undefined;
    this.health = health;
    const { state, why } = health;
    if (state === "up") {
      this.#backoff.reset();
      if (before !== "up") log.info({ platform: "discord" }, "interactions ready");
      return timing.checkMillis;
    }
    const wait = this.#backoff.next();
    const [pause, level] = state === "failed" ? ([timing.failedMillis, "error"] as const) : ([wait, "warn"] as const);
    log[level]({ platform: "discord", why, againInMillis: pause }, "interactions unavailable");
    return pause;
  }

  /**
   * Answers a request of Discord's. A ping is answered at once: its answer cannot be sent separately
   * (https://github.com/discord/discord-api-docs/issues/7311). Any other interaction is answered as one of the gateway,
   * which Discord announces with an empty 202:
   * https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-callback.
   */
  handle(request: WebhookRequest): WebhookResponse {
    if (!this.#isSigned(request, this.#options.now())) return { status: 401 };
    const interaction = parseJson(Buffer.from(request.body).toString()) as Partial<APIInteraction> | null | undefined;
    if (interaction?.type === InteractionType.Ping) {
      const body = JSON.stringify({ type: InteractionResponseType.Pong });
      return { status: 200, headers: { "Content-Type": "application/json" }, body };
    }
    if (typeof interaction?.id !== "string" || typeof interaction.token !== "string") return { status: 400 };
    // The 202 goes out first.
    setImmediate(() => this.#options.onInteraction(interaction as APIInteraction));
    return { status: 202 };
  }

  async #check(signal: AbortSignal): Promise<AdapterHealth> {
    const { publicKey, rest } = this.#options;
    try {
      const found = await rest.get(Routes.currentApplication(), { signal });
      const { id, verify_key: key, interactions_endpoint_url: url } = found as RESTGetCurrentApplicationResult;
      if (typeof key === "string" && key !== publicKey.toLowerCase()) return { state: "failed", why: KEY_REFUSED };
      this.#compareEndpoint(url ?? "");
      this.#options.onReady(id);
      return { state: "up" };
    } catch (error) {
      return isTokenRefused(error)
        ? { state: "failed", why: TOKEN_REFUSED }
        : { state: "down", why: `no answer: ${messageOf(error)}` };
    }
  }

  /** Until the Developer Portal names this endpoint, no interaction arrives, and nothing else tells the operator. */
  #compareEndpoint(entered: string): void {
    const { log, url } = this.#options;
    if (url === undefined || entered === this.#entered) return;
    this.#entered = entered;
    if (entered !== url) log.warn({ platform: "discord", entered, wanted: url }, "interactions endpoint not entered");
  }
}
