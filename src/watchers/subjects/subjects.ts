// Watchers of single subjects (orders.ts, stakes.ts, bundles.ts) share this: subjects that subscriptions name are polled
// one after the other, a bounded number at a time, and their amounts are formatted.

import type { z } from "zod";

import type { AlertEvent } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/kind.ts";
import type { AlertKind } from "../../alerts/judge/kinds/kinds.ts";
import type { ApiClient, CallOptions } from "../../api/api-client.ts";
import { ApiError, type ApiErrorKind } from "../../api/api-error.ts";
import type { Clock } from "../../api/clock.ts";
import { decimal, formatDecimal } from "../../units/decimal.ts";
import type { Milliseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";

/** What differs between watchers of subjects that come to an end, such as orders. */
interface WatchedEndings<End, Snapshot> {
  readonly name: string;
  readonly kind: AlertKind;
  readonly snapshot: z.ZodType<Snapshot>;
  /** The ends found so far, by subject. */
  ended(snapshot: Snapshot): Readonly<Record<string, End>>;
  after(ended: Record<string, End>, turn: { readonly turn?: string }): Snapshot;
  /** Undefined while the subject has not ended. */
  poll(api: ApiClient, subject: string, call: CallOptions): Promise<End | undefined>;
  event(seen: { readonly network: string; readonly subject: string; readonly at: string }, end: End): AlertEvent;
}

/** Polls each subject that a subscription names until it has ended. */
export function endingsWatcher<End, Snapshot extends { readonly turn?: string }>(
  { network, config, clock }: Pick<WatcherOptions, "network" | "config" | "clock">,
  endings: WatchedEndings<End, Snapshot>,
): Watcher<Snapshot> {
  const { name, kind, snapshot } = endings;
  const every = config.poll.rest;
  return {
    name,
    every,
    snapshot,
    async observe(api, context, signal) {
      const { before } = context;
      // Findings of the first observation are not announced, so that it polls nothing.
      if (before === undefined) return endings.after({}, {});
      const known = endings.ended(before);
      const named = new Set(context.subjects(kind));
      const open = [...named].filter((subject) => !Object.hasOwn(known, subject));
      const call = { lane: "watchers", fresh: true, signal } as const;
      const { answers, turn } = await pollSubjects(open, before.turn, { millis: every, clock }, (subject) =>
        endings.poll(api, subject, call),
      );
      const kept = Object.entries(known).filter(([subject]) => named.has(subject));
      const ended = [...answers].flatMap(([subject, end]): [string, End][] =>
        end === undefined ? [] : [[subject, end]],
      );
      return endings.after(Object.fromEntries([...kept, ...ended]), withoutUndefined({ turn }));
    },
    judge(before, after, at) {
      if (before === undefined) return { readings: [], events: [] };
      const known = endings.ended(before);
      const fresh = Object.entries(endings.ended(after)).filter(([subject]) => !Object.hasOwn(known, subject));
      return {
        readings: [],
        events: fresh.map(([subject, end]) => endings.event({ network, subject, at: timeToText(at) }, end)),
      };
    },
  };
}

/** The most subjects polled in one observation; the rest follow in the next ones. */
export const MAX_SUBJECTS_PER_POLL = 100;

/** How long one observation goes on polling. */
interface PollLimit {
  readonly millis: Milliseconds;
  readonly clock: Clock;
}

/**
 * Polls one subject after the other, round robin, beginning behind `turn`. Ends early where that takes too long or where
 * the nodes do not answer; rejects with that ApiError where they have answered nothing at all.
 */
export async function pollSubjects<T>(
  subjects: readonly string[],
  turn: string | undefined,
  { millis, clock }: PollLimit,
  poll: (subject: string) => Promise<T>,
) {
  const sorted = [...new Set(subjects)].toSorted();
  const behind = sorted.findIndex((subject) => turn !== undefined && subject > turn);
  const begin = behind === -1 ? 0 : behind;
  const inTurn = [...sorted.slice(begin), ...sorted.slice(0, begin)].slice(0, MAX_SUBJECTS_PER_POLL);
  const answers = new Map<string, T>();
  let last = turn;
  let answered = false;
  const begun = clock.monotonicMillis();
  for (const subject of inTurn) {
    if (answered && clock.monotonicMillis() - begun >= millis) break;
    try {
      answers.set(subject, await poll(subject));
      answered = true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (FAILURES_OF_ALL.has(error.kind)) {
        if (!answered) throw error;
        break;
      }
      answered = true;
    }
    last = subject;
  }
  return {
    /** By subject; subjects unknown to the node are left out. */
    answers,
    /** The last subject polled: the next observation continues behind it. */
    turn: last,
  };
}

/** The failures after which the next subject would fail, too. */
const FAILURES_OF_ALL: ReadonlySet<ApiErrorKind> = new Set(["unreachable", "timeout", "rate-limited", "banned", "cut"]);

/** Formats an integer of smallest units as whole ones, `1,250.5`; with unknown decimals as sent, `12505 raw`. */
export function formatUnits(units: bigint | undefined, decimals: number | undefined): string | undefined {
  if (units === undefined) return undefined;
  if (decimals === undefined) return `${units} raw`;
  // Negative decimals count whole lots.
  return formatDecimal(decimals >= 0 ? decimal(units, decimals) : decimal(units * 10n ** BigInt(-decimals)));
}
