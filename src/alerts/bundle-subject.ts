/** What a watched bundle is of: an asset to be listed, or a proposal to set an asset's limits. */
export interface BundleSubject {
  readonly bundle: "list-asset" | "asset-limits";
  readonly id: string;
}

const LIMITS_PREFIX = "asset-limits:";
const LIST_PREFIX = "list-asset:";

/** `list-asset:<asset id>` or `asset-limits:<proposal id>`; an id alone is an asset's. */
export function parseBundleSubject(subject: string): BundleSubject {
  if (subject.startsWith(LIMITS_PREFIX)) return { bundle: "asset-limits", id: subject.slice(LIMITS_PREFIX.length) };
  return { bundle: "list-asset", id: subject.startsWith(LIST_PREFIX) ? subject.slice(LIST_PREFIX.length) : subject };
}
