import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";

type State = Reading["state"];

/** A reading of the network's advance. */
export function stalled(state: State, more: { network?: string; badForMillis?: number } = {}): Reading {
  const { network = "mainnet", ...rest } = more;
  const common = { network, subject: "", state, seenBy: ["a:1"], nodes: 1, ...rest };
  return { kind: "network.stalled", ...common, facts: { frontier: "1682942400000000000", height: "1200" } };
}

export function blind(state: State, network = "mainnet"): Reading {
  const common = { network, subject: "", state, seenBy: [], nodes: 1 };
  return { kind: "watch.blind", ...common, facts: { nodes: [{ node: "a:1", why: "does not answer" }] } };
}

export function down(state: State, node = "a:1", network = "mainnet"): Reading {
  return { kind: "node.down", network, subject: node, state, seenBy: [], nodes: 2, facts: {} };
}

export function price(amount: string | undefined, market = "m1", network = "mainnet"): Reading {
  const state = amount === undefined ? "unknown" : "good";
  const common = { network, subject: market, label: "BTC/USD", state, seenBy: ["a:1"], nodes: 1 } as const;
  return { kind: "market.price", ...common, facts: amount === undefined ? {} : { price: amount } };
}

/** Values of a market, as alerts compare them. */
export function values(
  facts: Extract<Reading, { kind: "market.value" }>["facts"],
  market = "m1",
  network = "mainnet",
): Reading {
  const common = { network, subject: market, label: "BTC/USD", state: "good", seenBy: ["a:1"], nodes: 1 } as const;
  return { kind: "market.value", ...common, facts };
}

export function auction(state: State, market = "m1", network = "mainnet"): Reading {
  const common = { network, subject: market, label: "BTC/USD", state, seenBy: ["a:1"], nodes: 1 } as const;
  const facts = { tradingMode: "TRADING_MODE_MONITORING_AUCTION", trigger: "AUCTION_TRIGGER_PRICE" };
  return { kind: "market.auction", ...common, facts: state === "bad" ? facts : {} };
}
