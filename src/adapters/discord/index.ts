// The Discord adapter: interactions over the gateway or over HTTP, messages over REST.
// Read next: transport/transport.ts (the connection), respond/respond.ts (interactions), send/send.ts (alerts),
// render/render.ts (a reply as a message), limits.ts.

import { setTimeout as sleep } from "node:timers/promises";

import { type APIInteraction } from "discord-api-types/v10";
import type { REST } from "discord.js";
import { LRUCache } from "lru-cache";

import { type Delivery, type Edit, OWN_TOKEN, type Receipt, type SharedToken } from "../../alerts/sender.ts";
import type { Bot } from "../../bot/bot.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Reply } from "../../reply/reply.ts";
import type { AdapterHealth, Payloads, SendingAdapter } from "../adapter.ts";
import { withListedManagers } from "../chat/listed-managers.ts";
import type { OpenAnswers } from "../chat/open-answers.ts";
import { BUTTON_LIFETIME_MILLIS } from "../chat/press.ts";
import { Supervision } from "../chat/supervision.ts";
import { NOT_RUNNING, type Webhook, webhookUrl } from "../webhook.ts";
import { CommandMentions } from "./command-mentions.ts";
import { type DiscordContext, type DiscordTiming, TIMING } from "./context.ts";
import { NONCE_LIFETIME_MILLIS } from "./limits.ts";
import { registerCommands } from "./register-commands.ts";
import { closeLeft } from "./respond/left-answers.ts";
import { respondToInteraction } from "./respond/respond.ts";
import { DiscordSender } from "./send/send.ts";
import { InteractionsEndpoint } from "./transport/endpoint.ts";
import { closeRest, createRest } from "./transport/rest.ts";
import { INTERACTIONS_PATH } from "./transport/signature.ts";
import { GatewayConnection } from "./transport/transport.ts";

export interface DiscordAdapterOptions {
  readonly token: string;
  readonly applicationId?: string | undefined;
  /** Registers the commands for this server alone: at once, for development. */
  readonly guildId?: string | undefined;
  /** The application's public key, 64 hexadecimal digits: interactions come over HTTP, and the gateway stays closed. */
  readonly publicKey?: string | undefined;
  /** The public address of this process, which the log compares with the endpoint that Discord knows. */
  readonly publicUrl?: string | undefined;
  /** Redirects all REST traffic, for tests: the base without version. */
  readonly apiUrl?: string | undefined;
  readonly payloads: Payloads;
  readonly openAnswers: OpenAnswers;
  /** The ids of the only people and roles that may change a channel's alerts. Left out or empty, whoever manages the channel may. */
  readonly managers?: readonly string[] | undefined;
  /** Left out: no other process uses the token. */
  readonly shared?: SharedToken | undefined;
  readonly log: Log;
  /** Unix milliseconds; the wall clock unless a test says otherwise. */
  readonly now?: (() => number) | undefined;
  readonly timing?: Partial<DiscordTiming> | undefined;
}

const STOP_TIMEOUT_MILLIS = 3000;
/** The attempt to send an alert ends an upload before. */
const LONGEST_UPLOAD_MILLIS = 3_600_000;

/** The adapter for Discord. A failure of Discord never reaches the rest of the process. */
export function createDiscordAdapter(options: DiscordAdapterOptions): SendingAdapter {
  return new DiscordAdapter(options);
}

class DiscordAdapter implements SendingAdapter {
  readonly platform = "discord";
  readonly dropsRepeatsForMillis = NONCE_LIFETIME_MILLIS;
  readonly webhooks: readonly Webhook[];
  readonly #options: DiscordAdapterOptions;
  readonly #shared: SharedToken;
  readonly #timing: DiscordTiming;
  readonly #stopping = new AbortController();
  readonly #rest: REST;
  readonly #botRest: REST;
  readonly #sendRest: REST;
  readonly #uploadRest: REST;
  readonly #sender: DiscordSender;
  readonly #answering = new Set<Promise<void>>();
  readonly #mentions = new CommandMentions();
  readonly #seen = new LRUCache<string, true>({ maxSize: 5000, sizeCalculation: () => 1 });
  #connection: GatewayConnection | InteractionsEndpoint | undefined;
  #supervision = new Supervision();
  #registered: Promise<void> | undefined;

  constructor(options: DiscordAdapterOptions) {
    this.#options = options;
    this.#shared = options.shared ?? OWN_TOKEN;
    this.#timing = { ...TIMING, ...options.timing };
    const { token, apiUrl, payloads, log, publicKey } = options;
    const handle: Webhook["handle"] = async (request) => {
      const endpoint = this.#connection;
      if (!(endpoint instanceof InteractionsEndpoint) || this.#stopping.signal.aborted) return NOT_RUNNING;
      return endpoint.handle(request);
    };
    this.webhooks = publicKey === undefined ? [] : [{ path: INTERACTIONS_PATH, handle }];
    // No retries: a second acknowledgement fails, and a second message is unwanted. InteractionApi retries where it is safe.
    this.#rest = createRest({
      token,
      apiUrl,
      retries: 0,
      timeout: 60_000,
      // Interactions stand outside of the global limit: https://docs.discord.com/developers/interactions/receiving-and-responding#endpoints.
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    });
    this.#botRest = createRest({ token, apiUrl });
    const sending = {
      token,
      apiUrl,
      // The alert dispatcher retries, with the same nonce.
      retries: 0,
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      // A rate-limited request waits in the sender's own queue.
      rejectOnRateLimit: () => true,
    };
    this.#sendRest = createRest(sending);
    this.#uploadRest = createRest({ ...sending, timeout: LONGEST_UPLOAD_MILLIS });
    this.#sender = new DiscordSender(this.#sendRest, {
      payloads,
      log,
      ttlMillis: BUTTON_LIFETIME_MILLIS,
      uploads: this.#uploadRest,
      mentions: this.#mentions,
      token: this.#shared,
    });
  }

  get health(): AdapterHealth {
    // Of several processes, one has the gateway, and all send.
    return this.#connection?.health ?? { state: this.#shared.live > 1 ? "up" : "starting" };
  }

  start(everybodys: Bot): Promise<void> {
    const bot = withListedManagers(everybodys, this.#options.managers ?? []);
    const { openAnswers, payloads, log, publicKey, publicUrl, token } = this.#options;
    const timing = this.#timing;
    const context: DiscordContext = {
      bot,
      rest: this.#rest,
      botRest: this.#botRest,
      payloads,
      openAnswers,
      log,
      ttlMillis: BUTTON_LIFETIME_MILLIS,
      now: this.#options.now ?? Date.now,
      timing,
      signal: this.#stopping.signal,
    };
    void openAnswers.closeLeft((left) => closeLeft(context, left), context.signal);
    const common = {
      rest: this.#botRest,
      log,
      timing,
      onInteraction: (interaction: APIInteraction) => this.#answer(context, interaction),
      onReady: (applicationId: string) => {
        this.#registered ??= this.#register(bot, this.#options.applicationId ?? applicationId);
      },
    };
    const url = publicUrl === undefined ? undefined : webhookUrl(INTERACTIONS_PATH, publicUrl);
    if (publicKey !== undefined) {
      this.#connect(new InteractionsEndpoint({ ...common, publicKey, url, now: () => context.now() }));
      return Promise.resolve();
    }
    // Discord sends each interaction to every connection, and each connection would answer it.
    this.#shared.add("discord gateway", () => this.#connect(new GatewayConnection({ ...common, token })));
    // A process without a gateway learns the ids of the commands, too.
    if (this.#shared.live > 1) this.#registered ??= this.#register(bot, this.#options.applicationId);
    return Promise.resolve();
  }

  /** Starts a connection; returns the function that ends it. */
  #connect(connection: GatewayConnection | InteractionsEndpoint): () => Promise<void> {
    const supervision = new Supervision();
    this.#connection = connection;
    this.#supervision = supervision;
    supervision.start(() => connection.attempt(supervision.signal));
    return async () => {
      await supervision.stop();
      if (this.#connection === connection) this.#connection = undefined;
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new BotStopping());
    const work = Promise.allSettled([...this.#answering, this.#registered, this.#supervision.stop()]);
    await Promise.race([work, sleep(STOP_TIMEOUT_MILLIS, undefined, { ref: false })]);
    for (const rest of [this.#rest, this.#botRest, this.#sendRest, this.#uploadRest]) closeRest(rest);
  }

  capacity(): number {
    return this.#sender.capacity();
  }

  async checkToken(signal: AbortSignal): Promise<void> {
    const wasRefused = this.#sender.isTokenRefused;
    await this.#sender.checkToken(AbortSignal.any([signal, this.#stopping.signal]));
    if (wasRefused) this.#supervision.wake();
  }

  send(delivery: Delivery, reply: Reply, signal: AbortSignal): Promise<Receipt> {
    return this.#sender.send(delivery, reply, AbortSignal.any([signal, this.#stopping.signal]));
  }

  link(receipt: Receipt, signal: AbortSignal): Promise<string | undefined> {
    return this.#sender.link(receipt, AbortSignal.any([signal, this.#stopping.signal]));
  }

  update(receipt: Receipt, reply: Reply, signal: AbortSignal, edit?: Edit): Promise<void> {
    return this.#sender.update(receipt, reply, AbortSignal.any([signal, this.#stopping.signal]), edit);
  }

  #answer(context: DiscordContext, interaction: APIInteraction): void {
    // A resumed gateway may repeat an interaction; no command must run twice.
    if (this.#stopping.signal.aborted || this.#seen.has(interaction.id)) return;
    this.#seen.set(interaction.id, true);
    const mention = this.#mentions.in(interaction.guild_id);
    const answering = respondToInteraction({ ...context, mention }, interaction).finally(() =>
      this.#answering.delete(answering),
    );
    this.#answering.add(answering);
  }

  /** Runs once; the commands registered before stay until it succeeds. */
  async #register(bot: Bot, applicationId: string | undefined): Promise<void> {
    const { guildId, log } = this.#options;
    const { signal } = this.#stopping;
    let wait = this.#timing.registerAgainMillis;
    while (!signal.aborted) {
      try {
        const { commands, networks } = bot;
        const options = { rest: this.#botRest, applicationId, guildId, commands, networks, signal };
        const { changes, registered } = await registerCommands(options);
        this.#mentions.learn(registered, commands, guildId);
        log.info({ platform: "discord", ...changes }, "commands registered");
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.error({ platform: "discord", why: messageOf(error), againInMillis: wait }, "command registration failed");
        await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
        wait = Math.min(wait * 2, 3_600_000);
      }
    }
  }
}
