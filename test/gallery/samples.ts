import { writeFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";

import type { AnswerAudience } from "../../src/adapters/adapter.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { type Clock, systemClock } from "../../src/api/clock.ts";
import { parseLine } from "../../src/bot/grammar/grammar.ts";
import type { Bot } from "../../src/bot/bot.ts";
import type { Caller, Target } from "../../src/bot/invocation.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Ask, Reply } from "../../src/reply/reply.ts";
import { formatUtc, nanoseconds, type Nanoseconds, toMillis } from "../../src/units/time.ts";
import { alertMessages, at } from "../support/gallery/alert-messages.ts";
import { fillIn, LINES, TRIALS } from "../support/gallery/lines.ts";
import { keepAMonth } from "../support/kept-looks.ts";
import { NOON } from "../support/talk.ts";
import type { SimulatorTalk } from "../support/simulator-talk.ts";
import { tellIncident } from "./incident.ts";
import { openWatchedTalk, type WatchedTalk } from "./watched.ts";
import { PLATFORMS } from "../support/platforms.ts";

/** Where a sample is shown, in the order of the page. */
export const SURFACES = ["discord", "slack", "web", "terminal"] as const;
export type Surface = (typeof SURFACES)[number];

/** One reply as one surface gets it. */
export interface Shown {
  readonly reply: Reply;
  readonly as: AnswerAudience | "alert";
  /** When it is looked at. */
  readonly now: Nanoseconds;
  /** The question that a form answers instead, where the platform has one: its command, and what the form begins with. */
  readonly form?: Ask;
}

/** The answers to one line on all surfaces, or one alert. */
export interface Sample {
  /** Kebab-case and unique; the same in every page, so that pages can be laid side by side. */
  readonly id: string;
  readonly group: string;
  /** The line typed, or the title of the alert. */
  readonly title: string;
  readonly shown: Readonly<Record<Surface, Shown>>;
}

const files = { maxBytes: 1e7, maxCount: 10 };
const HERE: Readonly<Record<Surface, Target>> = {
  discord: { platform: "discord", workspace: "99", channel: "1122334455667788990", files },
  slack: { platform: "slack", workspace: "T0123ABCD", channel: "C0123ABCD", files },
  web: { platform: "web", files },
  terminal: { platform: "terminal", files },
};
const CALLERS: Readonly<Record<Surface, Caller>> = {
  discord: { id: "41", name: "ann", mayManageChannel: true },
  slack: { id: "U0123ANN", name: "ann", mayManageChannel: true },
  web: { id: "console", name: "the console", mayManageChannel: true },
  terminal: { id: "terminal", name: "ann", mayManageChannel: true },
};

/** What is asked while an alert is open: one of two nodes is down. */
const INCIDENT = [
  "alerts status",
  "alerts list",
  "alerts ack node.down",
  "alerts silence node.down for:2h",
  "alerts silences",
  "alerts why",
  "alerts why node.down",
  "alerts told",
  "alerts log",
];

/** What is asked by somebody who chose a time zone. */
const ZONED = [
  "my zone europe/zurich",
  "time",
  "alerts add ops quiet:22:00-07:00",
  "alerts list",
  "alerts edit <subscription>",
  "alerts silence node.down until:22:00",
  "alerts silence market.auction from:23:00 for:1h",
  "alerts silence network.stalled from:23:00 for:1h every:day",
  "alerts silence node.lagging from:23:00 for:1h zone:America/New_York",
  "alerts silences",
  "alerts status",
  "alerts log",
  "alerts log silence",
  "alerts log since:10:00",
  "alerts told",
  "stake <party>",
  "ledger export <party> USDT from:1d",
  "ledger list",
  "ledger cancel 00000001",
  "alerts unsilence <silence>",
];

/** What cannot be answered, and why not: no right to ask, several meanings, no data node, no database. */
const FAULTS: readonly (readonly [name: string, lines: readonly string[], before: (talk: SimulatorTalk) => unknown])[] =
  [
    [
      "no right",
      ["alerts add ops", "alerts silence all 1h", "answers set everyone"],
      (talk) => talk.become({ caller: NEWCOMER }),
    ],
    [
      "ambiguous",
      [
        "market show BTC",
        "alerts add node.lagging sim",
        "alerts add market.price BTC,ETH",
        "alerts silence node.down sim",
      ],
      () => undefined,
    ],
    ["no node", ["time", "market list"], (talk) => talk.simulator.faults.set({ kind: "die", network: "mainnet" })],
    ["no database", ["alerts add ops", "my parties"], overwriteDatabase],
  ];
const NEWCOMER: Caller = { id: "newcomer", name: "new", mayManageChannel: false };

const SUBJECTS: readonly (readonly [name: string, lines: readonly string[], before: (talk: WatchedTalk) => unknown])[] =
  [
    ...Object.entries(LINES).map(([name, lines]) => [name, lines, () => undefined] as const),
    ["incident", INCIDENT, oneNodeDown],
    ["zoned", ZONED, oneNodeDown],
    ["trials", TRIALS, ({ store, now }) => keepAMonth(store, toMillis(now()))],
    ...FAULTS,
  ];

/** All samples. Each is to be drawn before the next one is asked for: its files are open until then. */
export async function* samples(): AsyncGenerator<Sample> {
  for (const [group, lines, before] of SUBJECTS) yield* answersTo(group, lines, before);
  yield* toldSamples();
  yield* alertSamples();
}

/** One conversation on each surface at a Thursday noon, with the same lines. */
export async function* answersTo(
  group: string,
  lines: readonly string[],
  before: (talk: WatchedTalk) => unknown = () => undefined,
): AsyncGenerator<Sample> {
  // A drill that something delivers takes half a minute of real time.
  const delivering = lines.some((line) => line.startsWith("alerts drill")) ? [] : ["discord", "slack", "web"];
  await using discord = await talkOn("discord", delivering);
  await using slack = await talkOn("slack", delivering);
  await using web = await talkOn("web", delivering);
  await using terminal = await talkOn("terminal", delivering);
  const talks = { discord, slack, web, terminal };
  await Promise.all(Object.values(talks).map(before));
  const name = namer(group);
  for (const line of lines) {
    const answers = SURFACES.map(async (surface) => [surface, await ask(talks[surface], line, surface)] as const);
    const shown = Object.fromEntries(await Promise.all(answers)) as Record<Surface, Shown>;
    yield { id: name(line), group, title: line, shown };
  }
}

async function talkOn(surface: Surface, delivering: readonly string[]): Promise<WatchedTalk> {
  let deliveries = 0;
  const newId = (): string => `${(deliveries += 1)}`.padStart(22, "d");
  // Two looks of 5 s later it is noon.
  const begun = nanoseconds(NOON - 10_000_000_000n);
  const talk = await openWatchedTalk({ nodes: 3, at: begun, delivering, waits: passingClock(), newId });
  talk.become({ here: HERE[surface], caller: CALLERS[surface] });
  await talk.watch(2);
  return talk;
}

async function oneNodeDown(talk: WatchedTalk): Promise<void> {
  await talk.askFor("alerts add node.down,network.stalled");
  talk.simulator.faults.set({ kind: "die", network: "mainnet", node: 3 });
  await talk.watch(4);
}

async function overwriteDatabase({ askFor, database }: SimulatorTalk): Promise<void> {
  await askFor("alerts add ops");
  await writeFile(database, "no database".repeat(1000));
}

async function ask(talk: SimulatorTalk, sample: string, surface: Surface): Promise<Shown> {
  const line = await fillIn(sample, talk);
  const reply = await talk.askFor(line);
  const as = audience(talk.bot, line, reply, surface, talk.now());
  const form = reply.failure === undefined ? await formOf(talk, line, surface) : undefined;
  const zone =
    surface === "terminal" ? await talk.bot.zoneOf({ here: HERE[surface], caller: CALLERS[surface] }) : "UTC";
  const said = zone === "UTC" ? reply : { ...reply, zone };
  const shown = { reply: steady(said, await shortIds(talk)), as, now: talk.now() };
  return form === undefined ? shown : { ...shown, form };
}

/** Undefined unless the line names nothing but the thing that its command changes. */
async function formOf({ bot, now }: SimulatorTalk, line: string, surface: Surface): Promise<Ask | undefined> {
  const { command, options } = askIn(line, bot, now());
  const edits = bot.commands.find(({ name }) => name === command)?.edits;
  if (edits === undefined || Object.keys(options).join(" ") !== edits.option) return undefined;
  const asked = { command, options, here: HERE[surface], caller: CALLERS[surface] };
  const present = await bot.present({ ...asked, signal: new AbortController().signal });
  return present === undefined ? undefined : { command, options: present };
}

/** What the bot takes a line for: a command with its values, else a question in plain words. */
function askIn(line: string, { commands }: Bot, now: Nanoseconds): Ask {
  try {
    return parseLine(line, commands, now);
  } catch {
    return { command: "ask", options: { question: line } };
  }
}

/** Who sees the answer in a channel; a mistake is the asker's own business. */
function audience(bot: Bot, line: string, reply: Reply, surface: Surface, now: Nanoseconds): AnswerAudience {
  const asker: AnswerAudience = { visibility: "caller", isDefault: true };
  if (reply.failure !== undefined) return asker;
  const given = askIn(line, bot, now);
  const here = HERE[surface];
  const prepared = bot.prepare({ ...given, here, caller: CALLERS[surface], signal: AbortSignal.abort() });
  if (!prepared.ok) return asker;
  const isChosen = "private" in given.options || bot.audience(given.command, here) !== undefined;
  const { refresh, share } = bot.commonButtons(given.command);
  const again = refresh ? { ask: given } : {};
  const personal = share ? {} : { personal: true as const };
  return { visibility: prepared.visibility, isDefault: !isChosen, ...again, ...personal };
}

/** What a channel is told while a network is in trouble, message by message. */
async function* toldSamples(): AsyncGenerator<Sample> {
  const name = namer("told");
  for (const { at: now, how, reply } of await tellIncident()) {
    const clock = formatUtc(now).slice(11, 19);
    const title = `${clock} ${how}: ${plainText(reply.title)}`;
    yield { id: name(`${clock} ${how}`), group: "told", title, shown: everywhere(reply, now) };
  }
}

/** An alert, which is the same on all surfaces. */
function everywhere(reply: Reply, now: Nanoseconds): Sample["shown"] {
  const shown = { reply, as: "alert", now } as const;
  return { discord: shown, slack: shown, web: shown, terminal: shown };
}

/** Every alert that is worded differently, with all facts that one can have. */
export function* alertSamples(): Generator<Sample> {
  const name = namer("alert");
  for (const [message, context] of alertMessages) {
    const reply = describe(message, context, PLATFORMS);
    const kind =
      "episode" in message ? message.episode.kind : message.type === "event" ? message.event.kind : message.type;
    const phase = "phase" in message ? ` ${message.phase}` : "";
    const title = plainText(reply.title);
    // It is read a minute after the last thing that it tells.
    const told = [...JSON.stringify(message).matchAll(/\b17\d{17}\b/gu)].map(([moment]) => BigInt(moment));
    const last = told.reduce((latest, moment) => (moment > latest ? moment : latest), BigInt(at));
    const now = nanoseconds(last + 60_000_000_000n);
    yield { id: name(`${kind}${phase}`), group: "alerts", title, shown: everywhere(reply, now) };
  }
}

/** Names that stay the same from run to run: `markets-market-show`, the second of a name with `-2`. */
function namer(group: string): (words: string) => string {
  const taken = new Map<string, number>();
  return (words) => {
    const slug = `${group} ${words}`
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/gu, "-")
      .replaceAll(/^-|-$/gu, "");
    const count = (taken.get(slug) ?? 0) + 1;
    taken.set(slug, count);
    return count === 1 ? slug : `${slug}-${count}`;
  };
}

/** The ids that subscriptions and silences got by chance, in the order in which they were made. */
async function shortIds({ engine }: SimulatorTalk): Promise<readonly string[]> {
  const silences = await engine.silences();
  return [...(await engine.subscriptions()), ...silences].map(({ id }) => id);
}

/** A reply without what differs from run to run: the ids made by chance, and how long a request took. */
function steady(reply: Reply, ids: readonly string[]): Reply {
  const say = (text: string): string =>
    ids
      .reduce((said, id, index) => said.replaceAll(id, `k7m${"23456789"[index % 8]}w`), text)
      .replaceAll(/127\.0\.0\.1:\d+/gu, "core.example.net:3003")
      .replaceAll(/\b\d+(?:\.\d+)? ms\b/gu, "42 ms");
  return mapTexts(reply, say);
}

/** The same value with every text in it replaced; functions stay. */
function mapTexts<T>(value: T, say: (text: string) => string): T {
  if (typeof value === "string") return say(value) as T;
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, say)) as T;
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts<unknown>(one, say)])) as T;
}

/** A clock on which a wait lasts one turn of the event loop: here nothing delivers. */
function passingClock(): Clock {
  let millis = 0;
  return {
    ...systemClock,
    monotonicMillis: () => millis,
    async sleep(wait, signal) {
      millis += wait;
      await setImmediate(undefined, signal === undefined ? {} : { signal });
    },
  };
}
