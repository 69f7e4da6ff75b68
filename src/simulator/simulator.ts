// An embedded network with the complete API of a data node. `network.ts` combines the state of a network (`chain/`,
// `market/`, `assets/`), `node/` answers as one of its data nodes (`gateway/` formats errors and pages), and `faults/`
// injects faults.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { messageOf, UserError } from "../errors.ts";
import { type Log, silentLog } from "../log.ts";
import { decoded } from "../units/redact.ts";
import { fromMillis, type Nanoseconds } from "../units/time.ts";
import { serveControl } from "./faults/control.ts";
import { FaultList } from "./faults/faults.ts";
import { createNetwork, type NetworkName } from "./network.ts";
import { defaultProfile, type NodeProfile } from "./node/node-profile.ts";
import { serveNode, serveUnknownNode } from "./node/node-server.ts";
import { SimulatedNode } from "./node/node.ts";
import { DEFAULT_RATE_LIMIT, type RateLimit, RateLimiter } from "./node/rate-limiter.ts";
import { requestTarget } from "./request-target.ts";
import { freshSamplesOf, samplesOf } from "./samples.ts";

export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

export interface SimulatorOptions {
  /** Two simulators of the same seed and clock give the same answers. */
  readonly seed?: string;
  readonly host?: string;
  readonly port?: number;
  readonly now?: () => Nanoseconds;
  readonly nodesPerNetwork?: number;
  /** Default: as on a real node (20 a second, burst 100, then a ban of ten minutes); false = none. */
  readonly rateLimit?: RateLimit | false;
  /** Deviations from the default profile, for the nodes 1, 2, … of both networks. */
  readonly nodes?: readonly Partial<NodeProfile>[];
  readonly log?: Log;
}

export const DEFAULT_SEED = "bellwether";

/** Starts two networks of data nodes on one port. Throws UserError if the port is not available. */
export async function startSimulator(options: SimulatorOptions = {}) {
  const { seed = DEFAULT_SEED, host = "127.0.0.1", port = 0, nodesPerNetwork = 3, log = silentLog() } = options;
  const now = options.now ?? ((): Nanoseconds => fromMillis(Date.now()));
  const faults = new FaultList(now);
  const byNetwork = <T>(make: (name: NetworkName) => T): Record<NetworkName, T> => ({
    mainnet: make("mainnet"),
    testnet: make("testnet"),
  });
  const networks = byNetwork((name) => createNetwork(name, seed, now()));
  const rateLimit = options.rateLimit ?? DEFAULT_RATE_LIMIT;
  const nodes = byNetwork((name) =>
    Array.from({ length: nodesPerNetwork }, (_, index) => {
      const profile = { ...defaultProfile(index + 1), ...options.nodes?.[index] };
      const node = new SimulatedNode(networks[name], index + 1, profile, faults, now);
      return { node, limiter: rateLimit === false ? undefined : new RateLimiter(rateLimit, now) };
    }),
  );
  const stopped = new AbortController();

  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new UserError(`The simulator cannot listen on ${host} port ${port}: ${messageOf(error)}.`, {
      remedy: "Choose another port, or 0 for any that is free.",
      cause: error,
    });
  }
  server.on("error", () => {});
  const { port: bound } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;

  const simulator = {
    seed,
    /** The server's own URL; its root is the first node of mainnet. */
    url,
    networks: byNetwork((name) =>
      nodes[name].map(({ node }) => ({ name: node.name, url: `${url}/${name}/${node.number}` })),
    ),
    /** Base URLs of core nodes, which serve `/parties/stake` alone. */
    coreUrls: byNetwork((name) => `${url}/${name}/core`),
    faults,
    samples: byNetwork((name) => samplesOf(networks[name])),
    freshSamples: (network: NetworkName) => freshSamplesOf(networks[network], now()),
    /** Changes the profile of a running node. */
    configure(network: NetworkName, number: number, changes: Partial<NodeProfile>): void {
      const found = nodes[network][number - 1];
      if (found === undefined) throw new RangeError(`The simulated ${network} has no node ${number}.`);
      found.node.profile = { ...found.node.profile, ...changes };
    },
    async close() {
      stopped.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://simulator.invalid");
    const target = requestTarget(pathname);
    const path = decoded(target.path);
    if (target.kind === "control") {
      return serveControl(simulator, target.scope, path, query, request, response);
    }
    request.resume();
    const found = nodes[target.network][target.kind === "core" ? 0 : target.node - 1];
    if (found === undefined) return serveUnknownNode(response);
    const limiter = target.kind === "core" ? undefined : found.limiter;
    return serveNode(found.node, limiter, { request, response, path, query, at: target.kind, signal: stopped.signal });
  };

  // No request has arrived yet: the server has listened only since this turn of the event loop.
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((mistake: unknown) => {
      if (!stopped.signal.aborted) log.error({ err: mistake, url: request.url }, "simulator request failed");
      request.socket.destroy();
    });
  });
  log.debug({ url, seed }, "simulator ready");
  return simulator;
}
