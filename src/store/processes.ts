import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

import type { Milliseconds } from "../units/time.ts";
import type { Processes } from "./store.ts";

/** After a heartbeat: long enough for a slow commit, short enough for another process to take over within 10 s. */
export const ALIVE_FOR: Milliseconds = 6000;

/** A new name for a process: its machine, its number there, and what tells it from all others. */
export function processName(): string {
  const machine = hostname()
    .toLowerCase()
    .replaceAll(/[^\da-z]+/gu, "-");
  return `${machine.slice(0, 40)}-${process.pid}-${randomBytes(8).toString("hex")}`;
}

/** The only process that can use its database: it has every duty, and keeps it. */
export function singleProcess(): Processes {
  return {
    self: processName(),
    aliveFor: undefined,
    clockAhead: () => 0,
    heartbeat: async () => 1,
    live: async () => [],
    leave: async () => undefined,
    acquire: async (name) => ({ name, epoch: 0 }),
    release: async () => undefined,
    announce: () => undefined,
    onChange: () => undefined,
  };
}

/** The processes as a database has them. */
export type SharedProcesses = Omit<Processes, "self" | "aliveFor" | "clockAhead">;

/** How far the clock of a database is ahead of this process's. Clocks that agree differ by nothing, however slow the way. */
export class ClockDifference {
  readonly #now: () => Milliseconds;
  #ahead: Milliseconds = 0;

  constructor(now: () => Milliseconds) {
    this.#now = now;
  }

  get ahead(): Milliseconds {
    return this.#ahead;
  }

  /** Begins to ask the database for its time. The answer is of some moment between then and the call of what this returns. */
  ask(): (answer: Milliseconds) => void {
    const asked = this.#now();
    return (answer) => {
      const [least, most] = [answer - this.#now(), answer - asked];
      this.#ahead = Math.min(Math.max(this.#ahead, least), most);
    };
  }
}

/** One of several processes. `ask` opens the database, and rejects with a plain sentence where it does not answer. */
export function oneOfSeveral(
  self: string,
  clock: Pick<ClockDifference, "ahead">,
  ask: <T>(work: (processes: SharedProcesses) => Promise<T>) => Promise<T>,
): Processes {
  const later = (work: (processes: SharedProcesses) => void): void => {
    // Where the database does not answer, the next heartbeat rejects, too.
    ask(async (processes) => work(processes)).catch(() => undefined);
  };
  return {
    self,
    aliveFor: ALIVE_FOR,
    clockAhead: () => clock.ahead,
    heartbeat: () => ask((processes) => processes.heartbeat()),
    live: () => ask((processes) => processes.live()),
    leave: () => ask((processes) => processes.leave()),
    acquire: (name, kept) => ask((processes) => processes.acquire(name, kept)),
    release: (name) => ask((processes) => processes.release(name)),
    announce: () => later((processes) => processes.announce()),
    onChange: (listener, signal) => later((processes) => processes.onChange(listener, signal)),
  };
}
