// The Discord adapter: interactions over the gateway or over HTTP, questions in messages over the gateway, messages over REST.
// Read next: transport/transport.ts (the connection), respond/respond.ts (interactions), respond/question.ts (messages that
// ask), send/send.ts (alerts),
// render/render.ts (a reply as a message), limits.ts.

import { setTimeout as sleep } from "node:timers/promises";

import type { APIInteraction, GatewayMessageCreateDispatchData } from "discord-api-types/v10";
import { LRUCache } from "lru-cache";

import { OWN_TOKEN, type SharedToken } from "../../alerts/sender.ts";
import { BotStopping, messageOf } from "../../errors.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { SendingAdapter } from "../adapter.ts";
import type { PlatformDependencies } from "../chat/chat.ts";
import { withListedManagers } from "../chat/listed-managers.ts";
import { BUTTON_LIFETIME_MILLIS } from "../chat/press.ts";
import { Supervision } from "../chat/supervision.ts";
import { NOT_RUNNING, type Webhook, webhookUrl } from "../webhook.ts";
import { CommandMentions } from "./command-mentions.ts";
import { type DiscordContext, type DiscordTiming, TIMING } from "./context.ts";
import { ACKNOWLEDGE_TIMEOUT_MILLIS, NONCE_LIFETIME_MILLIS } from "./limits.ts";
import { registerCommands } from "./register-commands.ts";
import { closeLeft } from "./respond/left-answers.ts";
import { madeAt } from "./respond/interaction-api.ts";
import { answerQuestion, QuestionLimit, questionOf } from "./respond/question.ts";
import { respondToInteraction } from "./respond/respond.ts";
import { DiscordSender } from "./send/send.ts";
import { type InteractionsEndpoint, interactionsEndpoint } from "./transport/endpoint.ts";
import { closeRest, createRest } from "./transport/rest.ts";
import { INTERACTIONS_PATH } from "./transport/signature.ts";
import { GatewayConnection } from "./transport/transport.ts";

export interface DiscordAdapterOptions extends Omit<PlatformDependencies, "shared" | "installations" | "home"> {
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
  /** The ids of the only people and roles that may change a channel's alerts. Left out or empty, whoever manages the channel may. */
  readonly managers?: readonly string[] | undefined;
  /** Left out: no other process uses the token. */
  readonly shared?: SharedToken | undefined;
  /** Unix milliseconds; the wall clock unless a test says otherwise. */
  readonly now?: (() => number) | undefined;
  readonly timing?: Partial<DiscordTiming> | undefined;
}

/** Longer than Discord keeps a session that nobody resumes. */
const REPLAYED_FOR: Milliseconds = 600_000;
const STOP_TIMEOUT_MILLIS = 3000;
/** The attempt to send an alert ends an upload before. */
const LONGEST_UPLOAD_MILLIS = 3_600_000;

/** The adapter for Discord. A failure of Discord never reaches the rest of the process. */
export function createDiscordAdapter(options: DiscordAdapterOptions): SendingAdapter {
  const { log, now = Date.now, openAnswers, payloads, publicKey, publicUrl, shared = OWN_TOKEN, token } = options;
  const timing = { ...TIMING, ...options.timing };
  const stopping = new AbortController();
  const ending = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, stopping.signal]);
  const { rest, botRest, sendRest, uploadRest } = createRests(options);
  const mentions = new CommandMentions();
  const stored = { payloads, log, ttlMillis: BUTTON_LIFETIME_MILLIS };
  const sender = new DiscordSender(sendRest, { ...stored, uploads: uploadRest, mentions, token: shared });
  const answering = new Set<Promise<void>>();
  const seen = new LRUCache<string, true>({ maxSize: 5000, sizeCalculation: () => 1 });
  const questions = new QuestionLimit();
  let connection: GatewayConnection | InteractionsEndpoint | undefined;
  let supervision = new Supervision();
  let registered: Promise<void> | undefined;

  /** Starts a connection; returns the function that ends it. */
  const connect = (made: GatewayConnection | InteractionsEndpoint): (() => Promise<void>) => {
    const own = new Supervision();
    connection = made;
    supervision = own;
    own.start(() => made.attempt(own.signal));
    return async () => {
      await own.stop();
      if (connection === made) connection = undefined;
    };
  };
  /** Answers what arrives for the first time: a resumed gateway may repeat it, and no command must run twice. */
  const once = ({ id }: { readonly id: string }, replayed: boolean, answered: () => Promise<void>): void => {
    if (stopping.signal.aborted || seen.has(id)) return;
    seen.set(id, true);
    const noted = publicKey === undefined ? options.isFirst(id, REPLAYED_FOR) : undefined;
    // Another process, or an earlier one, may have met only what is replayed: nothing else waits for the database.
    const work = (async () => {
      if (!replayed || (await noted) !== false) await answered();
    })().finally(() => answering.delete(work));
    answering.add(work);
  };
  const answer = (context: DiscordContext, interaction: APIInteraction, replayed = false): void => {
    // Discord takes no answer to what was asked while nobody was connected.
    if (replayed && madeAt(interaction.id, now()) + ACKNOWLEDGE_TIMEOUT_MILLIS < now()) return;
    once(interaction, replayed, () =>
      respondToInteraction({ ...context, mention: mentions.in(interaction.guild_id) }, interaction),
    );
  };
  const hear = (
    context: DiscordContext,
    message: GatewayMessageCreateDispatchData,
    self: string,
    replayed: boolean,
  ): void => {
    const line = questionOf(message, self);
    if (line === undefined) return;
    once(message, replayed, async () => {
      const taken = questions.take(message.author.id, now());
      if (taken === "ignore") return;
      const { signal } = stopping;
      if (typeof taken === "number" && !(await sleep(taken, true, { signal, ref: false }).catch(() => false))) return;
      const asked = { line, refused: taken === "refuse" };
      await answerQuestion({ ...context, mention: mentions.in(message.guild_id) }, message, asked);
    });
  };
  const handle: Webhook["handle"] = async (request) =>
    connection !== undefined && "handle" in connection && !stopping.signal.aborted
      ? connection.handle(request)
      : NOT_RUNNING;

  return {
    platform: "discord",
    dropsRepeatsForMillis: NONCE_LIFETIME_MILLIS,
    webhooks: publicKey === undefined ? [] : [{ path: INTERACTIONS_PATH, handle }],
    get health() {
      // Of several processes, one has the gateway, and all send.
      return connection?.health ?? { state: shared.live > 1 ? "up" : "starting" };
    },
    async start(everybodys) {
      const bot = withListedManagers(everybodys, options.managers ?? []);
      const { signal } = stopping;
      const context: DiscordContext = { ...stored, bot, rest, botRest, openAnswers, now, timing, signal };
      void openAnswers.closeLeft((left) => closeLeft(context, left), signal);
      const register = (applicationId = options.applicationId): void => {
        registered ??= registerUntilDone(context, mentions, { ...options, applicationId });
      };
      const common = {
        rest: botRest,
        log,
        timing,
        onInteraction: (interaction: APIInteraction, replayed?: boolean) => answer(context, interaction, replayed),
        onReady: (applicationId: string) => register(options.applicationId ?? applicationId),
      };
      const url = publicUrl === undefined ? undefined : webhookUrl(INTERACTIONS_PATH, publicUrl);
      if (publicKey !== undefined) return void connect(interactionsEndpoint({ ...common, publicKey, url, now }));
      // Discord sends each interaction to every connection, and each connection would answer it.
      shared.add("discord gateway", () =>
        connect(
          new GatewayConnection({
            ...common,
            token,
            legacy: options.legacy,
            onMessage: (message, self, replayed) => hear(context, message, self, replayed),
          }),
        ),
      );
      // A process without a gateway learns the ids of the commands, too.
      if (shared.live > 1) register();
    },
    async stop() {
      stopping.abort(new BotStopping());
      const work = Promise.allSettled([...answering, registered, supervision.stop()]);
      await Promise.race([work, sleep(STOP_TIMEOUT_MILLIS, undefined, { ref: false })]);
      for (const one of [rest, botRest, sendRest, uploadRest]) closeRest(one);
    },
    capacity: () => sender.capacity(),
    async checkToken(signal) {
      const wasRefused = sender.isTokenRefused;
      await sender.checkToken(ending(signal));
      if (wasRefused) supervision.wake();
    },
    send: (delivery, reply, signal) => sender.send(delivery, reply, ending(signal)),
    link: (receipt, signal) => sender.link(receipt, ending(signal)),
    update: (receipt, reply, signal, edit) => sender.update(receipt, reply, ending(signal), edit),
  };
}

/** A client for each kind of request. */
function createRests({ token, apiUrl }: DiscordAdapterOptions) {
  const alone = { token, apiUrl, retries: 0, globalRequestsPerSecond: Number.POSITIVE_INFINITY };
  // The alert dispatcher retries, with the same nonce; a rate-limited request waits in the sender's own queue.
  const sending = { ...alone, rejectOnRateLimit: () => true };
  return {
    // No retries: a second acknowledgement fails, and a second message is unwanted. InteractionApi retries where it is safe.
    // Interactions stand outside of the global limit: https://docs.discord.com/developers/interactions/receiving-and-responding#endpoints.
    rest: createRest({ ...alone, timeout: 60_000 }),
    botRest: createRest({ token, apiUrl }),
    sendRest: createRest(sending),
    uploadRest: createRest({ ...sending, timeout: LONGEST_UPLOAD_MILLIS }),
  };
}

/** Registers the commands; those registered before stay until it succeeds. Never rejects. */
async function registerUntilDone(
  { bot, botRest: rest, log, signal, timing }: DiscordContext,
  mentions: CommandMentions,
  { applicationId, guildId }: Pick<DiscordAdapterOptions, "applicationId" | "guildId">,
): Promise<void> {
  const { commands, networks } = bot;
  let wait = timing.registerAgainMillis;
  while (!signal.aborted) {
    try {
      const options = { rest, applicationId, guildId, commands, networks, signal };
      const { changes, registered } = await registerCommands(options);
      mentions.learn(registered, commands, guildId);
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
