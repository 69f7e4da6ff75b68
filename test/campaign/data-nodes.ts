import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

import { toMicros } from "../../src/simulator/chain/chain.ts";
import { createNetwork } from "../../src/simulator/network.ts";
import { fromMillis, nanoseconds } from "../../src/units/time.ts";
import { ROOT } from "../support/bellwether.ts";

/** The network's time runs so much faster than ours: a checkpoint every second and a half. */
const SPEED = 40;
const HOUR = 3_600_000;
/** Longer than a scene takes on a slow machine, in the network's time. */
const SCENE_HOURS = 10;

/** One row of a list that grows with the chain. */
interface ChainRow {
  readonly block: number;
  readonly hash: string;
}

/** The lists of the chain so far, each in chain order. */
export interface ChainLists {
  readonly checkpoints: readonly ChainRow[];
  readonly snapshots: readonly ChainRow[];
}

/** The simulated network of a campaign, in its own process: reads its lists, and sets its faults. */
export class DataNodes {
  readonly urls: readonly string[];
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string, urls: readonly string[]) {
    this.#child = child;
    this.#url = url;
    this.urls = urls;
  }

  static async start(seed: string): Promise<DataNodes> {
    const script = path.join(ROOT, "test/campaign/network.ts");
    const args = ["--seed", seed, "--from", String(calmStretch(seed)), "--speed", String(SPEED)];
    const child = spawn(process.execPath, [path.join(ROOT, "bin/run.mjs"), script, ...args], {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    child.stdout?.setEncoding("utf8");
    const [line] = (await once(child.stdout!, "data")) as [string];
    const { url, nodes } = JSON.parse(line) as { url: string; nodes: string[] };
    return new DataNodes(child, url, nodes);
  }

  /** The newest rows of each list. */
  async lists(): Promise<ChainLists> {
    const [checkpoints, snapshots] = await Promise.all([
      this.#rows("checkpoints", "checkpoints"),
      this.#rows("snapshots", "coreSnapshots"),
    ]);
    return {
      checkpoints: checkpoints.map(({ atBlock, hash }) => ({ block: Number(atBlock), hash: hash ?? "" })),
      snapshots: snapshots.map(({ blockHeight, blockHash }) => ({ block: Number(blockHeight), hash: blockHash ?? "" })),
    };
  }

  async #rows(path: string, list: string): Promise<Readonly<Record<string, string>>[]> {
    const query = "pagination.first=400&pagination.newestFirst=true";
    const response = await fetch(`${this.#url}/testnet/1/api/v2/${path}?${query}`);
    const body = (await response.json()) as Record<string, { edges: { node: Record<string, string> }[] }>;
    return (body[list]?.edges ?? []).map(({ node }) => node).toReversed();
  }

  async fail(fault: Readonly<Record<string, unknown>>): Promise<void> {
    const response = await fetch(`${this.#url}/testnet/control/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fault),
    });
    if (!response.ok) throw new Error(`the fault was refused: ${await response.text()}`);
  }

  async heal(): Promise<void> {
    await fetch(`${this.#url}/control/faults`, { method: "DELETE" });
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

/** A time, well before now, after which no upgrade of the network's core happens within a scene. */
function calmStretch(seed: string): bigint {
  const { chain } = createNetwork("testnet", seed);
  const upgrades = (millis: number): number =>
    chain.upgradesBefore(chain.toActive(toMicros(nanoseconds(fromMillis(millis)))));
  // A time ahead of the wall clock would not be plausible.
  let from = Date.now() - 100 * HOUR;
  while (upgrades(from - HOUR) !== upgrades(from + SCENE_HOURS * HOUR)) from += HOUR;
  return fromMillis(from);
}
