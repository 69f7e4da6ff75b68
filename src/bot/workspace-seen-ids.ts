import type { Platforms } from "../alerts/platform.ts";
import type { SeenIds, SeenKind } from "../store/store.ts";
import type { Target } from "./invocation.ts";

/** Kinds that people look up for themselves; markets, assets and nodes are listed to everybody. */
const OWN_KINDS: readonly SeenKind[] = ["order", "party", "proposal"];

/**
 * The ids seen that a workspace may see: without the orders, parties and proposals of other workspaces. Each workspace
 * stores these kinds under a network name of its own.
 */
export function workspaceSeenIds(
  seen: SeenIds,
  { platform, workspace }: Pick<Target, "platform" | "workspace">,
  platforms: Platforms,
): SeenIds {
  if (workspace === undefined || platforms.chat(platform)?.destinationsPerWorkspace !== true) return seen;
  const place = (network: string, kind: SeenKind): string =>
    OWN_KINDS.includes(kind) ? `${network} ${platform}/${workspace}` : network;
  return {
    note: (network, kind, ids) => seen.note(place(network, kind), kind, ids),
    find: (network, kind, typed, limit) => seen.find(place(network, kind), kind, typed, limit),
  };
}
