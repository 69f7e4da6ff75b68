import type { ActionsBlock, Button, ConversationsSelect, HomeView, KnownBlock, SectionBlock } from "@slack/types";

import type { AnyCommand } from "../../../bot/command.ts";
import type { Ask, Tone } from "../../../reply/reply.ts";
import { code, joinText, shortenId, strong, text, type Text, time } from "../../../reply/text.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { fromMillis } from "../../../units/nanoseconds.ts";
import type { HomeSilence, HomeStanding, OpenAlert, SavedParty, Subscription } from "../../chat/home-data.ts";
import type { Press } from "../../chat/press.ts";
import { TONE_SIGNS } from "../../chat/tone-signs.ts";
import { MAX_VIEW_BLOCKS, SECTION_LENGTH } from "../limits.ts";
import { contextBlock, headerBlock, sectionBlock } from "../render/blocks.ts";
import { dangerStyle } from "../render/buttons.ts";
import { plainTextElement, renderText } from "../render/mrkdwn.ts";
import { encodePress } from "../render/press.ts";

/** How many saved parties, and how many subscriptions of one's own, a page shows. */
const PER_PAGE = 20;
/** How many silences, and how many channels, a page shows. */
const FEW_PER_PAGE = 10;
const MAX_PAGES = 100;
/** A view of 100 blocks stays far below Slack's 250 kB. */
const ROW_LENGTH = SECTION_LENGTH / 2;

/** What came of a press in the tab. */
export interface HomeNotice {
  readonly tone: Tone;
  readonly text: Text;
}

/** `unreadable`: the store did not answer. */
interface HomeContent {
  /** The page, counted from 0. */
  readonly page: number;
  /** A question whose answer is in the app's direct messages. */
  readonly answered?: Ask;
  readonly notice?: HomeNotice;
  /** The root command, with its slash. */
  readonly command: string;
  readonly botName: string;
  readonly commands: readonly AnyCommand[];
  /** Whose channels' alerts this person may change: all of the workspace, those where they are, or none. */
  readonly manages: "all" | "own" | "none";
  /** Of what moment the tab tells, in Unix milliseconds. */
  readonly at: Milliseconds;
  readonly standing: HomeStanding | "unreadable";
  /** This person's saved parties. */
  readonly parties: readonly SavedParty[] | "unreadable";
  readonly subscriptions: readonly Subscription[] | "unreadable";
}

/**
 * The app's home tab: what burns, how the networks stand, what is silenced, who is told, and how to begin. Pure and total.
 */
export function renderHome(content: HomeContent): HomeView {
  const { command, commands, answered, notice, parties, standing, subscriptions } = content;
  const { own, channels } = split(subscriptions);
  const saved = parties === "unreadable" ? [] : parties;
  const { pages: alertPages = 1, silences = [], open = [] } = standing === "unreadable" ? {} : standing;
  // While something burns, who is told and what is saved stand from the second page on.
  const before = open.length > 0 ? 1 : 0;
  const pages = Math.min(
    MAX_PAGES,
    Math.max(
      alertPages,
      Math.ceil(silences.length / FEW_PER_PAGE),
      before + Math.max(1, Math.ceil(channels.length / FEW_PER_PAGE)),
      before + Math.ceil(saved.length / PER_PAGE),
      before + Math.ceil(own.length / PER_PAGE),
    ),
  );
  const page = Math.min(content.page, pages - 1);
  // All that the other pages have is behind the line that counts who is told.
  const isBegun = page < before && alertPages === 1 && silences.length <= FEW_PER_PAGE;
  const isOffered = (name: string): boolean => commands.some((one) => one.name === name);
  const isNew = parties !== "unreadable" && subscriptions !== "unreadable" && saved.length + own.length === 0;
  const blocks: KnownBlock[] = [
    ...(answered === undefined
      ? []
      : [line(text`The answer to ${code(`${command} ${answered.command}`)} is under Messages, beside this tab.`)]),
    ...(notice === undefined ? [] : [line(text`${TONE_SIGNS[notice.tone]}${notice.text}`)]),
    ...standingBlocks(content, page),
    ...buttonRow("begin", [
      ["Ask a question", { kind: "question" }],
      ...(isOffered("market list") ? [["Markets", asking("market list")] as const] : []),
      ...(isOffered("help") ? [["Help", asking("help")] as const] : []),
    ]),
    ...(isNew
      ? [
          line(
            text`Bellwether answers questions about the trading network, and says first when something is wrong with it.`,
          ),
        ]
      : []),
    ...(page < before
      ? [toldLine(content)]
      : [
          ...subscriptionBlocks(content, isOffered("alerts add"), page - before),
          ...(isOffered("my party") ? partyBlocks(command, parties, page - before) : []),
        ]),
    ...(isBegun ? [] : pageChoice(page, pages)),
    contextBlock(
      renderText(text`In any channel ${code(`${command} help`)} lists what can be asked; only you see the answers.`, {
        max: SECTION_LENGTH,
      }).mrkdwn,
    ),
  ];
  return { type: "home", blocks: blocks.slice(0, MAX_VIEW_BLOCKS) };
}

function asking(name: string): Press {
  return { kind: "ask", ask: { command: name, options: {} }, effect: "reply" };
}

function split(subscriptions: HomeContent["subscriptions"]) {
  const all = subscriptions === "unreadable" ? [] : subscriptions;
  return {
    own: all.filter(({ remove }) => remove !== undefined),
    channels: all.filter(({ remove }) => remove === undefined),
  };
}

/** What burns with what to do about it, then the verdict on each network, then what is silenced. */
function standingBlocks({ standing, at }: HomeContent, page: number): KnownBlock[] {
  const asOf = text`As of ${time(fromMillis(at))}`;
  const refresh = { label: "Refresh", press: { kind: "home", page } as const, id: "refresh" };
  if (standing === "unreadable") return [withButton(asOf, refresh), headerBlock("Networks"), unreadable()];
  const { title, networks, open, more, silences } = standing;
  const silenced = pageOf(silences, page, FEW_PER_PAGE);
  const above = `${TONE_SIGNS[title.tone]}${renderText(title.text, { max: 500 }).mrkdwn}\n`;
  return [
    withButton(asOf, refresh, { before: above }),
    ...open.flatMap(alertBlocks),
    ...(more === 0
      ? []
      : [contextBlock(renderText(text`${more} more: choose another page below.`, { max: 300 }).mrkdwn)]),
    headerBlock("Networks"),
    ...lists(networks.map(({ tone, text: shown }) => text`${TONE_SIGNS[tone]}${shown}`)),
    ...(silenced.length === 0 ? [] : [headerBlock("Silenced"), ...silenced.map(silenceBlock)]),
  ];
}

function alertBlocks({ tone, text: what, why, acknowledge, silence, channel }: OpenAlert, index: number): KnownBlock[] {
  const place = channel === undefined ? {} : { channel };
  const acting = (ask: Ask | undefined, label: string) =>
    ask === undefined ? [] : [[label, { kind: "ask", ask, effect: "replace", ...place }] as const];
  return [
    line(text`${TONE_SIGNS[tone]}${what}`),
    ...buttonRow(`alert:${index}`, [
      ...acting(acknowledge, "Acknowledge"),
      ...acting(silence, "Silence 1 h"),
      ["Why", { kind: "ask", ask: why, effect: "reply" }],
    ]),
  ];
}

function silenceBlock({ text: what, end, channel }: HomeSilence, index: number): KnownBlock {
  if (end === undefined) return line(what);
  const place = channel === undefined ? {} : { channel };
  const press: Press = { kind: "ask", ask: end, effect: "replace", ...place };
  return withButton(what, { label: "End", press, id: `silence:${index}` });
}

/** What the viewer and their channels are told, and how others are subscribed. */
function subscriptionBlocks(content: HomeContent, may: boolean, page: number): KnownBlock[] {
  const { command, botName, manages, at, subscriptions } = content;
  const title = headerBlock("Who is told");
  if (subscriptions === "unreadable") return [title, unreadable()];
  const { own, channels } = split(subscriptions);
  const others = text` Those that others subscribed are not listed: ${code(`${command} alerts list`)} there.`;
  const note = text`A channel needs the app: ${code(`/invite @${botName}`)}.${manages === "all" ? "" : others}`;
  const [me] = buttonRow("me", [["Subscribe me", { kind: "form", ask: { command: "alerts add", options: {} } }]]);
  return [
    title,
    ...(own.length === 0 ? [line(text`You are told of nothing yet.`)] : pageOf(own, page, PER_PAGE).map(ownBlock)),
    ...pageOf(channels, page, FEW_PER_PAGE).map((one, index) => channelBlock(one, index, content)),
    // In a block of another name nothing is chosen any more: the same channel can be chosen again.
    ...(me === undefined || !may
      ? []
      : [{ ...me, block_id: `told:${at}`, elements: [...me.elements, ...(manages === "none" ? [] : [CHANNELS])] }]),
    ...(manages === "none" ? [] : [contextBlock(renderText(note, { max: SECTION_LENGTH }).mrkdwn)]),
  ];
}

/** How many are told, and what does not arrive; the next page has them. */
function toldLine({ subscriptions, parties }: HomeContent): KnownBlock {
  const { own, channels } = split(subscriptions);
  const lost = [...own, ...channels].filter(({ trouble }) => trouble !== undefined).length;
  const saved = parties === "unreadable" ? 0 : parties.length;
  const told = joinText(
    [
      text`${strong("Told")}: ${own.length === 0 ? "not you" : "you"}`,
      countOf(channels.length, "channel", "channels"),
      ...(lost === 0 ? [] : [text`${TONE_SIGNS.bad}${strong(lost)} cannot be reached`]),
      ...(saved === 0 ? [] : [countOf(saved, "party", "parties")]),
    ],
    " · ",
  );
  return withButton(told, { label: "Show", press: { kind: "home", page: 1 }, id: "told" });
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The channels that a person sees, but for direct messages: the app is in no others than its own. */
const CHANNELS: ConversationsSelect = {
  type: "conversations_select",
  action_id: "home:channel",
  placeholder: plainTextElement("Subscribe a channel"),
  filter: { include: ["public", "private"], exclude_bot_users: true },
};

function ownBlock({ text: what, trouble, remove }: Subscription, index: number): SectionBlock {
  const label = "Remove";
  const press: Press = { kind: "ask", ask: remove ?? { command: "alerts list", options: {} }, effect: "reply" };
  const danger = dangerStyle("You are told of it no more.", label);
  const button = { label, press, id: `subscription:${index}`, ...danger };
  return withButton(text`You: ${what}`, button, { after: marked(trouble) });
}

function channelBlock(
  { text: what, trouble, channel }: Subscription,
  index: number,
  { commands }: HomeContent,
): KnownBlock {
  const place = channel === undefined ? {} : { channel };
  const press: Press = { kind: "ask", ask: { command: "alerts list", options: {} }, effect: "reply", ...place };
  if (!commands.some(({ name }) => name === "alerts list")) return line(what);
  return withButton(what, { label: "Show", press, id: `channel:${index}` }, { after: marked(trouble) });
}

/** Why nothing arrives, on a line of its own. */
function marked(trouble: Text | undefined): string {
  return trouble === undefined ? "" : `\n${renderText(text`${TONE_SIGNS.bad}${trouble}`, { max: 600 }).mrkdwn}`;
}

/** A line with a button beside it, where the button can carry its meaning. `before` and `after` are mrkdwn. */
function withButton(
  content: Text,
  button: { label: string; press: Press; id: string } & Pick<Button, "style" | "confirm">,
  { before = "", after = "" }: { readonly before?: string; readonly after?: string } = {},
): SectionBlock {
  const { label, press, id: name, ...look } = button;
  const shown = renderText(content, { max: ROW_LENGTH }).mrkdwn;
  const words = `${before}${shown.trim() === "" ? "–" : shown}${after}`;
  const block: SectionBlock = { type: "section", text: { type: "mrkdwn", text: words, verbatim: true } };
  const value = encodePress(press);
  if (value === undefined) return block;
  const accessory = { action_id: `press:${name}`, text: plainTextElement(label), value, ...look };
  return { ...block, accessory: { type: "button", ...accessory } };
}

function unreadable(): KnownBlock {
  return contextBlock("It cannot be read for the moment. Press Refresh in a minute.");
}

function partyBlocks(command: string, parties: readonly SavedParty[] | "unreadable", page: number): KnownBlock[] {
  const title = headerBlock("Your parties");
  if (parties === "unreadable") return [title, unreadable()];
  if (parties.length === 0) {
    return [
      title,
      line(text`None yet. ${code(`${command} my party <id> [name]`)} saves one: it becomes your default.`),
    ];
  }
  return [
    title,
    ...pageOf(parties, page, PER_PAGE).map((party, index) =>
      withButton(text`${party.name === undefined ? "" : `${party.name} `}${code(shortenId(party.id))}`, {
        label: "Stake",
        press: { kind: "ask", ask: { command: "stake", options: { party: party.id } }, effect: "reply" },
        id: `party:${index}`,
      }),
    ),
  ];
}

/** What a page shows of a list; of a list that ends before it, the last page. */
function pageOf<T>(all: readonly T[], page: number, perPage: number): readonly T[] {
  const last = Math.max(0, Math.ceil(all.length / perPage) - 1);
  const from = Math.min(page, last) * perPage;
  return all.slice(from, from + perPage);
}

/** A select of the pages, where there are several. */
function pageChoice(page: number, pages: number): KnownBlock[] {
  if (pages === 1) return [];
  const options = Array.from({ length: pages }, (_, index) => ({
    text: plainTextElement(`Page ${index + 1} of ${pages}`),
    value: encodePress({ kind: "home", page: index }) ?? "",
  }));
  const [initial] = options.slice(page);
  const select = {
    type: "static_select",
    action_id: "home:page",
    placeholder: plainTextElement("Page"),
    options,
  } as const;
  return [{ type: "actions", elements: [initial === undefined ? select : { ...select, initial_option: initial }] }];
}

function line(content: Text): KnownBlock {
  const shown = renderText(content, { max: ROW_LENGTH }).mrkdwn;
  return sectionBlock(shown.trim() === "" ? "–" : shown);
}

/** Lines in as few sections as hold them. */
function lists(items: readonly Text[]): KnownBlock[] {
  const packed: string[] = [];
  for (const item of items) {
    const content = renderText(item, { max: 500 }).mrkdwn;
    const shown = content.trim() === "" ? "–" : content;
    const open = packed.at(-1);
    if (open !== undefined && open.length + shown.length + 1 <= SECTION_LENGTH)
      packed[packed.length - 1] = `${open}\n${shown}`;
    else packed.push(shown);
  }
  return packed.map(sectionBlock);
}

/** Buttons beside each other, the first thing to do about an alert in colour. */
function buttonRow(name: string, buttons: readonly (readonly [label: string, press: Press])[]): ActionsBlock[] {
  const elements = buttons.flatMap(([label, press], index): Button[] => {
    const value = encodePress(press);
    if (value === undefined) return [];
    const style = label === "Acknowledge" ? ({ style: "primary" } as const) : {};
    return [{ type: "button", action_id: `press:${name}:${index}`, text: plainTextElement(label), value, ...style }];
  });
  return elements.length === 0 ? [] : [{ type: "actions", elements }];
}
