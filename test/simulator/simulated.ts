import { onTestFinished } from "vitest";

import { startSimulator, type Simulator, type SimulatorOptions } from "../../src/simulator/simulator.ts";
import { fromMillis, nanoseconds, type Nanoseconds } from "../../src/units/time.ts";

/** A Thursday noon. */
export const NOON = fromMillis(Date.UTC(2026, 0, 15, 12));

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; throws where it is none. */
  readonly json: Record<string, unknown>;
}

export interface Simulated {
  readonly simulator: Simulator;
  readonly now: () => Nanoseconds;
  readonly advance: (seconds: number) => void;
  /** Asks a node: `ask("/api/v2/info")`, `ask("/api/v2/info", { node: 3, network: "testnet" })`. */
  readonly ask: (
    path: string,
    where?: { network?: "mainnet" | "testnet"; node?: number | "core" },
  ) => Promise<Answered>;
}

/** A simulator on a clock that stands still until the test moves it; without a rate limit unless the test wants one. */
export async function simulated(options: SimulatorOptions = {}): Promise<Simulated> {
  let at = NOON;
  const simulator = await startSimulator({ now: () => at, rateLimit: false, ...options });
  onTestFinished(() => simulator.close());
  return {
    simulator,
    now: () => at,
    advance(seconds) {
      at = nanoseconds(at + BigInt(Math.round(seconds * 1000)) * 1_000_000n);
    },
    ask: (path, { network = "mainnet", node = 1 } = {}) => fetchAll(`${simulator.url}/${network}/${node}${path}`),
  };
}

export async function fetchAll(url: string, init?: RequestInit): Promise<Answered> {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text) as Record<string, unknown>;
    },
  };
}

export interface PageOf<Node> {
  readonly edges: { cursor: string; node: Node }[];
  readonly pageInfo: { startCursor: string; endCursor: string; hasNextPage: boolean; hasPreviousPage: boolean };
}

/** The page in a reply, whatever its name. */
export function pageIn<Node = Record<string, string>>(answered: Answered): PageOf<Node> {
  const [page] = Object.values(answered.json);
  return page as PageOf<Node>;
}
