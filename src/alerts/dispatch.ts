import { setImmediate } from "node:timers/promises";

import type { Clock } from "../api/clock.ts";
import { messageOf } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Reply } from "../reply/reply.ts";
import type { AlertTables } from "../store/alert-ports.ts";
import type { Store } from "../store/store.ts";
import type { Milliseconds } from "../units/duration.ts";
import { aboutOf } from "./about.ts";
import { GIVE_UP_AFTER } from "./back-off.ts";
import { claimDue, type Claimed } from "./claim.ts";
import { nowMillis, randomId } from "./engine-parts.ts";
import { AlertMessage } from "./message.ts";
import type { Decision } from "./owed.ts";
import { SendError, type Delivery, type Destination, type Receipt, type Sender } from "./sender.ts";
import { giveUp, settle, type Outcome, type Verdict } from "./settle.ts";
import type { OnStep } from "./steps.ts";
import { isMerged, type Wording } from "./wording.ts";
import { logDecisions } from "./write-owed.ts";

export interface DispatchParts {
  readonly store: Pick<Store, "transaction">;
  readonly clock: Clock;
  readonly log: Log;
  readonly senders: readonly Sender[];
  /** Pure and total. */
  readonly describe: (message: AlertMessage, wording: Wording) => Reply;
  /** Told of lost destinations. */
  readonly operators?: Destination;
  readonly onStep?: OnStep;
  /** For figures: what came of a try, and how long after it was owed. */
  readonly onOutcome?: (outcome: { platform: string; phase: string; verdict: Verdict; waited: Milliseconds }) => void;
  readonly newId?: () => string;
  /** From 0 to below 1. */
  readonly random?: () => number;
  /** A try that takes longer has an unknown outcome. Default 20 s. */
  readonly tryMillis?: Milliseconds;
  /** How many tries may be under way on one platform. Default 64. */
  readonly atOnce?: number;
}

/** Sends what is owed. */
export interface Dispatcher {
  /** Until the signal; then waits a little for tries under way and keeps what came of them. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Something new may be due. */
  wake(): void;
}

/** How often what has no sender is looked at, and the longest wait for a wake that was lost. */
const IDLE: Milliseconds = 60_000;
/** After a fault of the store. */
const AFTER_FAULT: Milliseconds = 1000;
const FAREWELL: Milliseconds = 3000;
/** For how many turns of the event loop answers that keep coming are gathered. */
const GATHER_TICKS = 8;

export function createDispatcher(parts: DispatchParts): Dispatcher {
  const { store, clock, log, senders, newId = randomId, random = Math.random } = parts;
  const { tryMillis = 20_000, atOnce = 64 } = parts;
  const settling = { random, newId, ...(parts.operators === undefined ? {} : { operators: parts.operators }) };
  const underWay = new Map<string, Promise<void>>();
  const byPlatform = new Map<string, number>();
  /** Aborts when what is under way gets no more time. */
  const farewell = new AbortController();
  let outcomes: Outcome[] = [];
  let sweptAt = -Infinity;
  let bell = Promise.withResolvers<void>();
  const wake = (): void => bell.resolve();

  /** Keeps what came of the last tries and takes the next ones, all in one transaction. */
  async function turn(claiming: boolean): Promise<Taken> {
    const settled = outcomes;
    outcomes = [];
    const at = nowMillis(clock);
    try {
      const taken = await store.transaction(async ({ alerts: tables }) => {
        const decisions: Decision[] = [];
        const verdicts = await settle(tables, settled, settling, decisions);
        if (settled.length > 0) parts.onStep?.("receipt written");
        const claimed: (Claimed | undefined)[] = [];
        for (const sender of claiming ? senders : []) {
          const free = room(sender.platform);
          if (free > 0) claimed.push(...(await claimDue(tables, sender, at, free, decisions)));
        }
        if (at - sweptAt >= IDLE) await sweep(tables, at, decisions);
        const work = await withMessages(tables, claimed, at, decisions);
        await logDecisions(tables, decisions, at);
        // Where every try is taken, the next one to end wakes us.
        const platforms = senders.map(({ platform }) => platform).filter((platform) => room(platform, claimed) > 0);
        const next = await tables.outbox.nextRunAt(platforms, at);
        return { claimed: work, next, more: work.length < claimed.length, verdicts };
      });
      if (at - sweptAt >= IDLE) sweptAt = at;
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
      throw thrown;
    }
  }

  /** How many more tries may be under way. */
  function room(platform: string, claimed: readonly (Claimed | undefined)[] = []): number {
    const taken = claimed.filter((one) => one?.sender.platform === platform).length;
    return atOnce - (byPlatform.get(platform) ?? 0) - taken;
  }

  function begin({ claimed, message }: Work): void {
    const { platform } = claimed.sender;
    byPlatform.set(platform, (byPlatform.get(platform) ?? 0) + 1);
    const task = async (): Promise<void> => {
      const outcome = await attempt(claimed, message);
      byPlatform.set(platform, (byPlatform.get(platform) ?? 1) - 1);
      underWay.delete(claimed.row.id);
      outcomes.push(outcome);
      wake();
    };
    underWay.set(claimed.row.id, task());
  }

  /** A commit costs a sync of the disk, whatever is in it: answers that are there already share one. */
  async function gather(): Promise<void> {
    let before = -1;
    for (let tick = 0; tick < GATHER_TICKS && outcomes.length > before; tick += 1) {
      before = outcomes.length;
      await setImmediate();
    }
  }

  async function attempt(claimed: Claimed, message: AlertMessage): Promise<Outcome> {
    const ended = new AbortController();
    const late = clock
      .sleep(tryMillis, ended.signal)
      .then(() => new SendError("maybe-sent", `no answer for ${tryMillis} ms`))
      .catch(() => undefined);
    try {
      parts.onStep?.("before sending");
      const abort = AbortSignal.any([farewell.signal, ended.signal]);
      const result = await Promise.race([send(claimed, message, abort), late]);
      parts.onStep?.("after sending");
      const at = nowMillis(clock);
      if (result instanceof SendError) return { claimed, error: result, at };
      return { claimed, ...(result === undefined ? {} : { receipt: result }), at };
    } catch (thrown) {
      const error =
        thrown instanceof SendError ? thrown : new SendError("maybe-sent", messageOf(thrown), { cause: thrown });
      return { claimed, error, at: nowMillis(clock) };
    } finally {
      ended.abort();
    }
  }

  async function send(claimed: Claimed, message: AlertMessage, signal: AbortSignal): Promise<Receipt | undefined> {
    const { row, sender, destination, mention, quiet, threadOf, edits, told, repeat } = claimed;
    const reply = worded(parts, message, {
      ...(isMerged(message, row) ? { merged: true } : {}),
      ...(repeat ? { repeat: true } : {}),
      ...(told === undefined ? {} : { told }),
    });
    if (edits !== undefined) {
      await sender.update(edits, reply, signal);
      return undefined;
    }
    const delivery: Delivery = {
      id: row.id,
      destination,
      ...(mention === undefined ? {} : { mention }),
      ...(quiet === undefined ? {} : { quiet }),
      ...(threadOf === undefined ? {} : { threadOf }),
      about: aboutOf(message, row.phase),
    };
    return sender.send(delivery, reply, signal);
  }

  return {
    wake,
    async run(signal) {
      signal.addEventListener("abort", wake, { once: true });
      let recovered = false;
      while (!signal.aborted) {
        let pause: Milliseconds;
        try {
          if (!recovered) await recover(store, nowMillis(clock));
          recovered = true;
          bell = Promise.withResolvers<void>();
          const { claimed, next, more } = await turn(true);
          for (const work of claimed) begin(work);
          if (more) continue;
          pause = Math.min(IDLE, next === undefined ? IDLE : Math.max(1, next - nowMillis(clock)));
        } catch (thrown) {
          log.error({ err: thrown }, "deliveries cannot be kept");
          pause = AFTER_FAULT;
        }
        await waitFor(bell.promise, pause, clock, signal);
        await gather();
      }
      await waitFor(Promise.all(underWay.values()), FAREWELL, clock);
      farewell.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      if (outcomes.length > 0) {
        await turn(false).catch((thrown: unknown) => log.error({ err: thrown }, "the last receipts cannot be kept"));
      }
    },
  };
}

interface Taken {
  readonly claimed: readonly Work[];
  /** Some of what was due came to nothing, so that something behind it may be due now. */
  readonly more: boolean;
  /** When something becomes due that is not yet; Unix milliseconds. */
  readonly next: Milliseconds | undefined;
}

interface Work {
  readonly claimed: Claimed;
  readonly message: AlertMessage;
}

/** With what they say; one that says nothing that this program understands is given up, and keeps nothing waiting. */
async function withMessages(
  tables: AlertTables,
  due: readonly (Claimed | undefined)[],
  at: Milliseconds,
  decisions: Decision[],
): Promise<Work[]> {
  const claimed = due.filter((one) => one !== undefined);
  const rows = await tables.outbox.messages([...new Set(claimed.map(({ row }) => row.message))]);
  const messages = new Map(rows.map(({ id, data }) => [id, AlertMessage.safeParse(JSON.parse(data)).data]));
  const work: Work[] = [];
  for (const one of claimed) {
    const message = messages.get(one.row.message);
    if (message !== undefined) {
      work.push({ claimed: one, message });
      continue;
    }
    const why = "what it says cannot be read";
    await giveUp(tables, { ...one.row, last_error: why }, at);
    decisions.push({ what: "dead letter", destination: one.row.destination, delivery: one.row.id, detail: why });
  }
  return work;
}

/** A message that cannot be worded is a bug, which no repetition mends. */
function worded({ describe, log }: DispatchParts, message: AlertMessage, wording: Wording): Reply {
  try {
    return describe(message, wording);
  } catch (thrown) {
    log.error({ err: thrown, type: message.type }, "an alert cannot be worded");
    throw new SendError("unhealable", "it cannot be worded", { cause: thrown });
  }
}

/** What a process that died was sending may have arrived: nobody will ever know. */
async function recover(store: DispatchParts["store"], at: Milliseconds): Promise<void> {
  await store.transaction(async ({ alerts: tables }) => {
    const left = await tables.outbox.recover();
    const decisions = left.map((row) => ({
      what: "outcome unknown",
      destination: row.destination,
      delivery: row.id,
      ...(row.episode === null ? {} : { episode: row.episode }),
      detail: `attempt ${row.attempts}: the process ended while it was being sent`,
    }));
    await logDecisions(tables, decisions, at);
  });
}

/** What no sender has taken for a day is given up like everything else. */
async function sweep(tables: AlertTables, at: Milliseconds, decisions: Decision[]): Promise<void> {
  for (const row of await tables.outbox.overdue(at - GIVE_UP_AFTER, 500)) {
    const why = row.last_error ?? "nothing could send it";
    await giveUp(tables, { ...row, last_error: why }, at);
    const about = { destination: row.destination, delivery: row.id };
    decisions.push({ what: "dead letter", ...about, detail: `after a day: ${why}` });
  }
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
