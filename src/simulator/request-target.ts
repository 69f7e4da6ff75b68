import { withoutUndefined } from "../units/without-undefined.ts";
import type { NetworkName } from "./network.ts";

/** The target of a path on the simulator's server. */
export type RequestTarget =
  | { readonly kind: "node"; readonly network: NetworkName; readonly node: number; readonly path: string }
  | { readonly kind: "core"; readonly network: NetworkName; readonly path: string }
  | { readonly kind: "control"; readonly scope: ControlScope; readonly path: string };

/** One node, a network, or everything. */
export interface ControlScope {
  readonly network?: NetworkName;
  readonly node?: number;
}

/**
 * `/mainnet/2/api/v2/info` is node 2 of mainnet, and `/mainnet/core/parties/stake` is its core. `/control/…` is control,
 * alone or behind a network or a node. Any other path is mainnet's first node.
 */
export function requestTarget(pathname: string): RequestTarget {
  const match = /^(?:\/(mainnet|testnet)(?:\/(\d{1,4}|core))?)?(\/.*)?$/u.exec(pathname);
  const network = match?.[1] as NetworkName | undefined;
  const place = match?.[2];
  const path = match?.[3] ?? "/";
  if (place === "core" && network !== undefined) return { kind: "core", network, path };
  const node = place === undefined ? undefined : Number(place);
  if (path === "/control" || path.startsWith("/control/")) {
    const scope = withoutUndefined({ network, node });
    return { kind: "control", path, scope };
  }
  if (network === undefined) return { kind: "node", network: "mainnet", node: 1, path };
  return { kind: "node", network, node: node ?? 0, path };
}
