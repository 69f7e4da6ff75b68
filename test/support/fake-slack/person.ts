import { progressFootnote, workingNotice } from "../../../src/adapters/slack/respond/notices.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { until } from "../fake-discord/until.ts";
import type { FakeSlack } from "./fake-slack.ts";
import { fieldOf, nameOf, stateOf } from "./form-state.ts";
import type { Envelope } from "./sockets.ts";
import type { Block, Element, StoredMessage, View } from "./state.ts";

/** How every progress message ends. */
export const PROMISES_NOTHING = progressFootnote(0, 0, false).split(". ").at(-1) ?? "";

/** Somebody in the workspace: types commands, presses buttons that are there, fills in forms, reads what is shown. */
export class Person {
  readonly id: string;
  readonly name: string;
  /** The workspace that the person belongs to. */
  readonly team: string;
  readonly #fake: FakeSlack;

  constructor(fake: FakeSlack, name: string, id: string, team: string) {
    this.#fake = fake;
    this.name = name;
    this.id = id;
    this.team = team;
  }

  /** The organisation, and whether the app is installed for the whole of it, as Slack says with each request. */
  get #place(): { readonly enterprise: string | undefined; readonly orgWide: boolean } {
    const { oauth, orgWide, team } = this.#fake.state;
    return {
      enterprise: oauth.enterpriseOf(this.team),
      orgWide: this.team === team ? orgWide : (oauth.grantOf(this.team)?.orgWide ?? false),
    };
  }

  /** Types `/bell …` and waits for the answer. */
  async run(channel: string, text: string): Promise<Dialog> {
    const dialog = this.type(channel, text);
    await dialog.answered();
    return dialog;
  }

  /** Types `/bell …` and does not wait. `from` is what the payload says of its workspace otherwise. */
  type(
    channel: string,
    text: string,
    command = this.#fake.state.manifest.features.slash_commands[0]?.command,
    from: Readonly<Record<string, string>> = {},
  ): Dialog {
    const { state } = this.#fake;
    const { enterprise, orgWide } = this.#place;
    const [responseId, responseUrl] = this.#responseUrl(channel);
    const direct = state.channels.get(channel)?.person !== undefined;
    const envelope = this.#send("slash_commands", {
      command,
      text,
      user_id: this.id,
      user_name: this.name,
      team_id: this.team,
      ...(enterprise === undefined ? {} : { enterprise_id: enterprise }),
      is_enterprise_install: String(orgWide),
      ...from,
      channel_id: channel,
      channel_name: direct ? "directmessage" : "general",
      response_url: responseUrl,
      trigger_id: state.trigger(this.id),
    });
    return new Dialog(this.#fake, this, envelope, responseId);
  }

  /** Chooses a shortcut of the manifest, one for messages on a message. */
  shortcut(name: string, message?: StoredMessage): Dialog {
    const { state } = this.#fake;
    const type = message === undefined ? "global" : "message";
    const known = state.manifest.features.shortcuts.find((one) => one.name === name && one.type === type);
    if (known === undefined) throw new Error(`the manifest has no shortcut “${name}” of the type ${type}`);
    const from = {
      callback_id: known.callback_id,
      trigger_id: state.trigger(this.id),
      action_ts: state.ts(),
      user: { id: this.id, name: this.name, username: this.name, team_id: this.team },
      team: { id: this.team, domain: "fake" },
    };
    const channel = message?.channel ?? state.direct(this.id).id;
    const [responseId, responseUrl] = this.#responseUrl(channel, message?.ts);
    const on = {
      message_ts: message?.ts,
      response_url: responseUrl,
      channel: { id: channel, name: state.channels.get(channel)?.person === undefined ? "general" : "directmessage" },
      message: {
        type: "message",
        ts: message?.ts,
        thread_ts: message?.thread,
        text: message?.text,
        blocks: message?.blocks,
      },
    };
    const payload = message === undefined ? { type: "shortcut" } : { type: "message_action", ...on };
    return new Dialog(this.#fake, this, this.#send("interactive", { ...from, ...payload }), responseId);
  }

  /** Mentions the app in a message. */
  mention(channel: string, text: string, thread?: string): Envelope {
    const { state } = this.#fake;
    const message = state.post({ channel, text, thread });
    const mention = {
      type: "app_mention",
      user: this.id,
      team: state.profiles.get(this.id)?.team_id ?? this.team,
      text: `<@${state.oauth.grantOf(this.team)?.botUserId ?? state.botUserId}> ${text}`,
      channel,
      ts: message.ts,
      ...(thread === undefined ? {} : { thread_ts: thread }),
    };
    return this.event(mention);
  }

  /** Does something else that Slack tells the app of. */
  event(event: { readonly type: string } & Readonly<Record<string, unknown>>): Envelope {
    const { state } = this.#fake;
    const grant = this.team === state.team ? undefined : state.oauth.grantOf(this.team);
    const authorization = {
      enterprise_id: grant?.enterprise ?? null,
      team_id: this.team,
      user_id: grant?.botUserId,
      is_bot: true,
      is_enterprise_install: grant?.orgWide,
    };
    const about = {
      type: "event_callback",
      team_id: this.team,
      event_id: state.id("Ev"),
      event_time: Math.floor(state.now() / 1000),
      ...(grant === undefined ? {} : { enterprise_id: grant.enterprise, authorizations: [authorization] }),
    };
    return this.#send("events_api", { ...about, event });
  }

  /** Opens the app's home tab and gives it. */
  async openHome(): Promise<View> {
    const { state } = this.#fake;
    state.homes.delete(this.id);
    const opened = { type: "app_home_opened", user: this.id, channel: state.direct(this.id).id, tab: "home" };
    this.event(opened);
    await until(() => state.homes.has(this.id), "the home tab");
    return state.homes.get(this.id)!;
  }

  async press(message: StoredMessage, label: string): Promise<Dialog> {
    const dialog = this.startPress(message, label);
    await dialog.answered();
    return dialog;
  }

  /** Presses the button with this label on a message that stands there. */
  startPress(message: StoredMessage, label: string): Dialog {
    const { state } = this.#fake;
    if (message.onlyFor !== undefined && message.onlyFor !== this.id) throw new Error(`${this.name} does not see that`);
    const [responseId, responseUrl] = this.#responseUrl(message.channel, message.ts);
    const direct = state.channels.get(message.channel)?.person !== undefined;
    const envelope = this.#pressed(message.blocks, label, {
      container: {
        type: "message",
        message_ts: message.ts,
        channel_id: message.channel,
        is_ephemeral: message.onlyFor !== undefined,
        ...(message.thread === undefined ? {} : { thread_ts: message.thread }),
      },
      channel: { id: message.channel, name: direct ? "directmessage" : "general" },
      // What one person alone sees is not told again.
      ...(message.onlyFor === undefined ? { message: { ts: message.ts, text: message.text } } : {}),
      response_url: responseUrl,
    });
    return new Dialog(this.#fake, this, envelope, responseId);
  }

  pressAtHome(home: View, label: string): Envelope {
    return this.#pressed(home.blocks, label, { container: { type: "view", view_id: home.id }, view: home });
  }

  /** Chooses a channel in the home tab, where a menu offers channels of its kind. */
  chooseChannel(home: View, channel: string): Envelope {
    const { state } = this.#fake;
    const kind = state.channels.get(channel)?.person === undefined ? "public" : "im";
    const found = home.blocks
      .flatMap((block) => (block.elements ?? []).map((element) => ({ block, element })))
      .find(
        ({ element }) => element.type === "conversations_select" && element.filter?.include?.includes(kind) !== false,
      );
    if (found === undefined) throw new Error(`no menu offers ${channel}`);
    const { type, action_id: action } = found.element;
    return this.#send("interactive", {
      type: "block_actions",
      user: { id: this.id, username: this.name, name: this.name, team_id: this.team },
      team: { id: this.team, domain: "fake" },
      trigger_id: state.trigger(this.id),
      actions: [
        {
          type,
          action_id: action,
          block_id: found.block.block_id ?? "b",
          selected_conversation: channel,
          action_ts: state.ts(),
        },
      ],
      container: { type: "view", view_id: home.id },
      view: home,
    });
  }

  /** Presses a button in an open modal, whose fields hold these values. */
  pressInForm(view: View, label: string, values: Record<string, string> = {}): Envelope {
    return this.#pressed(view.blocks, label, {
      container: { type: "view", view_id: view.id },
      view: this.#filledIn(view, values),
    });
  }

  /** Chooses a value in a field that tells it at once; the other fields hold these values. */
  choose(view: View, name: string, value: string, values: Record<string, string> = {}): Envelope {
    const { state } = this.#fake;
    const field = fieldOf(view, name);
    if (field?.element === undefined || field.dispatch_action !== true)
      throw new Error(`${name} tells nothing at once`);
    const filled = this.#filledIn(view, { ...values, [name]: value });
    const { type, action_id: action = "" } = field.element;
    const chosen = filled.state.values[field.block_id ?? ""]?.[action] as object;
    return this.#send("interactive", {
      type: "block_actions",
      user: { id: this.id, username: this.name, name: this.name, team_id: this.team },
      team: { id: this.team, domain: "fake" },
      trigger_id: state.trigger(this.id),
      actions: [{ ...chosen, type, action_id: action, block_id: field.block_id, action_ts: state.ts() }],
      container: { type: "view", view_id: view.id },
      view: filled,
    });
  }

  /** A form as it is told, with what its fields hold now. */
  #filledIn(view: View, values: Record<string, string>) {
    const held = stateOf(view, values);
    if (this.#fake.state.views.has(view.id)) this.#fake.state.views.set(view.id, { ...view, held });
    const { held: _held, ...told } = view;
    return { ...told, state: { values: held } };
  }

  #pressed(blocks: readonly Block[], label: string, more: object): Envelope {
    const { state } = this.#fake;
    const action = actionOf(blocks, label);
    if (action === undefined) throw new Error(`no button “${label}” among: ${labelsOf(blocks).join(", ")}`);
    return this.#send("interactive", {
      type: "block_actions",
      user: { id: this.id, username: this.name, name: this.name, team_id: this.team },
      team: { id: this.team, domain: "fake" },
      trigger_id: state.trigger(this.id),
      actions: [{ ...action, block_id: "b", action_ts: state.ts() }],
      ...more,
    });
  }

  /** The form that stands open for this person. */
  async form(): Promise<View> {
    const mine = (): View | undefined =>
      [...this.#fake.state.views.values()].findLast(({ user, type }) => user === this.id && type === "modal");
    await until(() => mine() !== undefined, "a form");
    return mine()!;
  }

  /** The answer that stands open in a modal, once it is there. */
  async answerInView(): Promise<View> {
    const mine = (): View | undefined =>
      [...this.#fake.state.views.values()].findLast(({ user, callback_id: id }) => user === this.id && id === "answer");
    const waiting = plainText(workingNotice({ command: "x", options: {} }, "", false).title).split(" ", 1)[0] ?? "";
    await until(() => {
      const view = mine();
      return view !== undefined && !textOf(view).startsWith(`*${waiting}`);
    }, "an answer in a modal");
    return mine()!;
  }

  /** Closes whatever modals stand open. */
  closeViews(): void {
    const { views } = this.#fake.state;
    for (const { id, user, type } of views.values()) if (user === this.id && type === "modal") views.delete(id);
  }

  /** What a field offers while something is typed. */
  async complete(view: View, option: string, typed: string, values: Record<string, string> = {}): Promise<string[]> {
    const block = fieldOf(view, option);
    if (block?.element?.type.endsWith("external_select") !== true) throw new Error(`${option} completes nothing`);
    const envelope = this.#send("interactive", {
      type: "block_suggestion",
      user: { id: this.id, name: this.name, team_id: this.team },
      team: { id: this.team },
      action_id: block.element.action_id,
      block_id: block.block_id,
      value: typed,
      container: { type: "view", view_id: view.id },
      view: this.#filledIn(view, values),
    });
    await until(() => envelope.acknowledgedAfter !== undefined, "completion");
    const { options } = envelope.answer as { options?: { value: string }[] };
    return (options ?? []).map(({ value }) => value);
  }

  /** Sends a form with these values, and gives the errors at its fields; none closes it. */
  async submit(view: View, values: Record<string, string>): Promise<Record<string, string>> {
    const { state } = this.#fake;
    const envelope = this.#send("interactive", {
      type: "view_submission",
      user: { id: this.id, name: this.name, username: this.name, team_id: this.team },
      team: { id: this.team, domain: "fake" },
      trigger_id: state.trigger(this.id),
      view: this.#filledIn(view, values),
      response_urls: [],
    });
    await until(() => envelope.acknowledgedAfter !== undefined, "an answer to a form");
    const answer = (envelope.answer ?? {}) as {
      response_action?: string;
      errors?: Record<string, string>;
      view?: Omit<View, "id" | "user">;
    };
    if (answer.response_action === "update" && answer.view !== undefined) {
      state.views.set(view.id, {
        ...answer.view,
        private_metadata: answer.view.private_metadata ?? "",
        id: view.id,
        user: this.id,
      });
      return {};
    }
    if (answer.response_action !== "errors") {
      state.views.delete(view.id);
      return {};
    }
    const blocks = new Set(view.blocks.map(({ block_id: id }) => id));
    for (const id of Object.keys(answer.errors ?? {})) {
      if (!blocks.has(id)) state.violations.push(`an error at ${id}, which is no field`);
    }
    return Object.fromEntries(Object.entries(answer.errors ?? {}).map(([id, words]) => [nameOf(id), words]));
  }

  /** Everything this person sees in a channel, oldest first. */
  sees(channel: string): StoredMessage[] {
    return this.#fake.state.messages.filter(
      (one) => one.channel === channel && !one.gone && (one.onlyFor === undefined || one.onlyFor === this.id),
    );
  }

  /** What the app has written to this person directly. */
  directMessages(): StoredMessage[] {
    return this.sees(this.#fake.state.direct(this.id).id);
  }

  #responseUrl(channel: string, original?: string): [string, string] {
    const { state } = this.#fake;
    const id = state.id("response-");
    state.responses.set(id, {
      channel,
      user: this.id,
      since: state.now(),
      used: 0,
      original,
      produced: [],
    });
    return [id, `${this.#fake.origin}/respond/${id}`];
  }

  #send(type: Envelope["type"], payload: object): Envelope {
    const { state } = this.#fake;
    const { features, settings } = state.manifest;
    const event = (payload as { event?: { type: string } }).event?.type;
    // What the manifest does not ask for, Slack does not send.
    const granted = {
      slash_commands: features.slash_commands.length > 0 && state.scopes.has("commands"),
      interactive: settings.interactivity.is_enabled,
      events_api:
        settings.event_subscriptions.bot_events.includes(event ?? "") &&
        (event !== "app_mention" || state.scopes.has("app_mentions:read")) &&
        (event !== "app_home_opened" || features.app_home.home_tab_enabled),
    }[type];
    if (!granted) throw new Error(`the manifest does not allow ${event ?? type}`);
    if (type !== "interactive") return this.#fake.deliver(type, payload);
    const { enterprise, orgWide } = this.#place;
    const place = {
      enterprise: enterprise === undefined ? null : { id: enterprise, name: "Grid" },
      is_enterprise_install: orgWide,
    };
    return this.#fake.deliver(type, { ...place, ...payload });
  }
}

/** One command or press, and what came of it. */
export class Dialog {
  readonly envelope: Envelope;
  readonly #fake: FakeSlack;
  readonly #person: Person;
  readonly #response: string;

  constructor(fake: FakeSlack, person: Person, envelope: Envelope, response: string) {
    this.#fake = fake;
    this.#person = person;
    this.envelope = envelope;
    this.#response = response;
  }

  /** How often its response_url was used. */
  get uses(): number {
    return this.#fake.state.responses.get(this.#response)?.used ?? 0;
  }

  /** The messages that came of it and still stand. */
  get messages(): StoredMessage[] {
    const produced = new Set(this.#fake.state.responses.get(this.#response)?.produced);
    return [...produced].flatMap((ts) => this.#fake.state.message(ts) ?? []);
  }

  get last(): StoredMessage {
    const message = this.messages.at(-1);
    if (message === undefined) throw new Error(`nothing came of it for ${this.#person.name}`);
    return message;
  }

  /** Resolves once it is answered; a progress message is no answer. */
  async answered(): Promise<void> {
    await until(() => this.messages.some((message) => !textOf(message).includes(PROMISES_NOTHING)), "an answer");
  }
}

export function buttonsOf(blocks: readonly Block[]): Element[] {
  return blocks.flatMap((block) => {
    if (block.type === "actions") return (block.elements ?? []).filter(({ type }) => type === "button");
    return block.accessory?.type === "button" ? [block.accessory] : [];
  });
}

/** The options of menus and of choices, the choices by what they ask for. */
function optionsOf(blocks: readonly Block[]) {
  return blocks.flatMap((block) =>
    [
      ...(block.type === "actions" ? (block.elements ?? []) : []),
      ...(block.accessory ? [block.accessory] : []),
    ].flatMap((element) => (element.options ?? []).map((option) => ({ element, option }))),
  );
}

/** What can be pressed: buttons, and the options of menus. */
export function labelsOf(blocks: readonly Block[]): string[] {
  const menu = optionsOf(blocks).filter(({ element }) => element.action_id === "menu");
  return [...buttonsOf(blocks).map(({ text }) => text?.text ?? ""), ...menu.map(({ option }) => option.text.text)];
}

/** What can be chosen, with what it is asked for: `Page: Page 2`. */
export function choicesOf(blocks: readonly Block[]): string[] {
  return optionsOf(blocks).flatMap(({ element, option }) =>
    element.action_id === "menu" ? [] : [`${element.placeholder?.text ?? ""}: ${linesOf(option)}`],
  );
}

/** What an option shows, of one line or two. */
function linesOf({ text, description }: ReturnType<typeof optionsOf>[number]["option"]): string {
  return description === undefined ? text.text : `${text.text} · ${description.text}`;
}

/** The action that Slack tells of: a button, or the option of a menu or a choice. */
function actionOf(blocks: readonly Block[], label: string): Element | undefined {
  const button = buttonsOf(blocks).find((one) => one.text?.text === label);
  if (button !== undefined) return button;
  const chosen = optionsOf(blocks).find(
    ({ element, option }) =>
      option.text.text === label || `${element.placeholder?.text ?? ""}: ${linesOf(option)}` === label,
  );
  return chosen === undefined
    ? undefined
    : { type: chosen.element.type, action_id: chosen.element.action_id ?? "", selected_option: chosen.option };
}

/** All that a message or a view says, with markup as it was sent. */
export function textOf({ blocks }: { readonly blocks: readonly Block[] }): string {
  const strings = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([key, part]) =>
      key === "text" || typeof part === "object" ? strings(part) : [],
    );
  };
  return strings(blocks).join("\n");
}
