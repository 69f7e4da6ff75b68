import { joinText, strong, text, type Text } from "../../reply/text.ts";
import { formatDuration } from "../../units/duration.ts";
import type { NetworkStatus } from "../kinds/network-status.ts";
import { sinceWords } from "./phrases.ts";
import { subjectName } from "./subscription-words.ts";

type Suspicion = NonNullable<NetworkStatus["suspicious"]>[number];

/** The verdict in a few words. */
export function verdictWords({ verdict, suspicious = [] }: Pick<NetworkStatus, "verdict" | "suspicious">): string {
  switch (verdict) {
    case "healthy":
      return "healthy";
    case "suspicious": {
      const still = suspicious.find(({ kind }) => kind === "network.stalled");
      return still === undefined ? "suspicious" : `suspicious: no new block seen for ${spanWords(still)}`;
    }
    case "stalled":
      return "stalled";
    case "disagree":
      return "its nodes disagree";
    case "blind":
      return "cannot be seen";
    case "unwatched":
      return "not watched yet";
    case "restarted":
      return "not looked at yet since the start";
  }
}

/** `21 s, alerts at 30 s`. */
function spanWords({ forMillis, alertsAtMillis, blockAgeMillis }: Suspicion): string {
  const age = blockAgeMillis === undefined ? "" : ` (the last block is ${formatDuration(blockAgeMillis)} old)`;
  const so = `${formatDuration(forMillis)}${age}`;
  return alertsAtMillis > 0 ? `${so}, alerts at ${formatDuration(alertsAtMillis)}` : so;
}

/** `node.lagging of api2 for 12 s, alerts at 30 s`. */
export function suspicionWords(one: Suspicion): Text {
  const so = one.forMillis === 0 ? "at the last look" : `for ${spanWords(one)}`;
  return text`${strong(one.kind)}${subjectPhrase(one)} ${so}`;
}

/** `mainnet is healthy: 3 of 3 nodes answer, block 1204. Firing now: node.lagging of api2 (warning) since …`. */
export function networkStatusWords(standing: NetworkStatus): Text {
  const { network, verdict, answering, nodes, height, firing, more, elsewhere = 0 } = standing;
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
  const { suspicious = [] } = standing;
  const pending =
    suspicious.length === 0
      ? []
      : text` Suspicious, and no alert yet: ${joinText(suspicious.map(suspicionWords), "; ")}.`;
  const others = elsewhere === 1 ? "1 other alert is open" : `${elsewhere} other alerts are open`;
  if (firing.length === 0 && elsewhere > 0) {
    return text`${shown}${detail}. Nothing of this is firing; ${others} there.${pending}`;
  }
  if (firing.length === 0) {
    return text`${shown}${detail}. ${verdict === "unwatched" ? "" : "Nothing is firing."}${pending}`;
  }
  const listed = joinText(firing.map(firingWords), "; ");
  const rest = more === 0 ? "" : `; and ${more} more`;
  const aside = elsewhere === 0 ? "" : ` ${others} there, not told here.`;
  return text`${shown}${detail}. Firing now: ${listed}${rest}.${aside}${pending}`;
}

/** `node.lagging of api2 (warning) since …`. */
function firingWords(one: NetworkStatus["firing"][number]): Text {
  const { since: began, beganBefore } = one;
  const since = sinceWords({ began, ...(beganBefore === undefined ? {} : { beganBefore }) });
  return text`${strong(one.kind)}${subjectPhrase(one)} (${one.severity}) since ${since}`;
}

function subjectPhrase({ subject, label }: { readonly subject: string; readonly label?: string }): Text {
  return subject === "" ? [] : text` of ${subjectName(subject, label === undefined ? {} : { [subject]: label })}`;
}
