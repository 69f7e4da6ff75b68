import type { LedgerAccount } from "./ledger-account.ts";

const DAY_NANOSECONDS = 86_400_000_000_000n;
/**
 * How long a node is presumed to keep the ledger. A standard node keeps it for 6 months
 * (https://docs.vega.xyz/mainnet/node-operators/data-nodes); the shortest 6 months, from January to July, have 181
 * days. This is a day less, since the node may delete the oldest day during the export.
 */
const PRESUMED_DAYS = 180n;
/** The same in nanoseconds. */
export const PRESUMED_HISTORY = PRESUMED_DAYS * DAY_NANOSECONDS;
/** Of more nodes, the one whose last export is the oldest is forgotten. */
const MAX_NODES = 1000;

interface Node {
  readonly network: string;
  readonly node: string;
  /** See LedgerStream. */
  readonly ledgerDays?: number | undefined;
}

interface Remembered extends Node {
  readonly outgoingOnly: boolean;
  /** The greatest age of a row that it sent, in nanoseconds. */
  readonly keptFor: bigint;
}

/** Remembers what the exports of this process showed about each node. */
export class NodeMemory {
  readonly #nodes = new Map<string, Remembered>();

  /** Names of the network's nodes that tell only what a party sent. */
  outgoingOnlyNodes(network: string): ReadonlySet<string> {
    const known = [...this.#nodes.values()].filter((node) => node.network === network && node.outgoingOnly);
    return new Set(known.map(({ node }) => node));
  }

  /**
   * Remembers what an export showed about its node. Returns the beginning of the node's history where the range begins
   * earlier, as a range without a beginning does. Times are Unix nanoseconds.
   */
  learn(
    { network, node, ledgerDays }: Node,
    seen: { readonly outgoingOnly: boolean; readonly firstTime: bigint | undefined },
    { from, now }: { readonly from: bigint | undefined; readonly now: bigint },
  ): LedgerAccount["partial"] {
    const key = `${network} ${node}`;
    const age = seen.firstTime === undefined ? 0n : now - seen.firstTime;
    const before = this.#nodes.get(key)?.keptFor ?? 0n;
    const keptFor = age > before ? age : before;
    this.#nodes.delete(key);
    this.#nodes.set(key, { network, node, outgoingOnly: seen.outgoingOnly, keptFor });
    const [oldest] = this.#nodes.keys();
    if (this.#nodes.size > MAX_NODES && oldest !== undefined) this.#nodes.delete(oldest);
    if (ledgerDays === Infinity) return undefined;
    const usual = (ledgerDays === undefined ? PRESUMED_DAYS : BigInt(ledgerDays)) * DAY_NANOSECONDS;
    const start = now - (keptFor > usual ? keptFor : usual);
    if (from !== undefined && from >= start) return undefined;
    return { from: String(start), how: keptFor > usual ? "seen" : ledgerDays === undefined ? "presumed" : "set" };
  }
}
