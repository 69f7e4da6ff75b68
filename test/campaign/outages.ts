/** A fault of the simulated network, and the messages that it causes. */
export interface Outage {
  readonly name: string;
  readonly fault: Readonly<Record<string, unknown>>;
  /** The words of its trigger and its resolve. */
  readonly bad: RegExp;
  readonly good: RegExp;
  /** Its kind may be critical: its messages overtake all others. The loss of a network is a warning, however long. */
  readonly overtakes?: true;
}

export const OUTAGES: readonly Outage[] = [
  {
    name: "stall",
    fault: { kind: "stall" },
    bad: /testnet makes no block/u,
    good: /testnet made no block/u,
    overtakes: true,
  },
  {
    name: "death of a node",
    fault: { kind: "die", node: 2 },
    bad: /on testnet does not answer/u,
    good: /on testnet did not answer/u,
  },
  {
    name: "lag of a node",
    fault: { kind: "lag", node: 3, seconds: 400 },
    bad: /lags behind testnet/u,
    good: /lagged behind testnet/u,
  },
  {
    name: "death of all nodes",
    fault: { kind: "die" },
    bad: /does not see testnet/u,
    good: /did not see testnet/u,
  },
];
