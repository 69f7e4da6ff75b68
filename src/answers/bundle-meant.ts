import { parseBundleSubject } from "../alerts/kinds/event.ts";
import { ApiError } from "../api/api-error.ts";
import type { ResolveContext } from "./resolve-id.ts";

/**
 * The bundle that is meant by a subject. An id alone is an asset's, unless the network knows it as that of a proposal
 * to set an asset's limits: somebody who waits for one would else wait for a bundle that never comes.
 */
export async function resolveBundleSubject(subject: string, typed: string, context: ResolveContext): Promise<string> {
  const { bundle, id } = parseBundleSubject(subject);
  if (bundle !== "list-asset" || typed.includes(":")) return subject;
  const { api, signal } = context;
  try {
    await api.getListAssetBundle(id, { signal });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.kind === "not-found" && (await isLimitsProposal(id, context))) return `asset-limits:${id}`;
  }
  return subject;
}

async function isLimitsProposal(id: string, { api, signal }: ResolveContext): Promise<boolean> {
  try {
    await api.getAssetLimitsBundle(id, { signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}
