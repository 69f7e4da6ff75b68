// Sends the deliveries of the outbox. One turn of the loop is one transaction: it records the last results, claims due
// deliveries within the concurrency limit and expires old ones; the attempts run between the turns.
// Read claim.ts (claims and attempts) and record-result.ts (retries, dead letters, lost destinations) next. How long a
// retry waits: ../outbox/retry-policy.ts. Tokens that a platform refuses: ../suspension.
import { setImmediate } from "node:timers/promises";

import type { Clock } from "../../api/clock.ts";
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Store } from "../../store/store.ts";
import type { Log } from "../../log.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { nowMillis, randomId } from "../dependencies.ts";
import type { Decision } from "../outbox/batch.ts";
import { logDecisions } from "../outbox/decision-log.ts";
import { type AlertMessage, readMessages } from "../outbox/message.ts";
import { fanOutNext } from "../outbox/outbox.ts";
import type { Destination, Sender } from "../sender.ts";
import { recordTokenChecks, TokenProbe } from "../suspension/token-probe.ts";
import {
  attemptDelivery,
  type AttemptDependencies,
  claimDue,
  type ClaimedDelivery,
  claimTrial,
  type DeliveryResult,
} from "./claim.ts";
import { ConcurrencyLimit, type ConcurrencyLimits } from "./concurrency-limit.ts";
import { deadLetter, type DeliveryOutcome, recordResults } from "./record-result.ts";
import { expireOverdue, recoverUnfinished } from "./recover.ts";
import { WallClockMonitor } from "./wall-clock.ts";

export interface DispatchDependencies extends AttemptDependencies, ConcurrencyLimits {
  readonly store: Pick<Store, "transaction">;
  readonly senders: readonly Sender[];
  /** Notified of lost destinations and refused tokens, like the console where there is one. */
  readonly operators?: Destination;
  readonly console?: Destination;
  /** For metrics: the outcome of an attempt, and how long after the delivery was created. */
  readonly onOutcome?: (outcome: {
    platform: string;
    phase: string;
    outcome: DeliveryOutcome;
    waited: Milliseconds;
  }) => void;
  readonly newId?: () => string;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

export interface Dispatcher {
  /** Runs until the signal, then waits a little for running attempts and records their results. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** A new delivery may be due. */
  wake(): void;
}

/** How often deliveries without a sender are checked, and the longest pause if a wake was lost. */
const MAX_IDLE: Milliseconds = 60_000;
/** The pause after the store failed. */
const STORE_RETRY_DELAY: Milliseconds = 1000;
const SHUTDOWN_GRACE: Milliseconds = 3000;
/** The most turns of the event loop for which more results are awaited. */
const GATHER_TICKS = 8;

export function createDispatcher(dependencies: DispatchDependencies): Dispatcher {
  const { store, clock, log, senders, newId = randomId, random = Math.random } = dependencies;
  const suspending = {
    newId,
    ...(dependencies.operators === undefined ? {} : { operators: dependencies.operators }),
    ...(dependencies.console === undefined ? {} : { console: dependencies.console }),
  };
  const attempts = new Map<string, Promise<void>>();
  const limit = new ConcurrencyLimit(clock, dependencies);
  const wall = new WallClockMonitor(clock);
  const probe = new TokenProbe({ clock, log, senders, onChecked: () => wake() });
  /** Aborts the attempts that are still running when the process stops. */
  const shutdown = new AbortController();
  let results: DeliveryResult[] = [];
  let expiredAt = -Infinity;
  let wakeUp = Promise.withResolvers<void>();
  const wake = (): void => wakeUp.resolve();
  /** A chunk may wait to be fanned out. */
  let hasChunks = true;

  /** Records the last results and claims the next deliveries, all in one transaction. */
  async function turn(claiming: boolean): Promise<Turn> {
    const recorded = results;
    results = [];
    const checks = probe.take();
    const at = nowMillis(clock);
    const setBack = wall.setBack();
    try {
      const taken = await store.transaction(async ({ alerts: tables }) => {
        const decisions: Decision[] = [];
        const suspensions = await probe.suspensions(tables);
        const suspended = suspensions.all();
        const isTrial = (id: string): boolean => probe.isTrial(id);
        const outcomes = await recordResults(
          tables,
          recorded,
          { ...suspending, random, suspensions, isTrial },
          decisions,
        );
        const tried = await recordTokenChecks(tables, checks, suspensions, suspending, decisions);
        // Deliveries scheduled by the wrong clock would wait longer by as much.
        if (setBack > 0) await tables.outbox.bringForward(setBack, at);
        if (recorded.length > 0) dependencies.onStep?.("receipt written");
        const claimed: (ClaimedDelivery | undefined)[] = [];
        const full: Sender[] = [];
        for (const sender of claiming ? senders : []) {
          if (suspensions.get(sender.platform) !== undefined) {
            if (tried.has(sender.platform))
              claimed.push(...(await claimTrial(tables, { sender, at }, suspensions, suspending, decisions)));
            continue;
          }
          const free = limit.free(sender);
          const due = free > 0 ? await claimDue(tables, sender, at, free, decisions) : [];
          claimed.push(...due);
          if (due.length >= free) full.push(sender);
        }
        const served = senders.map(({ platform }) => platform);
        if (at - expiredAt >= MAX_IDLE) await expireOverdue(tables, at, decisions, newId, suspensions, served);
        const work = await withMessages(tables, claimed, at, decisions, newId);
        await logDecisions(tables, decisions, at);
        // At the limit, the end of an attempt wakes the loop.
        const isSuspended = (sender: Sender): boolean => suspensions.get(sender.platform) !== undefined;
        const notFull = senders
          .filter((one) => !full.includes(one) && !isSuspended(one))
          .map(({ platform }) => platform);
        const next = await tables.outbox.nextRunAt(notFull, at);
        // Its channels are notified, which may make deliveries due on a platform whose turn is over.
        const resumed = suspended.some(({ platform }) => suspensions.get(platform) === undefined);
        const more = resumed || work.length < claimed.length;
        return { claimed: work, next, full, more, resumed, outcomes, suspensions, decisions };
      });
      if (taken.resumed) hasChunks = true;
      if (at - expiredAt >= MAX_IDLE) {
        expiredAt = at;
        hasChunks = true;
      }
      probe.committed(
        taken.suspensions,
        taken.claimed.map(({ claimed }) => claimed),
        recorded.map(({ claimed }) => claimed.row.id),
      );
      logLosses(log, taken.decisions);
      if (recorded.length > 0) dependencies.onStep?.("receipt committed");
      if (taken.claimed.length > 0) dependencies.onStep?.("deliveries claimed");
      for (const [index, { claimed }] of recorded.entries()) {
        const { platform, phase, created_at } = claimed.row;
        dependencies.onOutcome?.({
          platform,
          phase,
          outcome: taken.outcomes[index] ?? "retry",
          waited: at - created_at,
        });
      }
      return taken;
    } catch (thrown) {
      // Nothing was committed: the results are still to be recorded.
      results = [...recorded, ...results];
      probe.putBack(checks);
      wall.restore(setBack);
      throw thrown;
    }
  }

  function begin({ claimed, message }: ClaimedMessage): void {
    const end = limit.begin(claimed.row.id, claimed.row);
    const attempt = async (): Promise<void> => {
      const result = await attemptDelivery(dependencies, claimed, message, shutdown.signal);
      end();
      attempts.delete(claimed.row.id);
      results.push(result);
      wake();
    };
    attempts.set(claimed.row.id, attempt());
  }

  function untilDue(next: Milliseconds | undefined): Milliseconds {
    return next === undefined ? MAX_IDLE : Math.max(1, next - nowMillis(clock));
  }

  function untilFree(sender: Sender): Milliseconds {
    return limit.free(sender) > 0 ? 0 : (limit.freeIn(sender) ?? MAX_IDLE);
  }

  /** Gathers results so that they share a commit: each commit costs a disk sync. */
  async function gather(): Promise<void> {
    let before = -1;
    for (let tick = 0; tick < GATHER_TICKS && results.length > before; tick += 1) {
      before = results.length;
      await setImmediate();
    }
  }

  /** Fans out one chunk of a large batch while the deliveries of the chunks before it are being sent. */
  async function fanOutOne(): Promise<boolean> {
    if (!hasChunks) return false;
    hasChunks = await store.transaction(({ alerts: tables }) => fanOutNext(tables, newId));
    return hasChunks;
  }

  return {
    wake() {
      hasChunks = true;
      wake();
    },
    async run(signal) {
      signal.addEventListener("abort", wake, { once: true });
      let recovered = false;
      while (!signal.aborted) {
        let pause: Milliseconds;
        try {
          if (!recovered) await store.transaction(({ alerts }) => recoverUnfinished(alerts, nowMillis(clock)));
          recovered = true;
          wakeUp = Promise.withResolvers<void>();
          const { claimed, next, full, more } = await turn(true);
          for (const work of claimed) begin(work);
          const untilProbe = probe.probeDue(shutdown.signal);
          const fannedOut = await fanOutOne();
          pause = more || fannedOut ? 0 : Math.min(MAX_IDLE, untilDue(next), untilProbe, ...full.map(untilFree));
        } catch (thrown) {
          log.error({ err: thrown }, "dispatch failed");
          pause = STORE_RETRY_DELAY;
        }
        if (pause > 0) await waitFor(wakeUp.promise, pause, clock, signal);
        await gather();
      }
      await waitFor(Promise.all(attempts.values()), SHUTDOWN_GRACE, clock);
      shutdown.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      if (results.length > 0) {
        await turn(false).catch((thrown: unknown) => log.error({ err: thrown }, "receipts not stored"));
      }
    },
  };
}

/** Logs dead letters and lost destinations. */
function logLosses(log: Log, decisions: readonly Decision[]): void {
  for (const { what, destination, delivery, episode, detail: why } of decisions) {
    if (what === "dead letter") log.error({ destination, delivery, episode, why }, "delivery dead-lettered");
    if (what === "destination lost") log.warn({ destination, why }, "destination lost");
  }
}

interface Turn {
  readonly claimed: readonly ClaimedMessage[];
  /** A due delivery was dropped or a new one was added, so that another may be due now. */
  readonly more: boolean;
  /** Senders at their concurrency limit. */
  readonly full: readonly Sender[];
  /** When the next delivery becomes due; Unix milliseconds. */
  readonly next: Milliseconds | undefined;
}

interface ClaimedMessage {
  readonly claimed: ClaimedDelivery;
  readonly message: AlertMessage;
}

/** Joins claims with their messages; one whose message this program cannot read becomes a dead letter. */
async function withMessages(
  tables: AlertTables,
  due: readonly (ClaimedDelivery | undefined)[],
  at: Milliseconds,
  decisions: Decision[],
  newId: () => string,
): Promise<ClaimedMessage[]> {
  const claimed = due.filter((one) => one !== undefined);
  const messages = await readMessages(
    tables,
    claimed.map(({ row }) => row.message),
  );
  const work: ClaimedMessage[] = [];
  for (const one of claimed) {
    const message = messages.get(one.row.message);
    if (message !== undefined) {
      work.push({ claimed: one, message });
      continue;
    }
    const why = "what it says cannot be read";
    await deadLetter(tables, { ...one.row, last_error: why }, at, newId);
    decisions.push({ what: "dead letter", destination: one.row.destination, delivery: one.row.id, detail: why });
  }
  return work;
}

async function waitFor(
  event: Promise<unknown>,
  millis: Milliseconds,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const stop = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  await Promise.race([event, clock.sleep(millis, stop).catch(() => undefined)]);
  over.abort();
}
