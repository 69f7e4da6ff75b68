import { setTimeout as sleep } from "node:timers/promises";

import { InteractionResponseType, RESTJSONErrorCodes, Routes } from "discord-api-types/v10";

import type { Choice } from "../../../bot/options/options.ts";
import { isUnsent } from "../../unsent.ts";
import type { DiscordContext } from "../context.ts";
import { ACKNOWLEDGE_TIMEOUT_MILLIS, TOKEN_LIFETIME_MILLIS } from "../limits.ts";
import { type ComposedMessage, EPHEMERAL } from "../render/compose.ts";
import { hasErrorCode, isTransient } from "../transport/rest.ts";
import { type Upload, uploadOf } from "../transport/upload.ts";

/** Where the answers to one interaction go. */
export interface InteractionKey {
  readonly id: string;
  readonly token: string;
  readonly application_id: string;
}

/** A request in the interaction's own name, with an end. */
type TimedUpload = Upload & { readonly auth: false; readonly signal: AbortSignal };

/** Of one try to acknowledge: two of them, and a quicker third, fit into the time that Discord gives. */
const ACKNOWLEDGE_TRY_MILLIS = 1200;
/** Of one try: what any request may take, and what its files may take on a slow line, in all at most a minute. */
const TRY_MILLIS = 10_000;
const MIN_UPLOAD_BYTES_PER_MILLI = 200;
const MAX_TRY_MILLIS = 60_000;
/** The first pause between two tries; each further one is twice as long, up to the longest. */
const FIRST_PAUSE_MILLIS = 150;
const MAX_PAUSE_MILLIS = 15_000;
/** The end of an interaction's token, with time left for a last call. */
const TOKEN_MARGIN_MILLIS = 20_000;
/** Discord's epoch: https://docs.discord.com/developers/reference#snowflakes. */
const EPOCH_MILLIS = 1_420_070_400_000n;

/**
 * The calls that answer one interaction (https://docs.discord.com/developers/interactions/receiving-and-responding).
 * It is acknowledged once, by whichever of the first five is called; a second acknowledgement is a fault here, not at
 * Discord. What Discord does not answer, or answers with a 5xx, is tried again for as long as the interaction lives.
 */
export class InteractionApi {
  readonly #desk: Pick<DiscordContext, "rest" | "now" | "signal">;
  readonly #key: InteractionKey;
  readonly #arrived = performance.now();
  /** Unix milliseconds. */
  readonly #createdAt: number;
  #acknowledged = false;

  constructor(desk: Pick<DiscordContext, "rest" | "now" | "signal">, key: InteractionKey) {
    this.#desk = desk;
    this.#key = key;
    const { id } = key;
    this.#createdAt = /^\d{1,20}$/u.test(id) ? Number((BigInt(id) >> 22n) + EPOCH_MILLIS) : desk.now();
  }

  /** Whether a first answer was at least begun, and not refused. */
  get acknowledged(): boolean {
    return this.#acknowledged;
  }

  /** Whether its token is over, or so nearly that no answer would get through. */
  get expired(): boolean {
    return this.#millisLeft <= 0;
  }

  /** A message at once, for its asker alone unless said otherwise. */
  async reply(message: ComposedMessage, ephemeral = true): Promise<void> {
    const data = { ...message.body, ...(ephemeral ? { flags: EPHEMERAL } : {}) };
    await this.#callback({ type: InteractionResponseType.ChannelMessageWithSource, data }, message.files);
  }

  /** "… is thinking": a message follows, and who sees it is fixed now. */
  async defer(ephemeral: boolean): Promise<void> {
    const data = ephemeral ? { data: { flags: EPHEMERAL } } : {};
    await this.#deferral({ type: InteractionResponseType.DeferredChannelMessageWithSource, ...data });
  }

  /** The message of the pressed button will change, or something else will be said. */
  async deferUpdate(): Promise<void> {
    await this.#deferral({ type: InteractionResponseType.DeferredMessageUpdate });
  }

  /** Changes parts of the message of the pressed button at once. */
  async update(data: object): Promise<void> {
    await this.#callback({ type: InteractionResponseType.UpdateMessage, data });
  }

  async autocomplete(choices: readonly Choice[]): Promise<void> {
    const data = { choices: choices.map(({ label, value }) => ({ name: label, value })) };
    await this.#callback({ type: InteractionResponseType.ApplicationCommandAutocompleteResult, data });
  }

  /** Writes what was deferred, or over what stands there. */
  async edit(message: ComposedMessage): Promise<void> {
    const upload = uploadOf(message.body, message.files);
    await this.#persist(upload, message.files, (request) => this.#desk.rest.patch(this.#original, request));
  }

  /** The same, once: what shows progress is worth no second try. */
  async editWithoutRetry(message: ComposedMessage): Promise<void> {
    const upload = uploadOf(message.body, message.files);
    await this.#desk.rest.patch(this.#original, this.#request(upload, TRY_MILLIS / 2));
  }

  /**
   * A further message. One for the asker alone is repeated even where the first may have arrived: said twice it harms
   * less than left unsaid. One that all see is not.
   */
  async followUp(message: ComposedMessage, ephemeral: boolean): Promise<void> {
    const { application_id, token } = this.#key;
    const upload = uploadOf({ ...message.body, ...(ephemeral ? { flags: EPHEMERAL } : {}) }, message.files);
    const post = (request: TimedUpload): Promise<unknown> =>
      this.#desk.rest.post(Routes.webhook(application_id, token), request);
    await this.#persist(upload, message.files, post, ephemeral ? isTransient : isUnsent);
  }

  /** Takes the answer away; where it is gone already, by an earlier try or by somebody else, that is as good. */
  async remove(): Promise<void> {
    try {
      await this.#persist(uploadOf({}, []), [], ({ auth, signal }) =>
        this.#desk.rest.delete(this.#original, { auth, signal }),
      );
    } catch (error) {
      if (!hasErrorCode(error, RESTJSONErrorCodes.UnknownMessage)) throw error;
    }
  }

  get #original(): ReturnType<typeof Routes.webhookMessage> {
    return Routes.webhookMessage(this.#key.application_id, this.#key.token);
  }

  get #millisLeft(): number {
    return this.#createdAt + TOKEN_LIFETIME_MILLIS - TOKEN_MARGIN_MILLIS - this.#desk.now();
  }

  #request(upload: Upload, millis: number): TimedUpload {
    const timeOut = AbortSignal.timeout(Math.ceil(millis));
    const signal = upload.signal === undefined ? timeOut : AbortSignal.any([timeOut, upload.signal]);
    return { auth: false, ...upload, signal };
  }

  /** A deferral of which nobody knows whether it arrived is taken to have: the answer itself will tell. */
  async #deferral(answer: object): Promise<void> {
    try {
      await this.#callback(answer);
    } catch (error) {
      const untold = isTransient(error) || hasErrorCode(error, RESTJSONErrorCodes.UnknownInteraction);
      if (!this.#acknowledged || !untold) throw error;
    }
  }

  /**
   * The first answer. A try that broke off may have arrived: the next one is then told that the interaction is
   * acknowledged, which is what was wanted.
   */
  async #callback(answer: object, files: ComposedMessage["files"] = []): Promise<void> {
    if (this.#acknowledged) throw new Error("an interaction was to be acknowledged twice");
    this.#acknowledged = true;
    const { id, token } = this.#key;
    const ends = this.#arrived + ACKNOWLEDGE_TIMEOUT_MILLIS;
    const upload = uploadOf(answer, files);
    let uncertain = false;
    for (let pause = FIRST_PAUSE_MILLIS; ; pause *= 2) {
      const left = ends - performance.now();
      const room = Math.max(FIRST_PAUSE_MILLIS, files.length === 0 ? Math.min(left, ACKNOWLEDGE_TRY_MILLIS) : left);
      try {
        await this.#desk.rest.post(Routes.interactionCallback(id, token), this.#request(upload, room));
        return;
      } catch (error) {
        const twice = hasErrorCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
        if (uncertain && twice) return;
        const passing = isTransient(error);
        uncertain ||= passing && !isUnsent(error);
        if (!passing || performance.now() + pause >= ends || this.#givenUp(upload)) {
          this.#acknowledged = uncertain || twice;
          throw error;
        }
        await this.#pause(pause);
      }
    }
  }

  /** Tries again, at growing distances, for as long as an answer could still get through. */
  async #persist<T>(
    upload: Upload,
    files: ComposedMessage["files"],
    call: (request: TimedUpload) => Promise<T>,
    again: (thrown: unknown) => boolean = isTransient,
  ): Promise<T> {
    const bytes = files.reduce((total, { attachment }) => total + attachment.sizeBytes, 0);
    const millis = Math.min(MAX_TRY_MILLIS, TRY_MILLIS + bytes / MIN_UPLOAD_BYTES_PER_MILLI);
    for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(pause * 2, MAX_PAUSE_MILLIS)) {
      try {
        return await call(this.#request(upload, millis));
      } catch (error) {
        if (!again(error) || this.#givenUp(upload) || this.#millisLeft <= pause) throw error;
        await this.#pause(pause);
        if (this.expired) throw error;
      }
    }
  }

  /** Whether the adapter stops, or a file cannot be read: nothing is gained by another try. */
  #givenUp(upload: Upload): boolean {
    return this.#desk.signal.aborted || upload.signal?.aborted === true;
  }

  async #pause(millis: number): Promise<void> {
    await sleep(millis, undefined, { signal: this.#desk.signal });
  }
}
