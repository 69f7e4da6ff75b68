import { text, time, toText, type Text } from "../reply/text.ts";
import type { Episode } from "./episode.ts";
import { timeFromText } from "./json-units.ts";

type Begun = Pick<Episode, "began" | "beganBefore">;

/** Behind `since`: when it began, or `at least` when it was first looked at. */
export function sinceWords({ began, beganBefore }: Begun, style: "absolute" | "both" = "absolute"): Text {
  const at = time(timeFromText(began), style);
  return beganBefore === true ? text`at least ${at}` : toText(at);
}
