import {
  type APIInteraction,
  InteractionResponseType,
  InteractionType,
  type RESTGetCurrentApplicationResult,
  Routes,
} from "discord-api-types/v10";
import { DiscordAPIError, type REST } from "discord.js";

import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { AdapterHealth } from "../../adapter.ts";
import { parseJson } from "../../chat/parse-json.ts";
import { Backoff, Supervision } from "../../chat/supervision.ts";
import type { WebhookRequest, WebhookResponse } from "../../webhook.ts";
import { TOKEN_REFUSED } from "./rest.ts";
import { signatureCheck, type SignatureCheck } from "./signature.ts";

interface EndpointOptions {
  readonly rest: REST;
  /** 64 hexadecimal digits. */
  readonly publicKey: string;
  /** Where Discord should post interactions; undefined where nobody said. */
  readonly url: string | undefined;
  readonly log: Log;
  /** Unix milliseconds. */
  now(): number;
  onInteraction(interaction: APIInteraction): void;
  /** Called each time that Discord accepts the token, with the id of the application. */
  onReady(applicationId: string): void;
  /** Between two checks of the token while all is well. */
  readonly checkMillis?: number;
  /** The first wait after a check without an answer; it doubles up to a minute. */
  readonly backoffMillis?: number;
  /** The wait after a failure that only the operator can mend. */
  readonly failedMillis?: number;
}

const KEY_REFUSED =
  "DISCORD_PUBLIC_KEY is not the key of this application: copy the Public Key from its page General Information and start again";

/**
 * Interactions over HTTP: takes the requests that Discord posts, and checks periodically whether Discord accepts the
 * bot's token, with which everything else is sent. Takes the gateway's place. No method rejects.
 */
export class InteractionsEndpoint {
  readonly #options: EndpointOptions;
  readonly #isSigned: SignatureCheck;
  readonly #supervision = new Supervision();
  #health: AdapterHealth = { state: "starting" };
  /** The address that the Developer Portal named last. */
  #entered: string | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#isSigned = signatureCheck(options.publicKey);
  }

  get health(): AdapterHealth {
    return this.#health;
  }

  start(): void {
    const { backoffMillis = 1000, checkMillis = 300_000, failedMillis = 600_000, log } = this.#options;
    const backoff = new Backoff(backoffMillis);
    this.#supervision.start(async () => {
      const { state: before } = this.#health;
      const health = await this.#check();
      if (this.#supervision.signal.aborted) return undefined;
      this.#health = health;
      const { state, why } = health;
      if (state === "up") {
        backoff.reset();
        if (before !== "up") log.info({ platform: "discord" }, "interactions ready");
        return checkMillis;
      }
      const wait = backoff.next();
      const [pause, level] = state === "failed" ? ([failedMillis, "error"] as const) : ([wait, "warn"] as const);
      log[level]({ platform: "discord", why, againInMillis: pause }, "interactions unavailable");
      return pause;
    });
  }

  /** Ends the pause before the next check, since the token is accepted again. */
  reconnectNow(): void {
    this.#supervision.wake();
  }

  stop(): Promise<void> {
    return this.#supervision.stop();
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

  async #check(): Promise<AdapterHealth> {
    const { publicKey, rest } = this.#options;
    try {
      const found = await rest.get(Routes.currentApplication(), { signal: this.#supervision.signal });
      const { id, verify_key: key, interactions_endpoint_url: url } = found as RESTGetCurrentApplicationResult;
      if (typeof key === "string" && key !== publicKey.toLowerCase()) return { state: "failed", why: KEY_REFUSED };
      this.#compareEndpoint(url ?? "");
      this.#options.onReady(id);
      return { state: "up" };
    } catch (error) {
      const refused = error instanceof DiscordAPIError && error.status === 401;
      return refused
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
