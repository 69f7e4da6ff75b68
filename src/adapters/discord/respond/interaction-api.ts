import { setTimeout as sleep } from "node:timers/promises";

import {
  type APIInteraction,
  type APIModalInteractionResponseCallbackData,
  InteractionResponseType,
  RESTJSONErrorCodes,
  Routes,
} from "discord-api-types/v10";

import type { Choice } from "../../../bot/options/options.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { isUnsent } from "../../chat/is-unsent.ts";
import type { DiscordContext } from "../context.ts";
import { ACKNOWLEDGE_TIMEOUT_MILLIS, TOKEN_LIFETIME_MILLIS } from "../limits.ts";
import { type ComposedMessage, EPHEMERAL } from "../render/compose.ts";
import { hasErrorCode, isTransient } from "../transport/rest.ts";
import { type Upload, uploadOf } from "../transport/upload.ts";

/** The time limit of one try to acknowledge: two, and a quicker third, fit into Discord's 3 s. */
const ACKNOWLEDGE_TRY_MILLIS = 1200;
/** The time limit of any other try: a base, more for its files on a slow line, at most a minute. */
const TRY_MILLIS = 10_000;
const MIN_UPLOAD_BYTES_PER_MILLI = 200;
const MAX_TRY_MILLIS = 60_000;
/** The first pause between two tries; it doubles up to the maximum. */
const FIRST_PAUSE_MILLIS = 150;
const MAX_PAUSE_MILLIS = 15_000;
/** Kept free at the end of a token's life for a last call. */
const TOKEN_MARGIN_MILLIS = 20_000;
/** Discord's epoch: https://docs.discord.com/developers/reference#snowflakes. */
const EPOCH_MILLIS = 1_420_070_400_000n;

/** The address of the answers to an interaction. */
type InteractionKey = Pick<APIInteraction, "id" | "token" | "application_id">;

/**
 * The calls that answer one interaction (https://docs.discord.com/developers/interactions/receiving-and-responding).
 * One of the first six calls acknowledges it, once; a second acknowledgement throws here. A call without an answer, or
 * with a 5xx, is retried for as long as the interaction's token lives.
 */
export class InteractionApi {
  readonly #context: Pick<DiscordContext, "rest" | "now" | "signal">;
  readonly #key: InteractionKey;
  readonly #arrived = performance.now();
  /** Unix milliseconds. */
  readonly #createdAt: number;
  /** Whether an acknowledgement was at least sent, and not refused. */
  acknowledged = false;

  constructor(context: Pick<DiscordContext, "rest" | "now" | "signal">, key: InteractionKey) {
    this.#context = context;
    this.#key = key;
    this.#createdAt = madeAt(key.id, context.now());
  }

  /** Whether its token has expired, or so nearly that no answer would get through. */
  get expired(): boolean {
    return this.#millisLeft <= 0;
  }

  /** A message at once, ephemeral by default. */
  async reply({ body, files }: ComposedMessage, ephemeral = true): Promise<void> {
    const data = withVisibility(body, ephemeral);
    await this.#callback({ type: InteractionResponseType.ChannelMessageWithSource, data }, files);
  }

  /** "… is thinking": a message follows, with its visibility fixed now. */
  async defer(ephemeral: boolean): Promise<void> {
    const data = ephemeral ? { data: { flags: EPHEMERAL } } : {};
    await this.#deferral({ type: InteractionResponseType.DeferredChannelMessageWithSource, ...data });
  }

  /** An edit of the pressed button's message follows, or a further message. */
  async deferUpdate(): Promise<void> {
    await this.#deferral({ type: InteractionResponseType.DeferredMessageUpdate });
  }

  /** Changes members of the pressed button's message at once, its files among them where `data` lists them. */
  async update(data: object, files: ComposedMessage["files"] = []): Promise<void> {
    await this.#callback({ type: InteractionResponseType.UpdateMessage, data }, files);
  }

  async showForm(data: APIModalInteractionResponseCallbackData): Promise<void> {
    await this.#callback({ type: InteractionResponseType.Modal, data });
  }

  async autocomplete(choices: readonly Choice[]): Promise<void> {
    const data = { choices: choices.map(({ label, value }) => ({ name: label, value })) };
    await this.#callback({ type: InteractionResponseType.ApplicationCommandAutocompleteResult, data });
  }

  /** Sends the deferred message, or replaces its content. */
  async edit(message: ComposedMessage): Promise<void> {
    await this.#retry(message, (request) => this.#context.rest.patch(this.#original, request));
  }

  /** The same without retries, for progress. */
  async editWithoutRetry({ body, files }: ComposedMessage): Promise<void> {
    await this.#context.rest.patch(this.#original, timed(uploadOf(body, files), TRY_MILLIS / 2));
  }

  /**
   * A further message. An ephemeral one is retried even where the first try may have arrived: a duplicate harms less
   * than a missing answer. A message that all see is retried only where no try arrived.
   */
  async followUp({ body, files }: ComposedMessage, ephemeral: boolean): Promise<void> {
    const { application_id, token } = this.#key;
    await this.#retry(
      { body: withVisibility(body, ephemeral), files },
      (request) => this.#context.rest.post(Routes.webhook(application_id, token), request),
      ephemeral ? isTransient : isUnsent,
    );
  }

  /** Deletes the answer; an answer that somebody has deleted counts as deleted. */
  async remove(): Promise<void> {
    try {
      await this.#retry({ body: {}, files: [] }, ({ auth, signal }) =>
        this.#context.rest.delete(this.#original, { auth, signal }),
      );
    } catch (error) {
      if (!hasErrorCode(error, RESTJSONErrorCodes.UnknownMessage)) throw error;
    }
  }

  get #original(): ReturnType<typeof Routes.webhookMessage> {
    return Routes.webhookMessage(this.#key.application_id, this.#key.token);
  }

  get #millisLeft(): number {
    return this.#createdAt + TOKEN_LIFETIME_MILLIS - TOKEN_MARGIN_MILLIS - this.#context.now();
  }

  /** A deferral of uncertain outcome counts as arrived: the answer itself will show. */
  async #deferral(answer: object): Promise<void> {
    try {
      await this.#callback(answer);
    } catch (error) {
      const uncertain = isTransient(error) || hasErrorCode(error, RESTJSONErrorCodes.UnknownInteraction);
      if (!this.acknowledged || !uncertain) throw error;
    }
  }

  /**
   * The first answer. A try that broke off may have arrived: the next one then fails with "already acknowledged", which
   * counts as success.
   */
  async #callback(answer: object, files: ComposedMessage["files"] = []): Promise<void> {
    if (this.acknowledged) throw new Error("an interaction was to be acknowledged twice");
    this.acknowledged = true;
    const { id, token } = this.#key;
    const ends = this.#arrived + ACKNOWLEDGE_TIMEOUT_MILLIS;
    const upload = uploadOf(answer, files);
    let uncertain = false;
    for (let pause = FIRST_PAUSE_MILLIS; ; pause *= 2) {
      const left = ends - performance.now();
      const timeLimit = Math.max(
        FIRST_PAUSE_MILLIS,
        files.length === 0 ? Math.min(left, ACKNOWLEDGE_TRY_MILLIS) : left,
      );
      try {
        await this.#context.rest.post(Routes.interactionCallback(id, token), timed(upload, timeLimit));
        return;
      } catch (error) {
        const twice = hasErrorCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
        if (uncertain && twice) return;
        const passing = isTransient(error);
        uncertain ||= passing && !isUnsent(error);
        if (!passing || performance.now() + pause >= ends || this.#isHopeless(upload)) {
          this.acknowledged = uncertain || twice;
          throw error;
        }
        await this.#pause(pause);
      }
    }
  }

  /** Retries with growing pauses for as long as an answer could still get through. */
  async #retry(
    { body, files }: { readonly body: object; readonly files: ComposedMessage["files"] },
    call: (request: ReturnType<typeof timed>) => Promise<unknown>,
    again: (thrown: unknown) => boolean = isTransient,
  ): Promise<unknown> {
    const upload = uploadOf(body, files);
    const bytes = files.reduce((total, { attachment }) => total + attachment.sizeBytes, 0);
    const millis = Math.min(MAX_TRY_MILLIS, TRY_MILLIS + bytes / MIN_UPLOAD_BYTES_PER_MILLI);
    for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(pause * 2, MAX_PAUSE_MILLIS)) {
      try {
        return await call(timed(upload, millis));
      } catch (error) {
        if (!again(error) || this.#isHopeless(upload) || this.#millisLeft <= pause) throw error;
        await this.#pause(pause);
        if (this.expired) throw error;
      }
    }
  }

  /** Whether another try is useless: the adapter stops, or a file cannot be read. */
  #isHopeless(upload: Upload): boolean {
    return this.#context.signal.aborted || upload.signal?.aborted === true;
  }

  async #pause(millis: number): Promise<void> {
    await sleep(millis, undefined, { signal: this.#context.signal });
  }
}

/** When a thing of this id was made, in Unix milliseconds; now, where the id does not say. */
export function madeAt(id: string, now: Milliseconds): Milliseconds {
  return /^\d{1,20}$/u.test(id) ? Number((BigInt(id) >> 22n) + EPOCH_MILLIS) : now;
}

/** A request authorized by the interaction's own token, with a time limit. */
function timed(upload: Upload, millis: number) {
  const timeOut = AbortSignal.timeout(Math.ceil(millis));
  const signal = upload.signal === undefined ? timeOut : AbortSignal.any([timeOut, upload.signal]);
  return { ...upload, auth: false, signal } as const;
}

function withVisibility(body: ComposedMessage["body"], ephemeral: boolean): ComposedMessage["body"] {
  return ephemeral ? { ...body, flags: (body.flags ?? 0) | EPHEMERAL } : body;
}
