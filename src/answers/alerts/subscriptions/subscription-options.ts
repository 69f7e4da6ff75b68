import { ALERT_KINDS, type AlertKind, isPersonalKind } from "../../../alerts/judge/kinds/kinds.ts";
import { SEVERITIES } from "../../../alerts/judge/kinds/kind.ts";
import { stem } from "../../../bot/grammar/stem.ts";
import { type Options, plainChoices, type Said, type TextOption } from "../../../bot/options/options.ts";
import { isKindWord, KIND_CHOICES, parseKinds } from "../alert-kinds.ts";
import { suggested } from "../alert-options.ts";
import { saidRun } from "../../../bot/options/said.ts";
import { findSubjects, saidKinds, saidSubject, suggestKindsOf, suggestSubjects } from "../alert-subjects.ts";
import { MARKET } from "../../ids/ids.ts";
import { saidId } from "../../ids/typed-ids.ts";
import { suggestQuietHours, ZONE_OPTION } from "../alert-times.ts";
import { readQuietHours, readGuidance } from "./notification-settings.ts";
import { saidSubscription, suggestResumable, suggestSubscriptions } from "./subscriptions.ts";
import { MOST_BLOCKS, MOST_ROUNDS, orOff, positiveAmount, readFactor, readIf, waitingSpan } from "./thresholds.ts";

// Headings of the form; what has none stands above them.
const PRICES = "Prices";
const WHEN = "When it is told";
const HOW = "How it is told";

/** What a threshold of each form has in common. */
const PRICE = { kind: "text", section: PRICES, none: "off", reads: orOff(positiveAmount) } as const;
const NUMBER = { ...PRICE, section: WHEN } as const;
const SPAN = { ...NUMBER, reads: orOff(waitingSpan) } as const;
/** `if` takes it, too. */
const RARE = { within: "if" } as const;
const COUNT = { kind: "integer", section: WHEN, min: 1 } as const;

const OTHER_VALUE = /^(?:spreads?|volume|interest|liquidity|bids?|offers?|bounds?|stake|last|%|percent)$/u;

/** A price of a market that a question names, behind such a word; to be reached, behind the market itself: `BTC 100k`. */
function saidPrice(behind: RegExp): NonNullable<TextOption["said"]> {
  return async (words, context) => {
    const market = await saidId(MARKET)(words, context);
    const before = behind === ABOVE ? market?.words : [];
    const leads = (word = ""): boolean => behind.test(word) || before?.includes(word) === true;
    const at = words.findIndex((word, index) => leads(words[index - 1]) && /^\d[\d,.]*[km]?$/u.test(word));
    if (market === undefined || at === -1 || words.some((word) => OTHER_VALUE.test(word))) return undefined;
    const own = words.filter((word) => behind.test(word) || /^(?:mark|markets?|prices?)$/u.test(word));
    return { value: words[at] ?? "", words: [words[at] ?? "", ...own] };
  };
}

const ABOVE = /^(?:above|over|beyond|exceeds|reaches|hits|past|at)$/u;
const BELOW = /^(?:below|under|beneath)$/u;

/** Another value of a market, in the words of a condition: `spread above 1%`. */
function saidCondition(words: readonly string[]): Said | undefined {
  const value = saidRun(words, (typed) => /^(?:spread|open interest)$/u.test(typed));
  const at = words.findIndex((word) => ABOVE.test(word) || BELOW.test(word));
  const [way = "", figure = ""] = [words[at], words[at + 1]];
  if (value === undefined || !/^\d[\d,.]*[km%]?$/u.test(figure)) return undefined;
  return {
    value: `${value.value} ${ABOVE.test(way) ? "above" : "below"} ${figure}`,
    words: [...value.words, way, figure],
  };
}

/** Thresholds, each for the kinds that its description names. */
const THRESHOLDS = {
  high: {
    ...PRICE,
    label: "Above",
    said: saidPrice(ABOVE),
    example: "70000",
    hint: "Tell when the mark price is above this",
    description: "market.price: tell when the mark is above this",
  },
  low: {
    ...PRICE,
    label: "Below",
    said: saidPrice(BELOW),
    example: "50000.5",
    hint: "Tell when the mark price is below this",
    description: "market.price: tell when the mark is below this",
  },
  when: {
    kind: "choice",
    label: "Beyond or within",
    section: PRICES,
    hint: "Outside of the two prices, or between them",
    description: "market.price: beyond low and high, or within them",
    choices: [
      { label: "beyond: above or below", value: "beyond" },
      { label: "within: between the two", value: "within" },
    ],
  },
  percent: {
    ...PRICE,
    label: "Percent from a bound",
    example: "0.5",
    hint: "This near to a price bound, in percent of the price",
    description: "market.bound: this near to a bound, in percent of the price",
  },
  for: {
    ...SPAN,
    label: "Told after",
    example: "2m",
    hint: "A stall, a lag, a clock, an auction: once it has lasted this long",
    description: "Tell once it has lasted this long: stalled, disagree, clock, lagging, refuses, auction",
  },
  "critical-for": {
    ...SPAN,
    label: "Critical after",
    example: "5m",
    hint: "A stall: critical once it has lasted this long",
    description: "network.stalled, network.disagree: critical once it has lasted this long",
  },
  drift: {
    ...SPAN,
    ...RARE,
    label: "Clock off by",
    example: "1m",
    hint: "The network's time: this far from the bot's clock",
    description: "network.clock: this far from the bot's clock",
  },
  rounds: {
    ...COUNT,
    ...RARE,
    label: "Looks in a row",
    hint: "Nodes that do not answer: after so many failed looks",
    description: "node.down, watch.blind: after this many failed looks in a row",
    max: MOST_ROUNDS,
  },
  behind: {
    ...SPAN,
    label: "Time behind",
    example: "2m",
    hint: "A node: this far behind the network's time",
    description: "node.lagging: this far behind the network's time",
  },
  blocks: {
    ...COUNT,
    label: "Blocks behind",
    hint: "A node: so many blocks behind the network",
    description: "node.lagging: this many blocks behind",
    max: MOST_BLOCKS,
  },
  factor: {
    ...NUMBER,
    ...RARE,
    reads: orOff(readFactor),
    label: "Times the usual spacing",
    example: "3",
    hint: "A checkpoint or snapshot: so many times the usual spacing",
    description: "checkpoint.overdue, snapshot.overdue: this many times the usual spacing",
  },
  "at-least": {
    ...SPAN,
    ...RARE,
    label: "Overdue after",
    example: "10m",
    hint: "A checkpoint or snapshot: and at least this long",
    description: "checkpoint.overdue, snapshot.overdue: and at least this long",
  },
} as const satisfies Options;

/** Behind those before it, so that values without names mean what they meant. */
const IF = {
  ...PRICE,
  label: "Tell when",
  example: "mark above 70,000",
  maxLength: 300,
  reads: orOff(readIf),
  said: saidCondition,
  hint: "As in spread above 0.5%, mark changes 5% within 10min; then once, until 18:00, as critical",
  description: "market.value: mark above 70,000; last below 5 or above 7; mark changes 5% within 10min once",
} as const;

const NOTIFICATION_SETTINGS = {
  severity: {
    kind: "choice",
    label: "Severity at least",
    hint: "",
    description: "Tell only from this severity on",
    choices: plainChoices(SEVERITIES),
  },
  style: {
    kind: "choice",
    label: "Messages",
    section: HOW,
    description: "live: a card that is edited; thread: a card with a thread; plain: a message for each state",
    hint: "",
    choices: [
      { label: "live: a card that is edited", value: "live" },
      { label: "thread: a card with a thread", value: "thread" },
      { label: "plain: a message for each state", value: "plain" },
    ],
  },
  events: {
    kind: "choice",
    label: "Frequent events",
    section: HOW,
    description: "usual: frequent ones in one message a day; each: one by one; rolling: all in one a day",
    hint: "",
    choices: [
      { label: "usual: frequent ones in one message a day", value: "usual" },
      { label: "each: one by one", value: "each" },
      { label: "rolling: all in one message a day", value: "rolling" },
    ],
  },
  quiet: {
    kind: "text",
    label: "Quiet hours",
    hint: "Only critical alerts then; the rest after",
    description: "Quiet hours: only critical alerts, the rest as a digest after; off = none",
    example: "22:00-07:00",
    none: "off",
    suggest: suggestQuietHours,
    reads: readQuietHours,
  },
  zone: {
    ...ZONE_OPTION,
    label: "Time zone",
    section: HOW,
    hint: "That of the quiet hours",
    description: "The time zone of the quiet hours; left out = yours",
  },
  mention: {
    kind: "text",
    label: "Whom to notify",
    section: HOW,
    none: "off",
    hint: "A group; notified of what is critical",
    mention: { picked: "A role or a member, for critical alerts" },
    description: "Role to notify of what is critical; off = nobody",
    example: "@oncall",
    wording: ({ chats }) => {
      const whom = ["Role to notify of what is critical", ...chats.flatMap(({ mentionHint }) => mentionHint ?? [])];
      return { description: `${whom.join("; ")}. off = nobody`, example: "@oncall" };
    },
  },
  note: {
    kind: "text",
    section: HOW,
    none: "off",
    hint: "A sentence of yours, shown in its alerts",
    description: "A sentence of yours, shown in its alerts; off = none",
    reads: readGuidance,
    example: "Call the validators' hotline",
    maxLength: 300,
  },
  runbook: {
    kind: "text",
    section: HOW,
    none: "off",
    hint: "The address of a runbook, shown in its alerts",
    description: "The address of a runbook, shown in its alerts; off = none",
    reads: readGuidance,
    example: "https://example.org/runbook",
    maxLength: 500,
  },
} as const satisfies Options;

/** Behind all others, so that values without names mean what they meant. */
const CHART = {
  kind: "choice",
  label: "Pictures",
  section: HOW,
  hint: "",
  description: "on: a picture in the message of an alert; off: none",
  choices: [
    { label: "on: a picture in the message of an alert", value: "on" },
    { label: "off: none", value: "off" },
  ],
} as const;

/** Kinds by their names and nouns; else `markets`, and `node alerts`: those of the group `nodes`. */
const saidKindsOrGroup: NonNullable<TextOption["said"]> = async (words, context) => {
  if (saidCondition(words) !== undefined) return { value: "market.value", words: [] };
  const isOfGroup = (one: string, at: number): boolean =>
    isKindWord(`${one}s`) && /^(?:alert|alarm|notification|incident|problem|issue)s?$/u.test(words[at + 1] ?? "");
  const at = words.findIndex(isOfGroup);
  const group = at === -1 ? undefined : { value: `${words[at]}s`, words: words.slice(at, at + 2) };
  const own = saidRun(words, (typed) => PERSONAL.has(stem(typed)));
  const personal = own && { ...own, value: PERSONAL.get(stem(own.value)) ?? own.value };
  return (await saidKinds(words, context)) ?? group ?? personal ?? saidRun(words, isKindWord);
};

/** What one person watches, by what it is about. */
const PERSONAL: ReadonlyMap<string, AlertKind> = new Map(
  ALERT_KINDS.filter(isPersonalKind).map((kind) => [stem(kind.slice(0, kind.indexOf("."))), kind]),
);

const KINDS = {
  kind: "text",
  description: "Kinds or groups, with commas between; left out = ops",
  example: "ops",
  label: "Alerts",
  question: "Subscribe to which alerts?",
  narrows: true,
  said: saidKindsOrGroup,
  hint: "None chosen: the usual ops alerts",
  maxLength: 600,
  several: KIND_CHOICES,
  decides: true,
  suggest: suggestKindsOf,
  reads: (_option: string, typed: string) => parseKinds(typed),
} as const;

const SUBJECTS = {
  kind: "text",
  label: "Markets or nodes",
  hint: "None chosen: all. An order or a party: its id",
  several: "suggested",
  none: "all",
  description: "Only these markets or nodes; or the order, party or bundle to watch",
  example: "BTC/USDT",
  maxLength: 1500,
  suggest: suggestSubjects,
  said: saidSubject,
  finds: findSubjects,
} as const;

export const SUBSCRIPTION_OPTIONS = {
  kinds: KINDS,
  subjects: SUBJECTS,
  ...THRESHOLDS,
  ...NOTIFICATION_SETTINGS,
  if: IF,
  chart: CHART,
} as const satisfies Options;

/** Those that decide what is told, and none of how. */
export const TRIED_OPTIONS = {
  kinds: { ...KINDS, reads: (_option: string, typed: string) => parseKinds(typed, "alerts try") },
  subjects: SUBJECTS,
  ...THRESHOLDS,
  severity: NOTIFICATION_SETTINGS.severity,
  if: IF,
} as const satisfies Options;

export const SUBSCRIPTION_OPTION = {
  kind: "text",
  label: "Subscription",
  hint: "By its id, or by what it tells",
  required: true,
  description: "Its id, as alerts list shows it",
  example: "7k2mq",
  closed: true,
  suggest: suggestSubscriptions,
  takes: suggested(suggestSubscriptions),
  said: saidSubscription,
} as const;

export const RESUMABLE_OPTION = {
  ...SUBSCRIPTION_OPTION,
  suggest: suggestResumable,
  takes: suggested(suggestResumable),
} as const;
