import type { SeenId, SeenIds, SeenKind } from "../../store/store.ts";

/** Where ids are noted and looked up: a command's context, seen from here. */
export interface SeenContext {
  readonly network: string;
  readonly seen: SeenIds;
}

/** Notes ids that a reply shows, so that people can complete them; neither waits nor fails. */
export function noteSeen(
  context: SeenContext,
  kind: SeenKind,
  ids: readonly { readonly id: string | undefined; readonly label?: string | undefined }[],
): void {
  const known = new Map<string, SeenId>();
  for (const { id, label } of ids) if (id !== undefined && id !== "") known.set(id, { id, label });
  if (known.size === 0) return;
  // What is noted only eases typing later: a store in trouble must not cost anybody the answer.
  Promise.try(() => context.seen.note(context.network, kind, [...known.values()])).catch(() => {});
}

/** Ids that begin with what is typed, or whose label contains it; none where the store is in trouble. */
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
