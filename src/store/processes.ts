import { randomBytes } from "node:crypto";

import type { Processes } from "./store.ts";

/** A new name for a process. */
export function processName(): string {
  return randomBytes(8).toString("hex");
}

/** A process that no other one can share the database with: it has every duty, and keeps it. */
export function soleProcess(): Processes {
  return {
    self: processName(),
    aliveFor: undefined,
    heartbeat: async () => ({ live: 1, buried: 0 }),
    leave: async () => undefined,
    acquire: async (name) => ({ name, epoch: 0 }),
    onChange: () => undefined,
  };
}
