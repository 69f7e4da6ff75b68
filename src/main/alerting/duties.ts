// What one process at a time does, such as the watching of a network, where several share a database. A process lives
// from one heartbeat to the next; what a dead one had, the first to notice takes over.
import type { Clock } from "../../api/clock.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Lease, Processes, Store } from "../../store/store.ts";
import { fromMillis, inTime, type Milliseconds, toMillis } from "../../units/time.ts";

export interface DutiesDependencies {
  readonly store: Pick<Store, "processes">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Begins the work of a duty. Returns how to end it: then the process has the duty no more. */
type Work = (lease: Lease) => () => Promise<void>;

export type Duties = ReturnType<typeof createDuties>;

/** So many heartbeats fit into a life: some may be lost. */
const BEATS_PER_LIFE = 4;
/** After so many of its own, every process that lives has sent one. */
const BEATS_UNTIL_KNOWN = 2;

/** How long a process that ends waits for its last heartbeat. */
const LAST_BEAT: Milliseconds = 1000;

interface Duty {
  readonly work: Work;
  /** While this process has it. */
  held?: { readonly lease: Lease; readonly stop: () => Promise<void>; ended?: Promise<void> } | undefined;
}

export function createDuties({ store: { processes }, clock, log }: DutiesDependencies) {
  const { aliveFor } = processes;
  const beatEvery = (aliveFor ?? 0) / BEATS_PER_LIFE;
  const duties = new Map<string, Duty>();
  const onFewer: (() => void)[] = [];
  const leaving = new AbortController();
  let live = 1;
  /** When the last heartbeat that arrived began, by the monotonic clock. */
  let beganAt = Number.NEGATIVE_INFINITY;
  let beating: Promise<void> | undefined;
  let failing = false;
  let started = false;
  let ending = false;
  let loop: Promise<void> | undefined;

  const isAlive = (): boolean => aliveFor === undefined || clock.monotonicMillis() - beganAt < aliveFor;

  function begin(name: string, duty: Duty, lease: Lease): void {
    duty.held = { lease, stop: duty.work(lease) };
    if (aliveFor !== undefined) log.info({ duty: name, epoch: lease.epoch }, "duty taken");
  }

  function drop(name: string, duty: Duty, why: string): void {
    const { held } = duty;
    if (held === undefined || held.ended !== undefined) return;
    if (!ending) log.warn({ duty: name, why }, "duty lost");
    held.ended = held
      .stop()
      .catch((thrown: unknown) => log.error({ err: thrown, duty: name }, "duty failed"))
      .finally(() => {
        duty.held = undefined;
      });
  }

  async function look(name: string, duty: Duty): Promise<void> {
    // Whoever has it remembers what a database that went back has lost.
    const kept = duty.held === undefined ? BEATS_UNTIL_KNOWN * beatEvery : 0;
    const lease = ending ? undefined : await processes.acquire(name, kept);
    if (duty.held !== undefined && duty.held.lease.epoch !== lease?.epoch) drop(name, duty, "another process has it");
    // The work of an earlier lease ends first.
    if (duty.held === undefined && lease !== undefined && !ending) begin(name, duty, lease);
  }

  async function beat(): Promise<void> {
    const now = clock.monotonicMillis();
    try {
      const counted = await processes.heartbeat();
      beganAt = now;
      const fewer = counted < live;
      live = counted;
      if (fewer) for (const listener of onFewer) listener();
      for (const [name, duty] of duties) await look(name, duty);
      failing = false;
    } catch (thrown) {
      if (!failing) log.warn({ why: messageOf(thrown) }, "heartbeat failed");
      failing = true;
    }
  }

  /** One heartbeat at a time, however long the database takes. */
  function beatOnce(): Promise<void> {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
    return beating;
  }

  async function run(every: Milliseconds): Promise<void> {
    const { signal } = leaving;
    while (!signal.aborted) {
      await clock.sleep(every, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (!isAlive()) for (const [name, duty] of duties) drop(name, duty, "the database does not answer");
      void beatOnce();
    }
  }

  return {
    /** Does this work whenever this process has the duty. */
    add(name: string, work: Work): void {
      duties.set(name, { work });
      // Behind a heartbeat under way, which may have passed it by.
      if (started) void (beating ?? Promise.resolve()).then(beatOnce);
    },
    /** Calls this whenever fewer processes live than at the last heartbeat: one has died, or ended in order. */
    onFewer: (listener: () => void): void => void onFewer.push(listener),
    /** The first heartbeat, and all that follow; resolves once it is over, also where it failed. */
    async start() {
      started = true;
      await beatOnce();
      if (aliveFor !== undefined) loop ??= run(beatEvery);
    },
    /** False where others may take this process for dead: then it sends nothing. */
    isAlive,
    /** How many processes share what a platform or a data node allows; 1 or more. */
    get live() {
      return live;
    },
    /** Ends all work; the process lives on. */
    async end() {
      ending = true;
      for (const [name, duty] of duties) drop(name, duty, "the process ends");
      await Promise.all([...duties.values()].flatMap(({ held }) => held?.ended ?? []));
    },
    /** The process dies: whatever it had is free at once. Never rejects. */
    async leave() {
      leaving.abort(new DOMException("Bellwether is stopping.", "AbortError"));
      // A heartbeat that arrives later brings the process back to life.
      await inTime(Promise.all([loop, beating]), { millis: LAST_BEAT, clock }, () => undefined);
      // A process that never began is in nobody's way.
      if (started) await processes.leave().catch(() => undefined);
    },
  };
}

/** The clock of all that is due: that of the database where several processes share one, whose own may differ. */
export function sharedClock(clock: Clock, { clockAhead }: Pick<Processes, "clockAhead">): Clock {
  return {
    monotonicMillis: () => clock.monotonicMillis(),
    sleep: (millis, signal) => clock.sleep(millis, signal),
    wallClock: () => fromMillis(toMillis(clock.wallClock()) + clockAhead()),
  };
}

/** A store whose transactions fail where this process has the duty no more. */
export function fencedStore(store: Pick<Store, "transaction">, lease: Lease): Pick<Store, "transaction"> {
  return {
    transaction: (work) =>
      store.transaction(async (tables) => {
        await tables.fence(lease);
        return work(tables);
      }),
  };
}
