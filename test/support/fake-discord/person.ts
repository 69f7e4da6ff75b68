import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  ApplicationCommandType,
} from "discord-api-types/v10";

import { componentsIn, textsIn } from "../../adapters/discord/judge.ts";
import type { FakeDiscord } from "./fake-discord.ts";
import { ATTACHMENT, attached, filledIn, MENTIONABLE, picked, resolvedOf } from "./picked.ts";
import type { StoredInteraction, StoredMessage } from "./state.ts";
import { until } from "./until.ts";

type Value = string | number | boolean;

export interface Where {
  readonly channel: string;
  /** 0 a server, 1 direct messages with the bot, 2 other direct messages. Left out = by the channel. */
  readonly context?: 0 | 1 | 2;
  /** The person brought the app along; nobody installed it there. */
  readonly broughtAlong?: true;
  readonly maxBytes?: number;
}

/** Somebody at a phone: types commands that are registered, presses buttons that are there, reads what is shown. */
export class Person {
  readonly id: string;
  readonly name: string;
  readonly #fake: FakeDiscord;
  readonly #manages: boolean;
  readonly #roles: readonly string[];

  constructor(fake: FakeDiscord, name: string, id: string, manages: boolean, roles: readonly string[] = []) {
    this.#fake = fake;
    this.name = name;
    this.id = id;
    this.#manages = manages;
    this.#roles = roles;
  }

  /** Types a command and gives what came of it once its answer stands. */
  async run(where: Where | string, command: string, options: Record<string, Value> = {}): Promise<Dialog> {
    const dialog = this.start(where, command, options);
    await dialog.answered();
    return dialog;
  }

  /** Types a command and does not wait. */
  start(where: Where | string, command: string, options: Record<string, Value> = {}): Dialog {
    const data = { id: "1", type: 1, ...this.#typed(command, options, undefined) };
    return this.#send("command", 2, where, { data }, command);
  }

  /** Chooses a command in the menu of a message. */
  async choose(message: StoredMessage, name: string): Promise<Dialog> {
    const registered = [...this.#fake.state.commands.values()].flat();
    if (!registered.some((one) => one.type === ApplicationCommandType.Message && one.name === name))
      throw new Error(`no “${name}” in the menu`);
    const resolved = { messages: { [message.id]: this.#fake.shown(message.id) } };
    const data = { id: "1", type: 3, name, target_id: message.id, resolved };
    const dialog = this.#send("command", 2, message.channel, { data }, name);
    await dialog.answered();
    return dialog;
  }

  /** Completion for one option. */
  async complete(
    where: Where | string,
    command: string,
    option: string,
    typed: string,
    options: Record<string, Value> = {},
  ) {
    const data = { id: "1", type: 1, ...this.#typed(command, { ...options, [option]: typed }, option) };
    const dialog = this.#send("complete", 4, where, { data }, command);
    await until(() => dialog.interaction.choices !== undefined, "completion");
    return dialog.interaction.choices ?? [];
  }

  /** Presses the button with this label, or picks the option of a select. */
  async press(message: StoredMessage, label: string): Promise<Dialog> {
    const dialog = this.startPress(message, label);
    await dialog.answered();
    return dialog;
  }

  startPress(message: StoredMessage, label: string): Dialog {
    const pressable = pressablesOf(message).find((one) => one.label === label);
    if (pressable === undefined) throw new Error(`nothing called “${label}” on: ${labelsOf(message).join(", ")}`);
    if (message.onlyFor !== undefined && message.onlyFor !== this.id)
      throw new Error(`${this.name} does not see that message`);
    const shown = this.#fake.shown(message.id);
    const dialog = this.#send("press", 3, message.channel, { data: pressable.data, message: shown }, message.command);
    dialog.interaction.original = message.id;
    return dialog;
  }

  /**
   * Sends a form that was opened, with these values in place of the ones it began with: a text, the values of a select, or
   * the mention of who is picked.
   */
  async submit(opened: Dialog, values: Record<string, string | readonly string[]> = {}): Promise<Dialog> {
    const { modal, channel, command } = opened.interaction;
    if (modal === undefined) throw new Error("no form was opened");
    const { components, people, files } = filledIn(modal, values);
    const data = { custom_id: modal.custom_id, components, resolved: resolvedOf(people, files) };
    const { original } = opened.interaction;
    const message = original === undefined ? {} : { message: this.#fake.shown(original) };
    const dialog = this.#send("submit", 5, channel, { data, ...message }, command);
    dialog.interaction.original = original;
    await dialog.answered();
    return dialog;
  }

  /**
   * Writes a message; “@bot” in it mentions the bot. `more` overwrites any part of it as the gateway tells it. Gives its id.
   */
  write(channel: string, text: string, more: object = {}): string {
    const { applicationId, channels, written } = this.#fake.state;
    const guild = channels.get(channel)?.guild;
    const id = this.#fake.state.snowflake();
    written.set(id, channel);
    const content = text.replaceAll("@bot", `<@${applicationId}>`);
    const member = { roles: this.#roles, nick: null, permissions: undefined };
    this.#fake.gateway.tell({
      id,
      channel_id: channel,
      type: 0,
      timestamp: new Date().toISOString(),
      attachments: [],
      embeds: [],
      ...(guild === undefined ? {} : { guild_id: guild, member }),
      author: { id: this.id, username: this.name.toLowerCase(), global_name: this.name },
      content,
      mentions: content === text ? [] : [{ id: applicationId }],
      mention_everyone: false,
      ...more,
    });
    return id;
  }

  /** Writes a message and gives the reply to it. */
  async writes(channel: string, text: string): Promise<StoredMessage> {
    const id = this.write(channel, text);
    const answer = (): StoredMessage | undefined => this.sees(channel).find(({ repliesTo }) => repliesTo === id);
    await until(() => answer() !== undefined, `an answer to “${text}”`);
    return answer()!;
  }

  /** Sends an interaction as no client of Discord would: `more` overwrites any part of it. */
  forge(where: Where | string, kind: StoredInteraction["kind"], more: object): Dialog {
    return this.#send(kind, { command: 2, press: 3, complete: 4, submit: 5 }[kind], where, more, undefined);
  }

  /** Everything this person sees in a channel, oldest first. */
  sees(channel: string): StoredMessage[] {
    return this.#fake.state.visibleTo(this.id, channel);
  }

  #send(
    kind: StoredInteraction["kind"],
    type: number,
    given: Where | string,
    more: object,
    command: string | undefined,
  ): Dialog {
    const where: Where = typeof given === "string" ? { channel: given } : given;
    const { state } = this.#fake;
    const channel = state.channels.get(where.channel);
    if (channel === undefined) throw new Error(`no channel ${where.channel}`);
    const id = state.snowflake();
    const maxBytes = where.maxBytes ?? 10 * 1024 * 1024;
    const interaction: StoredInteraction = {
      id,
      token: `token-${id}`,
      kind,
      user: this.id,
      channel: where.channel,
      createdAt: state.now(),
      realCreatedAt: Date.now(),
      maxBytes,
      command,
      acknowledged: false,
      acknowledgedAfter: undefined,
      original: undefined,
      choices: undefined,
      modal: undefined,
      produced: [],
    };
    state.interactions.set(id, interaction);
    const user = { id: this.id, username: this.name.toLowerCase(), global_name: this.name };
    const person =
      channel.guild === undefined
        ? { user }
        : { guild_id: channel.guild, member: { user, roles: this.#roles, permissions: this.#manages ? "16" : "0" } };
    const installed = where.broughtAlong === true ? {} : { 0: channel.guild ?? "0" };
    const own = where.broughtAlong === true || channel.guild === undefined ? { 1: this.id } : {};
    this.#fake.interact({
      id,
      application_id: state.applicationId,
      type,
      token: interaction.token,
      version: 1,
      channel_id: where.channel,
      channel: { id: where.channel, type: channel.guild === undefined ? 1 : 0 },
      context: where.context ?? (channel.guild === undefined ? 1 : 0),
      attachment_size_limit: maxBytes,
      authorizing_integration_owners: { ...installed, ...own },
      ...person,
      ...more,
    });
    return new Dialog(this.#fake, interaction);
  }

  /** The command as Discord's own client would send it: only what is registered, with the types registered. */
  #typed(command: string, values: Record<string, Value>, focused: string | undefined): object {
    const [first = "", second] = command.split(" ");
    const registered = [...this.#fake.state.commands.values()].flat().find((one) => one.name === first);
    if (registered === undefined) throw new Error(`/${first} is not registered`);
    const options = optionsOf(registered, second);
    const given = Object.entries(values).map(([name, value]) => {
      const option = options.find((one) => one.name === name);
      if (option === undefined) throw new Error(`/${command} has no option ${name}`);
      if (option.type === MENTIONABLE) return { name, type: MENTIONABLE, value: picked(value).id };
      if (option.type === ATTACHMENT) return { name, type: ATTACHMENT, value: attached(value).id };
      const type = { string: 3, number: 4, boolean: 5 }[typeof value as "string"];
      if (option.type !== type) throw new Error(`/${command} ${name} is of type ${option.type}`);
      return { name, type, value, ...(name === focused ? { focused: true } : {}) };
    });
    const missing = options.find((option) => option.required === true && !(option.name in values));
    if (missing !== undefined && focused === undefined) throw new Error(`/${command} needs ${missing.name}`);
    const list = second === undefined ? given : [{ type: 1, name: second, options: given }];
    const people = options.flatMap(({ name, type }) => (type === MENTIONABLE ? (values[name] ?? []) : []));
    const files = options.flatMap(({ name, type }) => (type === ATTACHMENT ? (values[name] ?? []) : []));
    const resolved = people.length + files.length === 0 ? {} : { resolved: resolvedOf(people, files) };
    return { name: first, options: list, ...resolved };
  }
}

interface Named {
  readonly name: string;
  readonly type: number;
  readonly required?: boolean;
}

function optionsOf(command: APIApplicationCommand, second: string | undefined): Named[] {
  const options: APIApplicationCommandOption[] = command.options ?? [];
  if (second === undefined) return options;
  const sub = options.find((option) => option.name === second);
  if (sub === undefined || !("options" in sub)) throw new Error(`/${command.name} ${second} is not registered`);
  return sub.options ?? [];
}

/** One interaction and what came of it. */
export class Dialog {
  readonly #fake: FakeDiscord;
  readonly interaction: StoredInteraction;

  constructor(fake: FakeDiscord, interaction: StoredInteraction) {
    this.#fake = fake;
    this.interaction = interaction;
  }

  /** The messages that came of it and still stand; for a button that changed its own message, that one first. */
  get messages(): StoredMessage[] {
    const { original, produced } = this.interaction;
    const ids = new Set([...(original === undefined ? [] : [original]), ...produced]);
    return [...ids].flatMap((id) => this.#fake.state.messages.get(id) ?? []);
  }

  /** What came of it last. */
  get last(): StoredMessage {
    const { produced, original } = this.interaction;
    const id = produced.toReversed().find((one) => this.#fake.state.messages.has(one)) ?? original ?? "";
    const message = this.#fake.state.messages.get(id);
    if (message === undefined) throw new Error("nothing came of it");
    return message;
  }

  /** Resolves once it is acknowledged and nothing of it is still thinking. A pressed question may go with its answer. */
  async answered(): Promise<void> {
    const { state } = this.#fake;
    const shown = state.messages.get(this.interaction.original ?? "");
    const before = shown?.edits ?? 0;
    await until(
      () => {
        const { acknowledged, produced } = this.interaction;
        if (!acknowledged) return false;
        if (this.interaction.modal !== undefined) return true;
        const made = produced.flatMap((id) => state.messages.get(id) ?? []);
        if (made.length > 0) return made.every((one) => !one.thinking);
        return shown !== undefined && (shown.edits > before || !state.messages.has(shown.id));
      },
      `an answer to ${this.interaction.command ?? this.interaction.kind}`,
    );
  }
}

interface Labelled {
  readonly label: string;
  /** Of the interaction that a press sends. */
  readonly data: object;
}

function pressablesOf({ components }: StoredMessage): Labelled[] {
  return componentsIn(components).flatMap((one): Labelled[] => {
    const { custom_id: id, label, options = [] } = one as Pressable;
    if (id === undefined) return [];
    if (label !== undefined) return [{ label, data: { custom_id: id, component_type: one.type } }];
    return options.map((option) => ({
      label: option.label,
      data: { custom_id: id, component_type: one.type, values: [option.value] },
    }));
  });
}

interface Pressable {
  readonly custom_id?: string;
  readonly label?: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
}

/** The labels of all buttons, and of all that can be picked. */
export function labelsOf({ components }: StoredMessage): string[] {
  return componentsIn(components).flatMap((one) => {
    const { label, options = [] } = one as Pressable;
    return label === undefined ? options.map((option) => option.label) : [label];
  });
}

/** All that a message says, as one text. */
export function textOf({ content, embeds, components }: StoredMessage): string {
  return [content, ...embeds.flatMap((embed) => [embed.title ?? "", embed.description ?? ""]), ...textsIn(components)]
    .map((part) => part.replace(/^### /u, ""))
    .filter((part) => part !== "")
    .join("\n");
}
