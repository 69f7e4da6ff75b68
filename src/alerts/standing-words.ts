import { joinText, strong, text, time, type Text } from "../reply/text.ts";
import { timeFromText } from "./json-units.ts";
import type { Standing } from "./standing.ts";
import { subjectName } from "./subscription-words.ts";

/** The verdict in a few words. */
export function verdictWords({ verdict }: Pick<Standing, "verdict">): string {
  switch (verdict) {
    case "healthy":
      return "healthy";
    case "stalled":
      return "stalled";
    case "disagree":
      return "its nodes disagree";
    case "blind":
      return "cannot be seen";
    case "unwatched":
      return "not watched yet";
  }
}

/** `mainnet is healthy: 3 of 3 nodes answer, block 1204. Firing now: node.lagging of api2 (warning) since …`. */
export function standingWords(standing: Standing): Text {
  const { network, verdict, answering, nodes, height, firing, more } = standing;
  const facts = [
    ...(answering === undefined || nodes === undefined ? [] : [`${answering} of ${nodes} nodes answer`]),
    ...(height === undefined ? [] : [`block ${height}`]),
  ].join(", ");
  const is = verdict === "disagree" ? "" : verdict === "blind" ? "" : "is ";
  const shown =
    verdict === "disagree"
      ? text`${strong(network)}: its nodes disagree`
      : text`${strong(network)} ${is}${verdictWords(standing)}`;
  const detail = facts === "" ? [] : text` (${facts})`;
  if (firing.length === 0) return text`${shown}${detail}. ${verdict === "unwatched" ? "" : "Nothing is firing."}`;
  const listed = joinText(firing.map(firingWords), "; ");
  return text`${shown}${detail}. Firing now: ${listed}${more === 0 ? "" : `; and ${more} more`}.`;
}

/** `node.lagging of api2 (warning) since …`. */
export function firingWords({ kind, subject, label, severity, since }: Standing["firing"][number]): Text {
  const about =
    subject === "" ? [] : text` of ${subjectName(subject, label === undefined ? {} : { [subject]: label })}`;
  return text`${strong(kind)}${about} (${severity}) since ${time(timeFromText(since))}`;
}
