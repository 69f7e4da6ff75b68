import type { SeenId, SeenIds, SeenKind } from "../../store/store.ts";

/** The part of a command's context that remembers ids. */
export interface SeenContext {
  readonly network: string;
  readonly seen: SeenIds;
}

/** Records ids that a reply shows, for completion; neither waits nor fails. */
export function noteSeen(
  context: SeenContext,
  kind: SeenKind,
  ids: readonly { readonly id: string | undefined; readonly label?: string | undefined }[],
): void {
  const known = new Map<string, SeenId>();
  for (const { id, label } of ids) if (id !== undefined && id !== "") known.set(id, { id, label });
  if (known.size === 0) return;
  // Seen ids only ease typing: a failing store must not cost the answer.
  Promise.try(() => context.seen.note(context.network, kind, [...known.values()])).catch(() => {});
}

/** Ids with the typed prefix, or whose label contains the typed text; none where the store fails. */
export async function findSeen(
  context: SeenContext,
  kind: SeenKind,
  typed: string,
  limit: number,
): Promise<readonly SeenId[]> {
  try {
    return await context.seen.find(context.network, kind, typed, limit);
  } catch {
    return [];
  }
}
