import { randomBytes } from "node:crypto";

import type { Milliseconds } from "../units/duration.ts";
import type { Processes } from "./store.ts";

/** Of several processes: long enough for a slow commit, short enough for another one to take over within 10 s. */
export const ALIVE_FOR: Milliseconds = 6000;

/** A new name for a process. */
export function processName(): string {
  return randomBytes(8).toString("hex");
}

/** A process that no other one can share the database with: it has every duty, and keeps it. */
export function singleProcess(): Processes {
  return {
    self: processName(),
    aliveFor: undefined,
    heartbeat: async () => 1,
    leave: async () => undefined,
    acquire: async (name) => ({ name, epoch: 0 }),
    release: async () => undefined,
    announce: () => undefined,
    onChange: () => undefined,
  };
}

/** What a database knows of its processes, loaded with the first call. */
export type SharedProcesses = Omit<Processes, "self" | "aliveFor">;

/** One of several processes. `ask` loads what the database knows, and says in plain words why it does not answer. */
export function oneOfSeveral(
  self: string,
  ask: <T>(work: (processes: SharedProcesses) => Promise<T>) => Promise<T>,
): Processes {
  const later = (work: (processes: SharedProcesses) => void): void => {
    // Where the database does not answer, the next heartbeat says so.
    ask(async (processes) => work(processes)).catch(() => undefined);
  };
  return {
    self,
    aliveFor: ALIVE_FOR,
    heartbeat: () => ask((processes) => processes.heartbeat()),
    leave: () => ask((processes) => processes.leave()),
    acquire: (name) => ask((processes) => processes.acquire(name)),
    release: (name) => ask((processes) => processes.release(name)),
    announce: () => later((processes) => processes.announce()),
    onChange: (listener, signal) => later((processes) => processes.onChange(listener, signal)),
  };
}
