import { ApiError } from "../../api/api-error.ts";
import { nearest } from "../../bot/nearest.ts";
import { UserError } from "../../errors.ts";
import { shortenId } from "../../reply/text.ts";
import type { IdKind } from "./ids.ts";
import { findSeen, type SeenContext } from "./seen-ids.ts";

/** How many seen ids with the same prefix are compared for a correction. */
const MAX_SEEN_COMPARED = 25;

/** Awaits a request about one id; a node's “not found” or “invalid” becomes a UserError with the nearest match. */
export async function askAboutId<T>(
  kind: IdKind,
  id: string,
  option: string,
  context: SeenContext,
  question: Promise<T>,
  /** Another possible cause. */
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
      ...(near === undefined ? {} : { meanings: { typed: id, values: [{ label: shortenId(near), value: near }] } }),
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
