import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

import type { Milliseconds } from "../units/duration.ts";
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
export type SharedProcesses = Omit<Processes, "self" | "aliveFor">;

/** One of several processes. `ask` opens the database, and rejects with a plain sentence where it does not answer. */
export function oneOfSeveral(
  self: string,
  ask: <T>(work: (processes: SharedProcesses) => Promise<T>) => Promise<T>,
): Processes {
  const later = (work: (processes: SharedProcesses) => void): void => {
    // Where the database does not answer, the next heartbeat rejects, too.
    ask(async (processes) => work(processes)).catch(() => undefined);
  };
  return {
    self,
    aliveFor: ALIVE_FOR,
    heartbeat: () => ask((processes) => processes.heartbeat()),
    live: () => ask((processes) => processes.live()),
    leave: () => ask((processes) => processes.leave()),
    acquire: (name) => ask((processes) => processes.acquire(name)),
    release: (name) => ask((processes) => processes.release(name)),
    announce: () => later((processes) => processes.announce()),
    onChange: (listener, signal) => later((processes) => processes.onChange(listener, signal)),
  };
}
