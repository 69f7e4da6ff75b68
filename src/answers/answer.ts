// Helpers that commands share to build an answer. This module holds the frame: footer, warning about stale data,
// buttons to ask again. One module per topic beside it (markets.ts, bundles.ts, amounts.ts, ...).
// ids/ reads ids and names, pages/ reads lists, alerts/ holds the commands about alerts.

import type { PersonalKind } from "../alerts/judge/kinds/kinds.ts";
import type { AlertService } from "../alerts/service/service.ts";
import type { AsOf } from "../api/api-client.ts";
import type { CommandContext } from "../bot/command.ts";
import type { Options } from "../bot/options/options.ts";
import { DEFAULT_THRESHOLDS, standstillMillis } from "../api/verdict/verdict.ts";
import {
  type Action,
  type Ask,
  type Attachment,
  commandAction,
  givenOptions,
  reply,
  type Reply,
  type Tone,
} from "../reply/reply.ts";
import { type Block, field, type Field, paragraph, type Table } from "../reply/block.ts";
import type { Invalidates } from "../reply/document.ts";
import { code, id, strong, text, type Text, type TextPart, time, toText } from "../reply/text.ts";
import { formatDuration, type Milliseconds, type Nanoseconds, toMillis } from "../units/time.ts";

/** The part of a command's context that the frame needs. */
export interface AnswerContext {
  readonly network: string;
  /** The watchers' verdicts, and from when on a stall is an alert; left out where nobody watches. */
  readonly alerts?: Pick<AlertService, "config" | "verdict">;
  now(): Nanoseconds;
}

/** A cached answer shows its age from here on. */
const SHOW_AGE_FROM_MILLIS = 5000;

/**
 * A reply with a node's data: a footer with network, node, block and age; a Refresh button; if the network is stalled, or
 * the block far behind the wall clock, a warning, also in the headline, which many read alone.
 */
export function answer(
  context: AnswerContext,
  asOf: AsOf,
  parts: {
    title: TextPart;
    /** The title in the past tense, for old data. */
    titleOfPast?: TextPart;
    /** The title is about the past, so old data does not make it doubtful. */
    lasting?: true;
    /** Nothing after this moment is said, so only data that ends before it is doubtful. */
    until?: Nanoseconds;
    tone?: Tone;
    blocks: readonly Block[];
    /** The invocation of the Refresh button; left out where asking again costs too much. */
    ask?: Ask;
    actions?: readonly Action[];
    attachments?: readonly Attachment[];
  },
): Reply {
  const { ask, actions = [], blocks, tone = "neutral", title, titleOfPast, lasting, until, ...rest } = parts;
  const old = oldData(context, asOf, until);
  const titleSays = old !== undefined && lasting !== true;
  return reply({
    ...rest,
    title: titleSays ? text`${titleOfPast ?? title}, as of ${formatDuration(old.ageMillis)} ago: ${old.why}` : title,
    tone: old !== undefined && tone !== "bad" ? "warning" : tone,
    blocks: old === undefined ? blocks : [...(titleSays ? old.further : [paragraph(old.warning)]), ...blocks],
    // The headline or the warning has the age of old data.
    footer: asOfFooter(asOf, old === undefined ? context.now() : undefined),
    actions: ask === undefined ? actions : [...actions, refreshAction(ask)],
  });
}

/** An invocation on the same network, without undefined options. */
export function askFor(
  context: { readonly network: string },
  command: string,
  options: Readonly<Record<string, string | number | boolean | undefined>> = {},
): Ask {
  return { command, options: givenOptions({ ...options, network: context.network }) };
}

/** A button that asks again and replaces the reply. */
export function refreshAction(ask: Ask): Action {
  return { label: "Refresh", invocation: ask, effect: "replace" };
}

/** A button that draws what an answer is about: where something is kept that can be drawn. */
export function chartAction(
  context: { readonly network: string },
  what: string,
  more: Parameters<typeof askFor>[2] = {},
): Action {
  return { label: "Chart", invocation: askFor(context, "chart", { what, ...more }), effect: "reply" };
}

/** What is known of kept looks. */
export type LooksKept = Pick<AlertService, "keepsLooks" | "verdict" | "marketsWithoutLooks">;

/** The same for what is drawn from looks. */
export function looksChartActions(
  context: { readonly network: string; readonly alerts: LooksKept },
  what: string,
  more: Parameters<typeof askFor>[2] = {},
  market?: string,
): Action[] {
  return hasLooks(context.alerts, context.network, market) ? [chartAction(context, what, more)] : [];
}

/** Whether something may be drawn from looks: not where none are kept, or not yet, or none of the market. */
export function hasLooks(alerts: LooksKept, network: string, market?: string): boolean {
  const isUnseen = alerts.keepsLooks === false || (alerts.verdict !== undefined && !alerts.verdict(network));
  const isBeyond = market !== undefined && alerts.marketsWithoutLooks?.(network).includes(market) === true;
  return !isUnseen && !isBeyond;
}

/** A button that opens the form of a command with these values, where the place has forms. */
export function formActions(
  { here, platforms }: Pick<CommandContext<Options>, "here" | "platforms">,
  label: string,
  command: string,
  options: Parameters<typeof commandAction>[2],
): Action[] {
  if (platforms.chat(here.platform) === undefined) return [];
  return [{ ...commandAction(label, command, options), form: true }];
}

/** The action of each row: for a single row a button below, which names it, else a button in each row. */
export function rowActions(
  label: string,
  rows: readonly { readonly name: string; readonly invocation: Ask }[],
  more: { readonly invalidates?: Invalidates } = {},
): { readonly actions: readonly Action[]; readonly inTable: Pick<Table, "rowAction"> } {
  const [only] = rows;
  return only !== undefined && rows.length === 1
    ? {
        actions: [{ label: `${label} ${only.name}`, invocation: only.invocation, effect: "reply", ...more }],
        inTable: {},
      }
    : {
        actions: [],
        inTable: {
          rowAction: { label, invocations: rows.map(({ invocation }) => invocation), effect: "reply", ...more },
        },
      };
}

/** `mainnet · node.example:3008 · block 123 of 2023-05-01 12:00:00 UTC (2 s old)`; without `now`, without the age. */
export function asOfFooter(asOf: AsOf, now: Nanoseconds | undefined): Text {
  const { network, node, blockHeight, blockTime, receivedAt } = asOf;
  if (blockTime !== undefined) {
    const block = blockHeight === undefined ? text`` : text`block ${blockHeight} of `;
    const age = now === undefined ? "" : ` (${formatDuration(Math.max(0, millisBetween(blockTime, now)))} old)`;
    return text`${network} · ${node} · ${block}${time(blockTime)}${age}`;
  }
  const block = blockHeight === undefined ? text`` : text` · block ${blockHeight}`;
  const kept = now === undefined ? 0 : millisBetween(receivedAt, now);
  const age = kept >= SHOW_AGE_FROM_MILLIS ? ` (${formatDuration(kept)} old)` : "";
  return text`${network} · ${node}${block} · read ${time(receivedAt)}${age}`;
}

/** Data that may no longer hold. */
interface OldData {
  readonly ageMillis: Milliseconds;
  /** Ends a headline. */
  readonly why: string;
  /** Stands below a headline without `why`. */
  readonly warning: Text;
  /** Stands below a headline with `why`. */
  readonly further: readonly Block[];
}

/** Undefined where the node keeps up, or has all that is said. */
function oldData(context: AnswerContext, asOf: AsOf, until: Nanoseconds | undefined): OldData | undefined {
  const known = asOf.blockTime ?? context.alerts?.verdict?.(asOf.network)?.frontier?.time;
  const isKnown = until !== undefined && known !== undefined && known >= until;
  return isKnown ? undefined : (stalledData(context, asOf) ?? staleData(context, asOf));
}

/** By the watchers' verdict, as `time` and the alert judge it; undefined where they see no stall, or the node is beyond it. */
function stalledData(context: AnswerContext, { network, blockTime }: AsOf): OldData | undefined {
  const { alerts } = context;
  const now = context.now();
  const watched = alerts?.verdict?.(network);
  if (alerts === undefined || watched?.network !== "stalled") return undefined;
  const stood = standstillMillis(watched, millisBetween(watched.at, now));
  const since = blockTime ?? watched.frontier?.time;
  if (stood < Math.min(DEFAULT_THRESHOLDS.stalledMillis, alerts.config.stalled.for) || since === undefined)
    return undefined;
  if (watched.frontier !== undefined && since > watched.frontier.time) return undefined;
  const ageMillis = Math.max(0, millisBetween(since, now));
  const why = `${network} is stalled`;
  return {
    ageMillis,
    why,
    warning: text`${strong(`${why}.`)} The last block is of ${time(since)} (${formatDuration(ageMillis)} ago).`,
    // The footer has the block's time, if the node sent it.
    further: blockTime === undefined ? [paragraph(text`The last block is of ${time(since)}.`)] : [],
  };
}

/** Undefined where the node keeps up, by the clock at its answer. */
function staleData({ alerts }: AnswerContext, asOf: AsOf): OldData | undefined {
  if (asOf.blockTime === undefined) return undefined;
  const behind = millisBetween(asOf.blockTime, asOf.receivedAt);
  const watched = alerts?.verdict?.(asOf.network);
  // Where the network is seen to go on, the node lags behind it, or a clock is off; else its age is all that is known.
  const goesOn = watched?.network === "healthy" && watched.basis === "advance";
  const { laggingMillis, stalledMillis } = DEFAULT_THRESHOLDS;
  if (behind < (goesOn ? laggingMillis : stalledMillis)) return undefined;
  return {
    ageMillis: behind,
    why: "stale data",
    further: [paragraph(`${asOf.node} has taken in no later block: what it says may no longer hold.`)],
    warning: text`${strong("Stale data.")} The last block that ${asOf.node} has taken in is ${formatDuration(behind)} old (${time(asOf.blockTime)}): what it says may no longer hold.`,
  };
}

/** Negative where the second moment is earlier. */
export function millisBetween(from: Nanoseconds, to: Nanoseconds): Milliseconds {
  return toMillis(to) - toMillis(from);
}

/** A button that subscribes its presser to one subject, by direct message. */
export function watchAction(
  context: { readonly network: string },
  label: string,
  kind: PersonalKind,
  subject: string,
): Action {
  return { label, invocation: askFor(context, "alerts add", { kinds: kind, subjects: subject }), effect: "reply" };
}

/** An id or an address; a dash where there is none. */
export function idCell(value: string | undefined): Text {
  return toText(value === undefined ? "–" : id(value));
}

/** An id with its name, where it has one. */
export function namedCell(value: string | undefined, name: string | undefined): Text {
  return value === undefined || name === undefined ? idCell(value) : text`${name} ${id(value)}`;
}

/** A moment; a dash where it is unknown. */
export function timeCell(at: Nanoseconds | undefined, shown?: Parameters<typeof time>[1]): Text {
  return toText(at === undefined ? "–" : time(at, shown));
}

/** A longer value gets a line of its own. */
const WIDE_FROM_LENGTH = 40;

/** The most characters of an unknown field that are shown, and how deep it is followed. */
const MAX_EXTRA_LENGTH = 2000;
const MAX_EXTRA_DEPTH = 20;

/** A value as JSON, cut in depth and length: JSON.stringify fails on what a node may nest 100,000 deep. */
function shownValue(value: unknown): string {
  const shown = typeof value === "string" ? value : JSON.stringify(shallow(value, MAX_EXTRA_DEPTH));
  return shown.length <= MAX_EXTRA_LENGTH ? shown : `${shown.slice(0, MAX_EXTRA_LENGTH).toWellFormed()}…`;
}

function shallow(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "…";
  if (Array.isArray(value)) return value.map((one) => shallow(one, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shallow(one, depth - 1)]));
}

/** Fields of a record beyond the known ones: newer releases add some, and none is hidden. */
export function extraFields(
  record: Readonly<Record<string, unknown>> | undefined,
  known: Readonly<Record<string, unknown>>,
  prefix = "",
): readonly Field[] {
  if (record === undefined) return [];
  return Object.entries(record)
    .filter(([name, value]) => !Object.hasOwn(known, name) && value !== undefined && value !== null && value !== "")
    .map(([name, value]) => {
      const shown = shownValue(value);
      return field(`${prefix}${name}`, code(shown), { wide: shown.length > WIDE_FROM_LENGTH });
    });
}
