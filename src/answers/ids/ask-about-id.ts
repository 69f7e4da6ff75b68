import { ApiError } from "../../api/api-error.ts";
import { nearest } from "../../bot/nearest.ts";
import { UserError } from "../../errors.ts";
import type { IdKind } from "./ids.ts";
import { findSeen, type SeenContext } from "./seen-ids.ts";

/** How many ids that begin alike are looked through for the one that was meant. */
const MAX_SEEN_COMPARED = 25;

/** Runs a question about one id; where the node knows of no such thing, its refusal becomes a sentence for the caller. */
export async function askAboutId<T>(
  kind: IdKind,
  id: string,
  option: string,
  context: SeenContext,
  question: Promise<T>,
  /** What else may be the cause. */
  hint = "",
): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (!(error instanceof ApiError) || (error.kind !== "not-found" && error.kind !== "invalid")) throw error;
    const near = await nearestSeen(kind, id, context);
    const said = error.innerWords ?? error.nodeMessage;
    const sentence =
      error.kind === "not-found"
        ? `${error.network} knows of no ${kind.noun} ${id}.`
        : `${error.network} does not take ${id} as ${kind.article} ${kind.noun}.`;
    throw new UserError(sentence, {
      option,
      cause: error,
      remedy: [
        `Check the id and the network.`,
        hint,
        near === undefined ? "" : `Did you mean ${near}?`,
        said === undefined ? "" : `${error.node} says: ${said}`,
      ]
        .filter((part) => part !== "")
        .join(" "),
    });
  }
}

async function nearestSeen(kind: IdKind, id: string, context: SeenContext): Promise<string | undefined> {
  const alike = await findSeen(context, kind.kind, id.slice(0, 4), MAX_SEEN_COMPARED);
  return nearest(
    id,
    alike.map((seen) => seen.id).filter((other) => other !== id),
  );
}
