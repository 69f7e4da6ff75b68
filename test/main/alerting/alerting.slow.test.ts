import { writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { AlertJson } from "../../../src/adapters/web/alerts/alert-json.ts";
import { type EventReader, readEvents } from "../../adapters/web/alerts/event-reader.ts";
import { createSandbox, type Sandbox, type Running } from "../../support/bellwether.ts";

// A real process whose watch is quick, on a simulated network that is made to stand still.

const QUICK = {
  poll: { time: "100ms", checkpoints: "1h", rest: "1h" },
  stalled: { for: "2s", criticalFor: "1h" },
  keep: { rounds: 2, for: "300ms" },
};

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.cleanUp());

function start(more: Record<string, string> = {}): Running {
  writeFileSync(path.join(sandbox.folder, "alerts.json"), JSON.stringify(QUICK));
  return sandbox.run(["start"], { ALERTS_CONFIG: "alerts.json", ...more });
}

const urlOf = async (running: Running): Promise<string> =>
  (await running.printed(/^Bellwether runs: (http:\S+)/mu))[1] ?? "";

async function incident(url: string, stalled: boolean): Promise<void> {
  const response = await fetch(new URL("/api/incident", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ network: "mainnet", stalled }),
  });
  expect(response.status).toBe(200);
}

interface Watch {
  readonly networks: readonly {
    readonly network: string;
    readonly verdict?: { readonly state: string };
    readonly stalled: { readonly phase: string };
    readonly incident?: { readonly since: string };
  }[];
  readonly open: readonly { readonly episode: string; readonly acknowledged?: { readonly by: string } }[];
}

async function watch(url: string): Promise<Watch> {
  return (await (await fetch(new URL("/api/watch", url))).json()) as Watch;
}

/** Asks until it is so. */
async function watched(url: string, so: (state: Watch) => boolean): Promise<Watch> {
  for (;;) {
    const state = await watch(url);
    if (so(state)) return state;
    await sleep(20);
  }
}

const mainnet = ({ networks }: Watch) => networks.find(({ network }) => network === "mainnet");
const ofStall = (reader: EventReader): AlertJson[] =>
  reader.alerts().filter(({ kind, network }) => kind === "network.stalled" && network === "mainnet");

// Five processes start and end: on a machine with much else to do that takes a while.
describe("a bot that watches", { timeout: 90_000 }, () => {
  it("notifies the console of a stall once, and of its end once, though it was killed before and in between", async () => {
    let running = start();
    let url = await urlOf(running);
    await watched(url, (state) => mainnet(state)?.verdict?.state === "healthy");
    await incident(url, true);
    // Pending, unless this machine is so slow that it has fired already.
    const before = await watched(url, (state) => mainnet(state)?.stalled.phase !== "ok");
    await running.kill("SIGKILL");

    running = start();
    url = await urlOf(running);
    let reader = await readEvents(url);
    await reader.until((one) => ofStall(one).length === 1);
    const [fired] = ofStall(reader);
    expect(fired).toMatchObject({ state: "firing", severity: "warning", episode: "network.stalled|mainnet||1" });
    expect(JSON.stringify(fired?.reply.title)).toContain("SIMULATED");
    // The standstill goes on where it began.
    expect(mainnet(await watch(url))?.incident).toEqual(mainnet(before)?.incident);
    const open = await watched(url, (state) => state.open.length > 0);
    expect(open.open.map(({ episode }) => episode)).toContain(fired?.episode);
    await running.kill("SIGKILL");
    await reader.ended;

    running = start();
    url = await urlOf(running);
    reader = await readEvents(url, { "Last-Event-ID": fired?.id ?? "" });
    await watched(url, (state) => mainnet(state)?.verdict?.state === "stalled");
    await incident(url, false);
    await reader.until((one) => ofStall(one).length === 1);
    expect(ofStall(reader)).toMatchObject([{ state: "resolved", episode: fired?.episode }]);
    reader.close();

    // All of it, from the beginning.
    const whole = await readEvents(url);
    await whole.until((one) => ofStall(one).length === 2);
    whole.close();
    expect(ofStall(whole).map(({ state }) => state)).toEqual(["firing", "resolved"]);
    expect(await running.kill("SIGTERM")).toMatchObject({ code: 0 });
  });

  it("keeps no look where it is told so, else of each watcher, and says of how many markets it keeps none", async () => {
    const kept = async (LOOKS_KEEP: string) => {
      const DATABASE_URL = `file:./${LOOKS_KEEP}.db`;
      const running = start({ LOOKS_KEEP, LOOKS_MARKETS: "2", DATABASE_URL });
      const url = await urlOf(running);
      using database = new DatabaseSync(path.join(sandbox.folder, `${LOOKS_KEEP}.db`), { readOnly: true });
      const of = (sql: string) =>
        database
          .prepare(sql)
          .all()
          .map(({ watcher }) => watcher);
      const snapshots = "SELECT watcher FROM watcher_snapshots WHERE network = 'mainnet'";
      await watched(url, (state) => mainnet(state)?.verdict?.state === "healthy" && of(snapshots).includes("markets"));
      const { stdout, stderr } = await running.kill("SIGTERM");
      const beyond = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("markets without looks"));
      return { beyond, watchers: of("SELECT DISTINCT watcher FROM looks_tail WHERE network = 'mainnet'") };
    };
    expect(await kept("0")).toEqual({ beyond: [], watchers: [] });
    const { beyond, watchers } = await kept("1d");
    expect(beyond.filter((line) => line.includes("mainnet"))).toHaveLength(1);
    expect(watchers).toEqual(expect.arrayContaining(["sources", "markets", "settings"]));
  });
});
