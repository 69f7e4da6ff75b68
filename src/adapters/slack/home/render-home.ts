import type { ConversationsSelect, HomeView, KnownBlock, SectionBlock } from "@slack/types";

import type { AnyCommand } from "../../../bot/command.ts";
import type { Ask, Tone } from "../../../reply/reply.ts";
import { code, joinText, shortenId, strong, text, type Text, time } from "../../../reply/text.ts";
import { fromMillis, type Milliseconds } from "../../../units/time.ts";
import type { HomeSilence, HomeStanding, OpenAlert, SavedParty, Subscription } from "../../chat/home-data.ts";
import type { HomeList, HomePlace, Press } from "../../chat/press.ts";
import { TONE_SIGNS } from "../../chat/tone-signs.ts";
import { MAX_OPTIONS, MAX_VIEW_BLOCKS, SECTION_LENGTH } from "../limits.ts";
import { contextBlock, headerBlock } from "../render/blocks.ts";
import { dangerStyle } from "../render/buttons.ts";
import { plainTextElement, renderText } from "../render/mrkdwn.ts";
import { encodePress } from "../render/press.ts";
import { buttonRow, greeting, hint, line, lists, marked, unreadable, withButton } from "./home-blocks.ts";

// The tab is one screen of a phone: an overview, which names the worst and counts the rest, and lists with pages.

/** How many open alerts the overview names: with what came of a press it is not longer than a screen. */
const WORST = 2;
/** How many silences, subscriptions and saved parties together the overview names: of more it says how many. */
const FEW = 2;
/** How many rows a page of a list has; open alerts come page by page. */
const PER_PAGE = { silences: 5, told: 4, parties: 8 } as const;
const LIST_NAMES: Readonly<Record<HomeList, string>> = {
  alerts: "Open alerts",
  silences: "Silences",
  told: "Who is told",
  parties: "Your parties",
};

/** What came of a press in the tab. */
export interface HomeNotice {
  readonly tone: Tone;
  readonly text: Text;
}

/** `unreadable`: the store did not answer. */
interface HomeContent {
  readonly place: HomePlace;
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

/** The app's home tab: its overview, or a page of one of its lists. Pure and total. */
export function renderHome(content: HomeContent): HomeView {
  const { command, answered, notice } = content;
  const pages = pagesOf(content);
  const place = placeIn(pages, content.place);
  const blocks: KnownBlock[] = [
    ...(answered === undefined
      ? []
      : [line(text`The answer to ${code(`${command} ${answered.command}`)} is under Messages, beside this tab.`)]),
    ...(notice === undefined ? [] : [line(text`${TONE_SIGNS[notice.tone]}${notice.text}`)]),
    titleBlock(content, place),
    ...(place.list === undefined
      ? overviewBlocks(content)
      : [...listBlocks(content, place.list, place.page), choiceOfPlace(pages, place)]),
  ];
  return { type: "home", blocks: blocks.slice(0, MAX_VIEW_BLOCKS) };
}

/** How many pages each list has. */
function pagesOf(content: HomeContent): ReadonlyMap<HomeList, number> {
  const { own, channels, saved, open, silences } = countable(content);
  const pages = (rows: readonly unknown[], perPage: number): number => Math.ceil(rows.length / perPage);
  const told = pages([...own, ...channels], PER_PAGE.told);
  return new Map([
    ["alerts", content.standing === "unreadable" || open.length === 0 ? 0 : content.standing.pages],
    ["silences", pages(silences, PER_PAGE.silences)],
    ["told", Math.max(1, told)],
    ["parties", pages(saved, PER_PAGE.parties)],
  ]);
}

/** The page asked for, or the last one before it; the overview where the list is empty by now. */
function placeIn(pages: ReadonlyMap<HomeList, number>, { list, page }: HomePlace): HomePlace {
  const count = list === undefined ? 0 : (pages.get(list) ?? 0);
  return count === 0 ? { page: 0 } : { list, page: Math.min(page, count - 1) };
}

/** What could be read. */
function countable({ parties, standing, subscriptions }: HomeContent) {
  const { open = [], more = 0, silences = [] } = standing === "unreadable" ? {} : standing;
  const all = subscriptions === "unreadable" ? [] : subscriptions;
  return {
    open,
    more,
    silences,
    own: troubledFirst(all.filter(({ remove }) => remove !== undefined)),
    channels: troubledFirst(all.filter(({ remove }) => remove === undefined)),
    saved: parties === "unreadable" ? [] : parties,
  };
}

function troubledFirst(all: readonly Subscription[]): readonly Subscription[] {
  return all.toSorted((a, b) => Number(a.trouble === undefined) - Number(b.trouble === undefined));
}

/** How many alerts are open, of when that is, and Refresh. */
function titleBlock({ standing, at }: HomeContent, place: HomePlace): KnownBlock {
  const asOf = text`As of ${time(fromMillis(at))}`;
  const refresh = { label: "Refresh", press: { kind: "home", ...place } as const, id: "refresh" };
  if (standing === "unreadable") return withButton(asOf, refresh);
  const { tone, text: title } = standing.title;
  const before = `${TONE_SIGNS[tone]}${renderText(title, { max: 500 }).mrkdwn}\n`;
  return withButton(asOf, refresh, { before });
}

/** The worst open alerts with what to do about them, the verdict on each network, what is silenced, who is told, and how to begin. */
function overviewBlocks(content: HomeContent): KnownBlock[] {
  const { command, commands, parties, standing, subscriptions } = content;
  const { own, channels, saved, open, more, silences } = countable(content);
  const worst = open.slice(0, WORST);
  const others = more + open.length - worst.length;
  const isOffered = (name: string): boolean => commands.some((one) => one.name === name);
  const named = own.length + channels.length + saved.length;
  const isNew = parties !== "unreadable" && subscriptions !== "unreadable" && named === 0;
  const isShort = open.length === 0 && silences.length + named <= FEW;
  return [
    ...worst.flatMap(alertBlocks),
    ...(others === 0 ? [] : [leading(text`${strong(others)} more`, "All alerts", "alerts")]),
    headerBlock("Networks"),
    ...(standing === "unreadable"
      ? [unreadable()]
      : lists(standing.networks.map(({ tone, text: shown }) => text`${TONE_SIGNS[tone]}${shown}`))),
    ...(silences.length === 0
      ? []
      : isShort || (silences.length === 1 && open.length < WORST)
        ? [headerBlock("Silenced"), ...silences.map(silenceBlock)]
        : [leading(text`${strong("Silenced")}: ${silences.length}`, "All silences", "silences")]),
    ...buttonRow("begin", [
      ["Ask a question", { kind: "question" }],
      ...QUESTIONS.filter(([, name]) => isOffered(name)).map(([label, name]) => [label, asking(name)] as const),
    ]),
    ...(isShort && isNew ? [greeting()] : []),
    ...(isShort ? subscriptionBlocks(content, [...own, ...channels]) : toldLines(content)),
    ...(isShort && isOffered("my party") && (isNew || saved.length > 0) ? partyBlocks(parties, saved) : []),
    ...(isShort ? [hint(command)] : []),
  ];
}

/** What the tab asks at a press. */
const QUESTIONS = [
  ["Markets", "market list"],
  ["Help", "help"],
] as const;

/** A page of a list, under its name. */
function listBlocks(content: HomeContent, list: HomeList, page: number): KnownBlock[] {
  const { own, channels, saved, open, silences } = countable(content);
  const rowsOf = <T>(all: readonly T[], perPage: number): readonly T[] =>
    all.slice(page * perPage, (page + 1) * perPage);
  switch (list) {
    case "alerts":
      return open.flatMap(alertBlocks);
    case "silences":
      return [headerBlock("Silenced"), ...rowsOf(silences, PER_PAGE.silences).map(silenceBlock)];
    case "told":
      return subscriptionBlocks(content, rowsOf([...own, ...channels], PER_PAGE.told));
    case "parties":
      return partyBlocks(content.parties, rowsOf(saved, PER_PAGE.parties));
  }
}

/** A line that counts what stands in a list, with the button that leads there. */
function leading(words: Text, label: string, list: HomeList): KnownBlock {
  return withButton(words, { label, press: { kind: "home", list, page: 0 }, id: list });
}

/** The way back to the overview, and to all pages of the lists; of more than a menu holds, those around this one. */
function choiceOfPlace(pages: ReadonlyMap<HomeList, number>, place: HomePlace): KnownBlock {
  const all = Array.from(pages).flatMap(([list, count]) =>
    Array.from({ length: count }, (_, page) => ({
      here: list === place.list && page === place.page,
      label: plainTextElement(count === 1 ? LIST_NAMES[list] : `${LIST_NAMES[list]}, page ${page + 1} of ${count}`),
      value: encodePress({ kind: "home", list, page }) ?? "",
    })),
  );
  const at = all.findIndex(({ here }) => here);
  const from = Math.max(0, Math.min(at - MAX_OPTIONS / 2, all.length - MAX_OPTIONS));
  const options = all.slice(from, from + MAX_OPTIONS).map(({ label, value }) => ({ text: label, value }));
  const [initial] = options.slice(at - from);
  const select = {
    type: "static_select",
    action_id: "home:page",
    placeholder: plainTextElement("Page"),
    options,
    ...(initial === undefined ? {} : { initial_option: initial }),
  } as const;
  const [back] = buttonRow("overview", [["Overview", { kind: "home", page: 0 }]]);
  return { type: "actions", elements: [...(back?.elements ?? []), select] };
}

function asking(name: string): Press {
  return { kind: "ask", ask: { command: name, options: {} }, effect: "reply" };
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
function subscriptionBlocks(content: HomeContent, shown: readonly Subscription[]): KnownBlock[] {
  const { command, commands, botName, manages, at, subscriptions } = content;
  const title = headerBlock("Who is told");
  if (subscriptions === "unreadable") return [title, unreadable()];
  const may = commands.some(({ name }) => name === "alerts add");
  const others = text` Those that others subscribed are not listed: ${code(`${command} alerts list`)} there.`;
  const note = text`A channel needs the app: ${code(`/invite @${botName}`)}.${manages === "all" ? "" : others}`;
  const [me] = buttonRow("me", [["Subscribe me", { kind: "form", ask: { command: "alerts add", options: {} } }]]);
  return [
    title,
    ...(countable(content).own.length === 0 ? [line(text`You are told of nothing yet.`)] : []),
    ...shown.flatMap((one, index) => [
      one.remove === undefined ? channelBlock(one, index, content) : ownBlock(one, one.remove, index),
      ...noiseBlocks(one, index),
    ]),
    // In a block of another name nothing is chosen any more: the same channel can be chosen again.
    ...(me === undefined || !may
      ? []
      : [{ ...me, block_id: `told:${at}`, elements: [...me.elements, ...(manages === "none" ? [] : [CHANNELS])] }]),
    ...(manages === "none" ? [] : [contextBlock(renderText(note, { max: SECTION_LENGTH }).mrkdwn)]),
  ];
}

/** How many are told, and what does not arrive; the lists have them. */
function toldLines(content: HomeContent): KnownBlock[] {
  const { own, channels, saved } = countable(content);
  const lost = [...own, ...channels].filter(({ trouble }) => trouble !== undefined).length;
  const inChannels = channels.length === 0 ? [] : [countOf(channels.length, "channel", "channels")];
  const places = [...(own.length === 0 ? [] : ["you"]), ...inChannels];
  const told = joinText(
    [
      text`${strong("Alerts go to")}: ${places.length === 0 ? "nobody yet" : places.join(", ")}`,
      ...(lost === 0 ? [] : [text`${TONE_SIGNS.bad}${strong(lost)} cannot be reached`]),
    ],
    " · ",
  );
  const parties = countOf(saved.length, "party", "parties");
  return [
    ...(content.subscriptions === "unreadable" ? [unreadable()] : [leading(told, "Show", "told")]),
    ...(saved.length === 0 ? [] : [leading(text`${strong("Saved")}: ${parties}`, "Show", "parties")]),
  ];
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

function ownBlock({ text: what, trouble }: Subscription, remove: Ask, index: number): SectionBlock {
  const label = "Remove";
  const press: Press = { kind: "ask", ask: remove, effect: "reply" };
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

/** What tells very often, with what to do about it: a channel's subscriptions are changed where they are listed. */
function noiseBlocks({ noise = [], channel }: Subscription, index: number): KnownBlock[] {
  const place = channel === undefined ? {} : { channel };
  return noise.flatMap(({ text: what, change, leave }, at) => {
    const changing: Press =
      channel === undefined ? { kind: "form", ask: change } : { ...asking("alerts list"), ...place };
    return [
      line(what),
      ...buttonRow(`noise:${index}:${at}`, [
        ["Change", changing],
        ["Leave it", { kind: "ask", ask: leave, effect: "replace", ...place }],
      ]),
    ];
  });
}

function partyBlocks(parties: readonly SavedParty[] | "unreadable", shown: readonly SavedParty[]): KnownBlock[] {
  const title = headerBlock("Your parties");
  if (parties === "unreadable") return [title, unreadable()];
  if (parties.length === 0) {
    return [
      title,
      withButton(text`None yet. The first that you save becomes your default.`, {
        label: "Save my party",
        press: { kind: "form", ask: { command: "my party", options: {} } },
        id: "party",
      }),
    ];
  }
  return [
    title,
    ...shown.map((party, index) =>
      withButton(text`${party.name === undefined ? "" : `${party.name} `}${code(shortenId(party.id))}`, {
        label: "Stake",
        press: { kind: "ask", ask: { command: "stake", options: { party: party.id } }, effect: "reply" },
        id: `party:${index}`,
      }),
    ),
  ];
}
