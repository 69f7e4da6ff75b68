import path from "node:path";

import { onTestFinished, vi } from "vitest";

import { scratchFolder } from "../../../bench/support/export-once.ts";
import { drawPlan } from "../../../bench/verdicts/plan.ts";
import { fault } from "../../../bench/verdicts/sickness.ts";
import { traceOf } from "../../../bench/verdicts/traces.ts";
import { silentLog } from "../../../src/log.ts";
import { SETTINGS } from "../../../src/looks/keep.ts";
import { type Look, lookFromText, lookToText } from "../../../src/looks/look.ts";
import { createStore } from "../../../src/store/create-store.ts";
import { toMillis } from "../../../src/units/time.ts";

export const MINUTE = 60_000;
const HALT = { from: 10 * MINUTE, to: 14 * MINUTE };
const QUIET = { poll: 15_000, loss: 0, away: [], botClock: [], chainClock: [], slow: [], withheld: [] };
/** Half an hour of three nodes: the chain halts, and one node is down for longer. */
export const LINES = [
  ...traceOf({
    ...drawPlan(3),
    ...QUIET,
    name: "half an hour",
    nodes: 3,
    heights: true,
    length: 30 * MINUTE,
    halts: [HALT],
    faults: [fault(1, 9 * MINUTE, 20 * MINUTE, { sort: "dead", speed: 1000 })],
  }),
];

/** A folder until the end of the test. */
export async function scratch(): Promise<string> {
  const folder = await scratchFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

/** A database that keeps these looks, and what a subcommand prints on it. */
export async function watched(isKept: (look: Look) => boolean = () => true) {
  const at = await scratch();
  const url = `file:${path.join(at, "bellwether.db")}`;
  vi.stubEnv("DATABASE_URL", url);
  const [said, complained]: [string[], string[]] = [[], []];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void said.push(line));
  const error = vi.spyOn(console, "error").mockImplementation((line: string) => void complained.push(line));
  onTestFinished(() => {
    log.mockRestore();
    error.mockRestore();
    vi.unstubAllEnvs();
  });
  const store = createStore({ url, log: silentLog() });
  await store.claim();
  await store.transaction(async ({ alerts: { watch } }) => {
    for (const line of LINES) {
      if (!("look" in line) && !("settings" in line)) continue;
      const {
        look,
        trueAt: _,
        ...rest
      } = "look" in line
        ? line
        : { look: SETTINGS, at: line.at, trueAt: "", run: line.run, dueMillis: 0, every: 0, seen: line.settings };
      const kept = lookFromText(JSON.stringify(rest));
      if (look !== SETTINGS && !isKept(kept)) continue;
      await watch.putSnapshot("mainnet", look, toMillis(kept.at), "{}", lookToText(kept));
    }
  });
  await store.close();
  const range = ["--network", "mainnet", "--from", "2024-06-03", "--to", "2024-06-04"];
  return { at, url, said, complained, range };
}
