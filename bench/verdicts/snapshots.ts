import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import type { AsOf } from "../../src/api/api-client.ts";
import { HISTORIES } from "../../src/api/histories.ts";
import type { Nanoseconds } from "../../src/units/time.ts";
import type { HistoryState } from "../../src/watchers/history/history.ts";
import { updateHistory } from "../../src/watchers/history/history-update.ts";
import { overdueReading } from "../../src/watchers/history/overdue.ts";
import type { Round, World } from "./world.ts";

const EVERY = 60_000;
/** The watcher asks a node as near the chain's end. */
const NEAR = 60_000;

function snapshotAt(height: number) {
  const unknown = { coreVersion: undefined, protocolUpgradeBlock: undefined };
  return { ...unknown, blockHeight: BigInt(height), blockHash: String(height) };
}

/** The watcher of snapshots as far as it is pure; each look asks a node that keeps up, where one answers. */
export class SnapshotsJudge {
  readonly #network: string;
  readonly #nodes: number;
  readonly #world: Pick<World, "snapshots">;
  #state: HistoryState | undefined;
  #due = 0;

  constructor(network: string, nodes: number, world: Pick<World, "snapshots">) {
    this.#network = network;
    this.#nodes = nodes;
    this.#world = world;
  }

  /** Undefined where it does not look, or nobody answers. */
  look(round: Round): readonly Reading[] | undefined {
    const { at, said, tip, wallClock } = round;
    if (at < this.#due) return undefined;
    const index = said.findIndex((one) => one !== undefined && Math.abs(tip.time - one.time) < NEAR);
    if (index === -1) return undefined;
    this.#due = at + EVERY;
    const node = `node-${index + 1}`;
    const asOf: AsOf = {
      network: this.#network,
      node,
      blockHeight: BigInt(tip.height),
      blockTime: (BigInt(Math.round(tip.time * 1000)) * 1000n) as Nanoseconds,
      receivedAt: wallClock as Nanoseconds,
      simulated: false,
    };
    const rows = this.#world.snapshots(round).map((height) => ({ cursor: undefined, node: snapshotAt(height), asOf }));
    this.#state = updateHistory(HISTORIES.snapshots, this.#state, { rows, complete: false, asOf }).state;
    return [overdueReading("snapshot.overdue", { network: this.#network, nodes: this.#nodes }, this.#state)];
  }
}
