import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { checkpointsWatcher } from "../../../src/watchers/history/lists.ts";
import type { NodeSelector } from "../../../src/watchers/sources/node-selector.ts";
import { clientOf } from "../../api/client-under-test.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";
import { ManualObserver } from "../manual-observer.ts";
import { chainNode, type ChainNode } from "./chain-node.ts";

const START = 1_682_942_400;

export interface WatchedChain {
  readonly nodes: readonly ChainNode[];
  readonly observer: ManualObserver<unknown>;
  readonly clock: VirtualClock;
  /** Makes a checkpoint at every node that receives them. */
  readonly add: (block: number, hash?: string) => void;
  /** Virtual time goes on, and with it the chain: ten blocks in seven seconds. */
  readonly pass: (seconds: number) => Promise<void>;
  readonly newEvents: () => Promise<readonly string[]>;
  /** Looks until the pace of the blocks is known: 28 s. */
  readonly learnPace: () => Promise<void>;
}

/** Some nodes of one chain with checkpoints at these blocks, and an observer of them. */
export async function watchedChain(
  count: number,
  blocks: readonly number[] = [],
  selector?: NodeSelector,
): Promise<WatchedChain> {
  const clock = new VirtualClock();
  const rows = blocks.map((block) => ({ block, hash: `h${block}` }));
  const height = Math.max(1, ...blocks);
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, index) => chainNode(`n${index}`, { rows: [...rows], height, seconds: START })),
  );
  const api = clientOf(
    nodes.map(({ url }) => url),
    { clock, limits: { retryMillis: 0, tryMillis: 500 } },
  );
  const options = { network: "mainnet", nodes: count, config: DEFAULT_ALERTS_CONFIG };
  const watcher = checkpointsWatcher(selector === undefined ? options : { ...options, selector });
  const observer = new ManualObserver<unknown>(watcher, api, () => clock.wallClock());
  const chain: WatchedChain = {
    nodes,
    observer,
    clock,
    add: (block, hash = `h${block}`) => {
      for (const node of nodes.filter(({ frozen }) => !frozen)) {
        node.height = Math.max(node.height, block);
        if (!node.lacking) node.rows.push({ block, hash });
      }
    },
    async pass(seconds) {
      await clock.advance(seconds * 1000);
      for (const node of nodes) {
        if (node.frozen) continue;
        node.seconds += seconds;
        node.height += Math.round(seconds / 0.7);
      }
    },
    newEvents: async () => (await observer.observe()).events.map(brief),
    async learnPace() {
      for (let look = 0; look < 4; look += 1) {
        await observer.observe();
        await chain.pass(7);
      }
    },
  };
  return chain;
}

function brief(event: AlertEvent): string {
  if (event.kind === "checkpoint.new") return `${event.atBlock}/${event.hash}`;
  if (event.kind === "history.reset") {
    const { lastSeen, oldest, newest, pruned = false } = event;
    return `${pruned ? "pruned after" : "reset of"} ${lastSeen}, now ${oldest ?? "?"} to ${newest ?? "?"}`;
  }
  return event.kind;
}

export const spaced = (count: number, from = 1000, step = 430): number[] =>
  Array.from({ length: count }, (_, index) => from + index * step);
