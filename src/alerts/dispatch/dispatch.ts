import { setImmediate } from "node:timers/promises";

import type { Clock } from "../../api/clock.ts";
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { nowMillis, randomId } from "../dependencies.ts";
import type { Decision } from "../outbox/batch.ts";
import { type AlertMessage, readMessages } from "../outbox/message.ts";
import { fanOutNext, logDecisions } from "../outbox/outbox.ts";
import type { Destination, Sender } from "../sender.ts";
import { claimTrial, recordTokenChecks, TokenProbe } from "../suspension/token-probe.ts";
import { attemptDelivery, type AttemptDependencies } from "./attempt.ts";
import { claimDue, type ClaimedDelivery } from "./claim.ts";
import { ConcurrencyLimit, type ConcurrencyLimits } from "./concurrency-limit.ts";
import { deadLetter, type DeliveryOutcome, type DeliveryResult, recordResults } from "./record-result.ts";
import { expireOverdue, recoverUnfinished } from "./recover.ts";
import { WallClockMonitor } from "./wall-clock.ts";

export interface DispatchDependencies extends AttemptDependencies, ConcurrencyLimits {
  readonly store: Pick<Store, "transaction">;
  readonly senders: readonly Sender[];
  /** Told of lost destinations and refused tokens, as the console is where there is one. */
  readonly operators?: Destination;
  readonly console?: Destination;
  /** For figures: what came of a try, and how long after it was owed. */
  readonly onOutcome?: (outcome: {
    platform: string;
    phase: string;
    verdict: DeliveryOutcome;
    waited: Milliseconds;
  }) => void;
  readonly newId?: () => string;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/** Sends what is owed. */
export interface Dispatcher {
  /** Until the signal; then waits a little for tries under way and keeps what came of them. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Something new may be due. */
  wake(): void;
}

/** How often what has no sender is looked at, and the longest wait for a wake that was lost. */
const MAX_IDLE: Milliseconds = 60_000;
/** After a fault of the store. */
const STORE_RETRY_DELAY: Milliseconds = 1000;
const SHUTDOWN_GRACE: Milliseconds = 3000;
/** For how many turns of the event loop answers that keep coming are gathered. */
const GATHER_TICKS = 8;

export function createDispatcher(parts: DispatchDependencies): Dispatcher {
  const { store, clock, log, senders, newId = randomId, random = Math.random } = parts;
  const standing = {
    newId,
    ...(parts.operators === undefined ? {} : { operators: parts.operators }),
    ...(parts.console === undefined ? {} : { console: parts.console }),
  };
  const underWay = new Map<string, Promise<void>>();
  const room = new ConcurrencyLimit(clock, parts);
  const wall = new WallClockMonitor(clock);
  const tokens = new TokenProbe({ clock, log, senders, onChecked: () => ring() });
  /** Aborts when what is under way gets no more time. */
  const farewell = new AbortController();
  let outcomes: DeliveryResult[] = [];
  let sweptAt = -Infinity;
  let bell = Promise.withResolvers<void>();
  const ring = (): void => bell.resolve();
  /** Something may wait to be spread. */
  let mayWait = true;

  /** Keeps what came of the last tries and takes the next ones, all in one transaction. */
  async function turn(claiming: boolean): Promise<Turn> {
    const settled = outcomes;
    outcomes = [];
    const checks = tokens.take();
    const at = nowMillis(clock);
    const setBack = wall.setBack();
    try {
      const taken = await store.transaction(async ({ alerts: tables }) => {
        const decisions: Decision[] = [];
        const refusals = await tokens.suspensions(tables);
        const refused = refusals.all();
        const isTrial = (id: string): boolean => tokens.isTrial(id);
        const verdicts = await recordResults(
          tables,
          settled,
          { ...standing, random, suspensions: refusals, isTrial },
          decisions,
        );
        const tried = await recordTokenChecks(tables, checks, refusals, standing, decisions);
        // What waits for a time by the clock that was wrong would wait for as much longer.
        if (setBack > 0) await tables.outbox.bringForward(setBack, at);
        if (settled.length > 0) parts.onStep?.("receipt written");
        const claimed: (ClaimedDelivery | undefined)[] = [];
        const full: Sender[] = [];
        for (const sender of claiming ? senders : []) {
          if (refusals.get(sender.platform) !== undefined) {
            if (tried.has(sender.platform))
              claimed.push(...(await claimTrial(tables, { sender, at }, refusals, standing, decisions)));
            continue;
          }
          const free = room.free(sender);
          const due = free > 0 ? await claimDue(tables, sender, at, free, decisions) : [];
          claimed.push(...due);
          if (due.length >= free) full.push(sender);
        }
        const served = senders.map(({ platform }) => platform);
        if (at - sweptAt >= MAX_IDLE) await expireOverdue(tables, at, decisions, newId, refusals, served);
        const work = await withMessages(tables, claimed, at, decisions, newId);
        await logDecisions(tables, decisions, at);
        // Where there is no room, what makes some wakes us.
        const isHeld = (sender: Sender): boolean => refusals.get(sender.platform) !== undefined;
        const roomy = senders.filter((one) => !full.includes(one) && !isHeld(one)).map(({ platform }) => platform);
        const next = await tables.outbox.nextRunAt(roomy, at);
        // Its channels are told so, and what they are told may be due on a platform that has had its turn.
        const accepted = refused.some(({ platform }) => refusals.get(platform) === undefined);
        const more = accepted || work.length < claimed.length;
        return { claimed: work, next, full, more, accepted, verdicts, refusals };
      });
      if (taken.accepted) mayWait = true;
      if (at - sweptAt >= MAX_IDLE) {
        sweptAt = at;
        mayWait = true;
      }
      const settledIds = settled.map(({ claimed }) => claimed.row.id);
      tokens.committed(
        taken.refusals,
        taken.claimed.map(({ claimed }) => claimed),
        settledIds,
      );
      if (settled.length > 0) parts.onStep?.("receipt kept");
      if (taken.claimed.length > 0) parts.onStep?.("deliveries claimed");
      for (const [index, { claimed }] of settled.entries()) {
        const { platform, phase, created_at } = claimed.row;
        parts.onOutcome?.({ platform, phase, verdict: taken.verdicts[index] ?? "retry", waited: at - created_at });
      }
      return taken;
    } catch (thrown) {
      // Nothing of it was kept: what came of the tries is still to be.
      outcomes = [...settled, ...outcomes];
      tokens.putBack(checks);
      wall.again(setBack);
      throw thrown;
    }
  }

  function begin({ claimed, message }: ClaimedMessage): void {
    const end = room.begin(claimed.row.id, claimed.row);
    const task = async (): Promise<void> => {
      const outcome = await attemptDelivery(parts, claimed, message, farewell.signal);
      end();
      underWay.delete(claimed.row.id);
      outcomes.push(outcome);
      ring();
    };
    underWay.set(claimed.row.id, task());
  }

  function untilDue(next: Milliseconds | undefined): Milliseconds {
    return next === undefined ? MAX_IDLE : Math.max(1, next - nowMillis(clock));
  }

  function untilRoom(sender: Sender): Milliseconds {
    return room.free(sender) > 0 ? 0 : (room.freeIn(sender) ?? MAX_IDLE);
  }

  /** A commit costs a sync of the disk, whatever is in it: answers that are there already share one. */
  async function gather(): Promise<void> {
    let before = -1;
    for (let tick = 0; tick < GATHER_TICKS && outcomes.length > before; tick += 1) {
      before = outcomes.length;
      await setImmediate();
    }
  }

  /** Spreads one portion of what is owed to many, while the ones before it are being sent. */
  async function spreadOne(): Promise<boolean> {
    if (!mayWait) return false;
    mayWait = await store.transaction(({ alerts: tables }) => fanOutNext(tables, newId));
    return mayWait;
  }

  return {
    wake() {
      mayWait = true;
      ring();
    },
    async run(signal) {
      signal.addEventListener("abort", ring, { once: true });
      let recovered = false;
      while (!signal.aborted) {
        let pause: Milliseconds;
        try {
          if (!recovered) await store.transaction(({ alerts }) => recoverUnfinished(alerts, nowMillis(clock)));
          recovered = true;
          bell = Promise.withResolvers<void>();
          const { claimed, next, full, more } = await turn(true);
          for (const work of claimed) begin(work);
          const asked = tokens.probeDue(farewell.signal);
          const spread = await spreadOne();
          pause = more || spread ? 0 : Math.min(MAX_IDLE, untilDue(next), asked, ...full.map(untilRoom));
        } catch (thrown) {
          log.error({ err: thrown }, "deliveries cannot be kept");
          pause = STORE_RETRY_DELAY;
        }
        if (pause > 0) await waitFor(bell.promise, pause, clock, signal);
        await gather();
      }
      await waitFor(Promise.all(underWay.values()), SHUTDOWN_GRACE, clock);
      farewell.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      if (outcomes.length > 0) {
        await turn(false).catch((thrown: unknown) => log.error({ err: thrown }, "the last receipts cannot be kept"));
      }
    },
  };
}

interface Turn {
  readonly claimed: readonly ClaimedMessage[];
  /** Some of what was due came to nothing, or something was added, so that something else may be due now. */
  readonly more: boolean;
  /** Where there was no room for more. */
  readonly full: readonly Sender[];
  /** When something becomes due that is not yet; Unix milliseconds. */
  readonly next: Milliseconds | undefined;
}

interface ClaimedMessage {
  readonly claimed: ClaimedDelivery;
  readonly message: AlertMessage;
}

/** With what they say; one that says nothing that this program understands is given up, and keeps nothing waiting. */
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
