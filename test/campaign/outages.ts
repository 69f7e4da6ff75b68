/** A fault of the simulated network, and the messages that it causes. */
export interface Outage {
  readonly name: string;
  readonly fault: Readonly<Record<string, unknown>>;
  /** The words of its trigger and its resolve. */
  readonly bad: RegExp;
  readonly good: RegExp;
  /** It may be critical: its messages overtake all others. */
  readonly overtakes?: true;
}

export const OUTAGES: readonly Outage[] = [
  {
    name: "stall",
    fault: { kind: "stall" },
    bad: /testnet has made no block/u,
    good: /testnet makes blocks again/u,
    overtakes: true,
  },
  {
    name: "death of a node",
    fault: { kind: "die", node: 2 },
    bad: /on testnet has not answered/u,
    good: /answers again on/u,
  },
  {
    name: "lag of a node",
    fault: { kind: "lag", node: 3, seconds: 400 },
    bad: /has lagged behind testnet/u,
    good: /has caught up on testnet/u,
  },
  {
    name: "death of all nodes",
    fault: { kind: "die" },
    bad: /has not seen testnet/u,
    good: /sees testnet again/u,
    overtakes: true,
  },
];
