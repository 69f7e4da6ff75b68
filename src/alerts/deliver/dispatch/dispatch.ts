// Sends the deliveries of the outbox. One turn of the loop is one transaction: it records the last results, claims due
// deliveries within the concurrency limit and expires old ones; the attempts run between the turns.
// Read claim-due.ts (claims), attempt.ts (attempts) and record-result.ts (retries, dead letters, lost destinations) next.
// How long a retry waits: ../outbox/retry-policy.ts. What refuses: suspension.ts and ask-token.ts.
import { setImmediate } from "node:timers/promises";

import type { Processes, Store } from "../../../store/store.ts";
import { DamagedRow } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import { inTime, type Milliseconds, WAIT_ENDED } from "../../../units/time.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import { nowMillis, randomId } from "../../dependencies.ts";
import { logDecisions } from "../outbox/alert-log.ts";
import { bringForward, type ClaimedDelivery, hastenLate } from "../outbox/claim.ts";
import {
  type DeliveryOutcome,
  type DeliveryResult,
  recordLateReceipt,
  recoverUnfinished,
  splitByClaim,
} from "../outbox/record.ts";
import type { Receipt, Sender } from "../../sender.ts";
import { readSuspensions, suspensionKey, Suspensions, USUAL_PAUSE } from "../../route/suspension.ts";
import { askToken, logTokens, questionsDue, recordAnswers, type TokenAnswer, type TokenQuestion } from "./ask-token.ts";
import { attemptDelivery, type AttemptDependencies } from "./attempt.ts";
import { claimDue, expireOverdue } from "./claim-due.ts";
import { ConcurrencyLimit, type ConcurrencyLimits } from "./concurrency-limit.ts";
import { recordResults } from "./record-result.ts";
import type { SuspensionDependencies } from "./suspension.ts";
import { noteRefusals, type Refusal } from "./refused-messages.ts";
import { destinationFromKey } from "../../destination.ts";
import type { Decision } from "../../judge/judge.ts";

export interface DispatchDependencies extends AttemptDependencies, ConcurrencyLimits, Partial<SuspensionDependencies> {
  readonly store: Pick<Store, "transaction"> & { readonly processes: Pick<Processes, "self" | "aliveFor"> };
  readonly senders: readonly Sender[];
  /** For metrics: the outcome of an attempt, and how long after the delivery was created. */
  readonly onOutcome?: (outcome: {
    platform: string;
    phase: string;
    outcome: DeliveryOutcome;
    waited: Milliseconds;
  }) => void;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** A stored row is damaged without which nothing can be sent; undefined = all goes on. */
  readonly onDamaged?: (row: DamagedRow | undefined) => void;
}

export interface Dispatcher {
  /** Runs until the signal, then waits a little for running attempts and records their results. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** A new delivery may be due. */
  wake(): void;
}

/** How often deliveries without a sender are checked, and the longest pause if a wake was lost. */
const MAX_IDLE: Milliseconds = 60_000;
/** How often each of several processes looks for deliveries that another one wrote or left behind: its wake may be lost. */
const LOOK_EVERY: Milliseconds = 1000;
/** The pause after the store failed. */
const STORE_RETRY_DELAY: Milliseconds = 1000;
const SHUTDOWN_GRACE: Milliseconds = 3000;
/** Corrections of a clock that drifts are smaller than this. */
const MIN_SET_BACK: Milliseconds = 1000;
/** The most turns of the event loop for which more results are awaited. */
const GATHER_TICKS = 8;
/** On a server, a turn costs round trips, and keeps the other processes waiting: it is worth waiting for more results. */
const GATHER_MILLIS: Milliseconds = 250;

export function createDispatcher(dependencies: DispatchDependencies): Dispatcher {
  const { store, clock, log, senders, newId = randomId, random } = dependencies;
  const { operators, console: shown, platforms } = dependencies;
  const suspending = { newId, ...withoutUndefined({ operators, console: shown, platforms }) };
  const { self, aliveFor } = store.processes;
  const longestPause = aliveFor === undefined ? MAX_IDLE : LOOK_EVERY;
  const attempts = new Map<string, Promise<void>>();
  const limit = new ConcurrencyLimit(clock, dependencies);
  /** How far the wall clock is ahead of the monotonic one, by which it is noticed when it is set back. */
  const lead = (): Milliseconds => nowMillis(clock) - clock.monotonicMillis();
  let leadBefore = lead();
  let wakeUp = Promise.withResolvers<void>();
  const wake = (): void => wakeUp.resolve();
  /** Aborts the attempts that are still running when the process stops. */
  const shutdown = new AbortController();
  let results: DeliveryResult[] = [];
  /** Ends the wait for more results. */
  let gathering = new AbortController();
  const gatherMillis = aliveFor === undefined ? 0 : GATHER_MILLIS;
  let lateReceipts: LateReceipt[] = [];
  let answers: TokenAnswer[] = [];
  /** When all platforms were last asked about their tokens; monotonic. */
  let askedAt = -Infinity;
  let expiredAt = -Infinity;
  /** When it last looked for what dead processes were sending, and what this one claims unknowingly; monotonic. */
  let recoveredAt = -Infinity;
  const free = (sender: Sender): number => limit.free(sender);

  /** Records the last results and claims the next deliveries for these senders, all in one transaction. */
  async function turn(wanting: readonly Sender[]) {
    const recorded = results;
    results = [];
    gathering.abort(WAIT_ENDED);
    gathering = new AbortController();
    const late = lateReceipts;
    lateReceipts = [];
    const answered = answers;
    answers = [];
    const at = nowMillis(clock);
    const leadNow = lead();
    const setBack = leadBefore - leadNow < MIN_SET_BACK ? 0 : Math.ceil(leadBefore - leadNow);
    const now = clock.monotonicMillis();
    const isFirst = askedAt === -Infinity;
    const isRound = now - askedAt >= USUAL_PAUSE;
    const isRecovering = shutdown.signal.aborted || now - recoveredAt >= (aliveFor ?? MAX_IDLE);
    try {
      const taken = await store.transaction(async ({ alerts: tables }) => {
        const [found, { own, lost }] = await Promise.all([
          readSuspensions(tables),
          // Where it is alone on the database, nobody takes over a claim of its own.
          splitByClaim(tables, recorded, aliveFor === undefined ? undefined : self),
        ]);
        const suspensions = new Suspensions(found);
        const suspended = suspensions.all();
        const context = { ...suspending, tables, suspensions, random };
        const done = await recordResults(own, context);
        const early: LateReceipt[] = [];
        for (const one of [...late, ...lost.filter(hasReceipt)]) {
          if (!(await recordLateReceipt(tables, one.claimed, one.receipt, at))) early.push(one);
        }
        const checked = await recordAnswers(answered, context);
        // What the wrong clock scheduled would wait longer by as much.
        if (setBack > 0) {
          await bringForward(tables, setBack, at);
          for (const one of suspensions.all()) suspensions.put({ ...one, nextAt: one.nextAt - setBack });
        }
        if (isFirst) await hastenLate(tables, at);
        const questions = questionsDue(wanting, at, { isFirst, isRound }, context);
        if (isRecovering) await recoverUnfinished(tables, at, self, sending());
        if (recorded.length > 0) dependencies.onStep?.("receipt written");
        const isIdle = attempts.size + recorded.length === 0;
        // Also of what another process, of an earlier version, has sent.
        const isPlacing = shown !== undefined && (recorded.length > 0 || isRecovering);
        const told = [...done.decisions, ...checked];
        const [, , work] = await Promise.all([
          logDecisions(tables, told, at),
          isPlacing && tables.delivered.place(shown.platform),
          claimDue(at, { ...context, self, senders: wanting, free, isIdle }),
        ]);
        const served = senders.map(({ platform }) => platform);
        const isExpiryDue = at - expiredAt >= MAX_IDLE;
        const expired = isExpiryDue ? await expireOverdue(at, context, served) : [];
        const last = [...work.decisions, ...expired];
        await logDecisions(tables, last, at);
        // The operators were notified of a refused token before.
        const refusals = [...done.refusals, ...last.flatMap(refusalOf)].filter(
          ({ destination }) => suspensions.ofToken(destination) === undefined,
        );
        const isNoting = refusals.length > 0 || isExpiryDue;
        const notified = isNoting && (await noteRefusals(tables, refusals, at, suspending));
        const tries = suspensions.all().flatMap(({ nextAt }) => (nextAt > at ? [nextAt] : []));
        await suspensions.save(tables, at);
        const next = Math.min(work.next ?? Infinity, ...tries);
        // Its channels are notified, which may make deliveries due on a platform whose turn is over.
        const resumed = suspended.some((one) => suspensions.get(suspensionKey(one)) === undefined);
        const more = resumed || notified || work.dropped || work.chunked;
        const tokens = { before: isFirst ? [] : suspended, after: suspensions.all() };
        return {
          ...work,
          next,
          more,
          own,
          outcomes: done.outcomes,
          questions,
          tokens,
          decisions: [...told, ...last],
          early,
        };
      });
      // Their next attempt is under way: its end wakes the loop.
      lateReceipts.push(...taken.early);
      leadBefore = leadNow;
      if (isRecovering) recoveredAt = now;
      if (at - expiredAt >= MAX_IDLE) expiredAt = at;
      if (isRound) askedAt = now;
      logTokens(log, taken.tokens.before, taken.tokens.after);
      logLosses(log, taken.decisions);
      if (recorded.length > 0) dependencies.onStep?.("receipt committed");
      if (taken.claimed.length > 0) dependencies.onStep?.("deliveries claimed");
      for (const [index, { claimed, ofFiles }] of taken.own.entries()) {
        const { platform, phase, owed_at } = claimed.row;
        const outcome = taken.outcomes[index] ?? "retry";
        // The message was counted when its words arrived.
        if (ofFiles === true && outcome === "sent") continue;
        dependencies.onOutcome?.({ platform, phase, outcome, waited: at - owed_at });
      }
      return taken;
    } catch (thrown) {
      // Nothing was committed: the results are still to be recorded.
      results = [...recorded, ...results];
      lateReceipts = [...late, ...lateReceipts];
      answers = [...answered, ...answers];
      // Perhaps it was committed all the same, and claimed what nobody sends.
      recoveredAt = -Infinity;
      throw thrown;
    }
  }

  /** The claims that this process knows of. When it stops it leaves all of them. */
  function sending(): readonly string[] {
    return shutdown.signal.aborted ? [] : [...attempts.keys(), ...results.map(({ claimed }) => claimed.row.id)];
  }

  function onLateReceipt(claimed: ClaimedDelivery, receipt: Receipt): void {
    lateReceipts.push({ claimed, receipt });
    wake();
  }

  function addResult(result: DeliveryResult): void {
    results.push(result);
    // While as many are under way, their results may come soon, too.
    if (gatherMillis === 0 || results.length >= attempts.size) wake();
    else if (results.length === 1) clock.sleep(gatherMillis, gathering.signal).then(wake, () => undefined);
  }

  const attempting = { ...dependencies, onLateReceipt };

  function begin(claimed: ClaimedDelivery): void {
    const end = limit.begin(claimed.row.id, claimed.row);
    const onPosted = (result: DeliveryResult): void => {
      limit.linger(claimed.row);
      addResult(result);
    };
    const attempt = async (): Promise<void> => {
      const result = await attemptDelivery({ ...attempting, onPosted }, claimed, shutdown.signal);
      end();
      attempts.delete(claimed.row.id);
      addResult(result);
    };
    attempts.set(claimed.row.id, attempt());
  }

  async function ask(question: TokenQuestion): Promise<void> {
    const answer = await askToken(question, clock, shutdown.signal);
    // A turn meanwhile may have begun another list.
    answers.push(answer);
    wake();
  }

  function untilDue(next: Milliseconds): Milliseconds {
    return Math.max(1, next - nowMillis(clock));
  }

  function untilFree(sender: Sender): Milliseconds {
    return limit.free(sender) > 0 ? gatherMillis : (limit.freeIn(sender) ?? MAX_IDLE);
  }

  /** Gathers results so that they share a commit: each commit costs a disk sync. */
  async function gather(): Promise<void> {
    let before = -1;
    for (let tick = 0; tick < GATHER_TICKS && results.length > before; tick += 1) {
      before = results.length;
      await setImmediate();
    }
  }

  return {
    wake,
    async run(signal) {
      signal.addEventListener("abort", wake, { once: true });
      while (!signal.aborted) {
        let pause: Milliseconds;
        try {
          wakeUp = Promise.withResolvers<void>();
          const { claimed, questions, next, full, more } = await turn(senders);
          dependencies.onDamaged?.(undefined);
          for (const work of claimed) begin(work);
          for (const question of questions) void ask(question);
          const untilRound = askedAt + USUAL_PAUSE - clock.monotonicMillis();
          pause = more ? 0 : Math.min(longestPause, untilDue(next), untilRound, ...full.map(untilFree));
        } catch (thrown) {
          if (thrown instanceof DamagedRow) dependencies.onDamaged?.(thrown);
          else log.error({ err: thrown }, "dispatch failed");
          pause = STORE_RETRY_DELAY;
        }
        if (pause > 0) await inTime(wakeUp.promise, { millis: pause, clock, signal }, () => undefined);
        await gather();
      }
      await inTime(Promise.all(attempts.values()), { millis: SHUTDOWN_GRACE, clock }, () => undefined);
      shutdown.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      if (results.length + attempts.size > 0) {
        await turn([]).catch((thrown: unknown) => log.error({ err: thrown }, "receipts not stored"));
      }
    },
  };
}

interface LateReceipt {
  readonly claimed: ClaimedDelivery;
  readonly receipt: Receipt;
}

function hasReceipt(result: DeliveryResult): result is DeliveryResult & LateReceipt {
  return result.receipt !== undefined;
}

/** A delivery that was given up without an attempt. */
function refusalOf({ what, destination, detail: why = "" }: Decision): Refusal[] {
  if (what !== "dead letter" || destination === undefined) return [];
  const { platform, channel } = destinationFromKey(destination);
  return [{ platform, destination, channel, why, dead: true }];
}

/** Logs dead letters and lost destinations. */
function logLosses(log: Log, decisions: readonly Decision[]): void {
  for (const { what, destination, delivery, episode, detail: why } of decisions) {
    if (what === "dead letter") log.error({ destination, delivery, episode, why }, "delivery dead-lettered");
    if (what === "content refused") log.warn({ destination, delivery, episode, why }, "delivery refused");
    if (what === "destination unreachable") log.warn({ destination, why }, "destination suspended");
    if (what === "destination reached") log.info({ destination }, "destination resumed");
    if (what === "destination lost") log.warn({ destination, why }, "destination lost");
  }
}
