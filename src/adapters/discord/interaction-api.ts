import { setTimeout as sleep } from "node:timers/promises";

import { InteractionResponseType, Routes, type APIMessage } from "discord-api-types/v10";
import type { REST } from "@discordjs/rest";

import type { Choice } from "../../bot/option.ts";
import { EPHEMERAL, type Composed } from "./compose.ts";
import { mayPass, wasUnsent } from "./rest-fault.ts";
import { uploadOf } from "./upload.ts";

const TRIES = 3;
const PAUSE_MILLIS = 200;

/** Where the answers to one interaction go. */
export interface InteractionKey {
  readonly id: string;
  readonly token: string;
  readonly application_id: string;
}

/**
 * The calls that answer one interaction (https://docs.discord.com/developers/interactions/receiving-and-responding).
 * It is acknowledged once, by whichever of the first five is called; a second acknowledgement is a fault here, not at Discord.
 */
export class InteractionApi {
  readonly #rest: REST;
  readonly #key: InteractionKey;
  #acknowledged = false;

  constructor(rest: REST, key: InteractionKey) {
    this.#rest = rest;
    this.#key = key;
  }

  /** Whether a first answer was at least begun. */
  get acknowledged(): boolean {
    return this.#acknowledged;
  }

  /** A message at once, for its asker alone unless said otherwise. */
  async reply(message: Composed, ephemeral = true): Promise<void> {
    const data = { ...message.body, ...(ephemeral ? { flags: EPHEMERAL } : {}) };
    await this.#callback({ type: InteractionResponseType.ChannelMessageWithSource, data }, message.files);
  }

  /** "… is thinking": a message follows, and who sees it is fixed now. */
  async defer(ephemeral: boolean): Promise<void> {
    const data = ephemeral ? { data: { flags: EPHEMERAL } } : {};
    await this.#callback({ type: InteractionResponseType.DeferredChannelMessageWithSource, ...data });
  }

  /** The message of the pressed button will change, or something else will be said. */
  async deferUpdate(): Promise<void> {
    await this.#callback({ type: InteractionResponseType.DeferredMessageUpdate });
  }

  /** Changes parts of the message of the pressed button at once. */
  async update(data: object): Promise<void> {
    await this.#callback({ type: InteractionResponseType.UpdateMessage, data });
  }

  async choices(choices: readonly Choice[]): Promise<void> {
    const data = { choices: choices.map(({ label, value }) => ({ name: label, value })) };
    await this.#callback({ type: InteractionResponseType.ApplicationCommandAutocompleteResult, data });
  }

  /** Writes what was deferred, or over what stands there. */
  async edit(message: Composed): Promise<void> {
    const { application_id, token } = this.#key;
    const route = Routes.webhookMessage(application_id, token);
    const request = { auth: false, ...uploadOf(message.body, message.files) };
    await persist(() => this.#rest.patch(route, request), mayPass);
  }

  async followUp(message: Composed, ephemeral: boolean): Promise<APIMessage> {
    const { application_id, token } = this.#key;
    const body = { ...message.body, ...(ephemeral ? { flags: EPHEMERAL } : {}) };
    const route = Routes.webhook(application_id, token);
    const request = { auth: false, ...uploadOf(body, message.files) };
    return (await persist(() => this.#rest.post(route, request), wasUnsent)) as APIMessage;
  }

  async remove(): Promise<void> {
    const { application_id, token } = this.#key;
    const route = Routes.webhookMessage(application_id, token);
    await persist(() => this.#rest.delete(route, { auth: false }), mayPass);
  }

  async #callback(answer: object, files: Composed["files"] = []): Promise<void> {
    if (this.#acknowledged) throw new Error("an interaction was to be acknowledged twice");
    this.#acknowledged = true;
    const { id, token } = this.#key;
    const request = { auth: false, ...uploadOf(answer, files) };
    await persist(() => this.#rest.post(Routes.interactionCallback(id, token), request), wasUnsent);
  }
}

/** Tries again, twice and soon, where that cannot do anything a second time. */
async function persist<T>(call: () => Promise<T>, again: (thrown: unknown) => boolean): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === TRIES || !again(error)) throw error;
      await sleep(PAUSE_MILLIS * tries);
    }
  }
}
