import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf, UserError } from "../errors.ts";
import { silentLog, type Log } from "../log.ts";
import { fromMillis, type Nanoseconds } from "../units/nanoseconds.ts";
import { serveNode, serveNothing } from "./data-node-server.ts";
import { FaultBook } from "./fault-book.ts";
import { Network, NETWORKS, type NetworkName } from "./network.ts";
import { SimulatedNode } from "./node.ts";
import { defaultProfile, type NodeProfile } from "./node-profile.ts";
import { DEFAULT_RATE_LIMIT, RateLimiter, type RateLimit } from "./rate-limiter.ts";
import { freshSamplesOf, samplesOf, type FreshSamples, type Samples } from "./samples.ts";

export interface SimulatorOptions {
  /** Two simulators of the same seed and clock tell the same. */
  readonly seed?: string;
  readonly host?: string;
  /** 0 = any that is free. */
  readonly port?: number;
  readonly now?: () => Nanoseconds;
  readonly nodesPerNetwork?: number;
  /** As a real node's (20 a second, burst 100, then a ban of ten minutes) where absent; false = none. */
  readonly rateLimit?: RateLimit | false;
  /** What differs from the usual, for the nodes 1, 2, … of both networks. */
  readonly nodes?: readonly Partial<NodeProfile>[];
  readonly log?: Log;
}

export interface Simulator {
  readonly seed: string;
  /** The server's own URL; asked at its root it answers as the first node of mainnet. */
  readonly url: string;
  readonly networks: Record<NetworkName, { name: string; url: string }[]>;
  /** Base URLs that serve `/parties/stake` alone, as a core node does. */
  readonly coreUrls: Record<NetworkName, string>;
  readonly faults: FaultBook;
  readonly samples: Record<NetworkName, Samples>;
  freshSamples(network: NetworkName): FreshSamples;
  /** Changes how a node speaks, while it runs. */
  configure(network: NetworkName, node: number, changes: Partial<NodeProfile>): void;
  close(): Promise<void>;
}

export const DEFAULT_SEED = "bellwether";

interface Place {
  readonly node: SimulatedNode;
  readonly limiter: RateLimiter | undefined;
  readonly at: "data-node" | "core";
  /** The path below the base URL. */
  readonly path: string;
}

/** Starts two networks of data nodes on one port. Throws UserError where the port cannot be had. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { seed = DEFAULT_SEED, host = "127.0.0.1", port = 0, nodesPerNetwork = 3, log = silentLog() } = options;
  const now = options.now ?? ((): Nanoseconds => fromMillis(Date.now()));
  const faults = new FaultBook(now);
  const networks = { mainnet: new Network("mainnet", seed), testnet: new Network("testnet", seed) };
  const rateLimit = options.rateLimit ?? DEFAULT_RATE_LIMIT;
  const newLimiter = (): RateLimiter | undefined => (rateLimit === false ? undefined : new RateLimiter(rateLimit, now));
  const nodesOf = (name: NetworkName): { node: SimulatedNode; limiter: RateLimiter | undefined }[] =>
    Array.from({ length: nodesPerNetwork }, (_, index) => {
      const profile = { ...defaultProfile(index + 1), ...options.nodes?.[index] };
      const node = new SimulatedNode(networks[name], index + 1, profile, faults, now);
      return { node, limiter: newLimiter() };
    });
  const nodes = { mainnet: nodesOf("mainnet"), testnet: nodesOf("testnet") };
  const stopped = new AbortController();

  const find = (path: string): Place | undefined => {
    const match = /^\/(mainnet|testnet)\/(\d{1,4}|core)(\/.*)?$/u.exec(path);
    const name = (match?.[1] ?? "mainnet") as NetworkName;
    const core = match?.[2] === "core";
    const found = nodes[name][core || match === null ? 0 : Number(match[2]) - 1];
    if (found === undefined) return undefined;
    return { ...found, at: core ? "core" : "data-node", path: match === null ? path : (match[3] ?? "/") };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://simulator.invalid");
    const place = find(pathname);
    if (place === undefined) return serveNothing(response);
    return serveNode(place.node, place.limiter, {
      request,
      response,
      path: decodePath(place.path),
      query: searchParams,
      at: place.at,
      signal: stopped.signal,
    });
  };

  const server = createServer((request, response) => {
    request.resume();
    handle(request, response).catch((mistake: unknown) => {
      if (!stopped.signal.aborted) log.error({ err: mistake, url: request.url }, "the simulator failed to answer");
      request.socket.destroy();
    });
  });
  await listen(server, host, port);
  const { port: bound } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;

  const byNetwork = <T>(make: (name: NetworkName) => T): Record<NetworkName, T> => ({
    mainnet: make("mainnet"),
    testnet: make("testnet"),
  });
  log.info({ url, seed, networks: NETWORKS }, "simulated networks are up");
  return {
    seed,
    url,
    networks: byNetwork((name) =>
      nodes[name].map(({ node }) => ({ name: node.name, url: `${url}/${name}/${node.number}` })),
    ),
    coreUrls: byNetwork((name) => `${url}/${name}/core`),
    faults,
    samples: byNetwork((name) => samplesOf(networks[name])),
    freshSamples: (network) => freshSamplesOf(networks[network], now()),
    configure(network, number, changes) {
      const found = nodes[network][number - 1];
      if (found === undefined) throw new UserError(`The simulated ${network} has no node ${number}.`);
      found.node.profile = { ...found.node.profile, ...changes };
    },
    async close() {
      stopped.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(
        new UserError(`The simulator cannot listen on ${host} port ${port}: ${messageOf(error)}.`, {
          remedy: "Choose another port, or 0 for any that is free.",
          cause: error,
        }),
      );
    });
    server.listen(port, host, () => {
      server.removeAllListeners("error");
      server.on("error", () => {});
      resolve();
    });
  });
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
