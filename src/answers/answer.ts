import type { PersonalKind } from "../alerts/kinds/kinds.ts";
import type { AsOf } from "../api/api-client.ts";
import { DEFAULT_THRESHOLDS } from "../api/verdict/verdict.ts";
import type { Attachment } from "../reply/attachment.ts";
import { type Block, paragraph } from "../reply/block.ts";
import { type Action, type Ask, reply, type Reply, type Tone } from "../reply/reply.ts";
import { strong, text, type Text, type TextPart, time } from "../reply/text.ts";
import { formatDuration, type Milliseconds } from "../units/duration.ts";
import { type Nanoseconds, toMillis } from "../units/nanoseconds.ts";

/** What an answer's frame is made from: a command's context, seen from here. */
interface AnswerContext {
  readonly network: string;
  now(): Nanoseconds;
}

/** From this age on, an answer that was kept for a while says so. */
const SHOW_AGE_FROM_MILLIS = 5000;

/**
 * A reply about what a node said: a footer with network, node, block and age; a button that asks again;
 * data whose block lies far behind the wall clock is labelled as stale.
 */
export function answer(
  context: AnswerContext,
  asOf: AsOf,
  parts: {
    title: TextPart;
    tone?: Tone;
    blocks: readonly Block[];
    /** What this reply answers: its Refresh button asks it again. Left out where asking again costs too much. */
    ask?: Ask;
    actions?: readonly Action[];
    attachments?: readonly Attachment[];
  },
): Reply {
  const { ask, actions = [], blocks, tone = "neutral", ...rest } = parts;
  const stale = staleWarning(asOf);
  return reply({
    ...rest,
    tone: stale !== undefined && tone !== "bad" ? "warning" : tone,
    blocks: stale === undefined ? blocks : [stale, ...blocks],
    footer: asOfFooter(asOf, context.now()),
    actions: ask === undefined ? actions : [...actions, refreshAction(ask)],
  });
}

/** An invocation on the same network; options that are undefined are left out. */
export function askFor(
  context: { readonly network: string },
  command: string,
  options: Readonly<Record<string, string | number | boolean | undefined>> = {},
): Ask {
  const given = Object.entries(options).filter(
    (entry): entry is [string, string | number | boolean] => entry[1] !== undefined,
  );
  return { command, options: { ...Object.fromEntries(given), network: context.network } };
}

/** A button that asks the same again and shows the answer in place. */
export function refreshAction(ask: Ask): Action {
  return { label: "Refresh", invocation: ask, effect: "replace" };
}

/** `mainnet · node.example:3008 · block 123 of 2023-05-01 12:00:00 UTC (2 s old)`. */
export function asOfFooter({ network, node, blockHeight, blockTime, receivedAt }: AsOf, now: Nanoseconds): Text {
  if (blockTime !== undefined) {
    const block = blockHeight === undefined ? "" : `block ${blockHeight} of `;
    const age = formatDuration(Math.max(0, millisBetween(blockTime, now)));
    return text`${network} · ${node} · ${block}${time(blockTime)} (${age} old)`;
  }
  const block = blockHeight === undefined ? "" : ` · block ${blockHeight}`;
  const kept = millisBetween(receivedAt, now);
  const age = kept >= SHOW_AGE_FROM_MILLIS ? ` (${formatDuration(kept)} old)` : "";
  return text`${network} · ${node}${block} · read ${time(receivedAt)}${age}`;
}

/** Undefined where the answering node keeps up; compared with the clock when its answer came. */
function staleWarning(asOf: AsOf): Block | undefined {
  if (asOf.blockTime === undefined) return undefined;
  const behind = millisBetween(asOf.blockTime, asOf.receivedAt);
  if (behind < DEFAULT_THRESHOLDS.laggingMillis) return undefined;
  return paragraph(
    text`${strong("Stale data.")} The last block that ${asOf.node} has taken in is ${formatDuration(behind)} old (${time(asOf.blockTime)}): what it says may no longer hold.`,
  );
}

/** From one moment to another, negative when the second one is earlier. */
export function millisBetween(from: Nanoseconds, to: Nanoseconds): Milliseconds {
  return toMillis(to) - toMillis(from);
}

/** A button by which whoever presses it is told by direct message of what becomes of one thing. */
export function watchAction(
  context: { readonly network: string },
  label: string,
  kind: PersonalKind,
  subject: string,
): Action {
  return { label, invocation: askFor(context, "alerts add", { kinds: kind, subjects: subject }), effect: "reply" };
}
