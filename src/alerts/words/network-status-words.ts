import { commandLine, joinText, strong, text, type Text, time } from "../../reply/text.ts";
import { NETWORK_STATES } from "../../reply/states.js";
import { formatDuration } from "../../units/time.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import { KINDS } from "../judge/kinds/kinds.ts";
import type { NetworkStatus } from "../judge/kinds/network-status.ts";
import { sinceWords } from "./phrases.ts";
import { groupedNumber, subjectName } from "./subscription-words.ts";

type Suspicion = NonNullable<NetworkStatus["suspicious"]>[number];

/** The verdict in a few words; `healthy` only where no alert is open. */
export function verdictWords(status: NetworkStatus): string {
  const { verdict, suspicious = [] } = status;
  switch (verdict) {
    case "healthy": {
      const open = openAlerts(status);
      return open === 0
        ? networkState(status).word
        : `makes blocks, ${open === 1 ? "1 alert is" : `${open} alerts are`} open`;
    }
    case "suspicious": {
      const still = suspicious.find(({ kind }) => kind === "network.stalled");
      return still === undefined
        ? networkState(status).word
        : `${networkState(status).word}: no new block seen for ${spanWords(still)}`;
    }
    default:
      return networkState(status).word;
  }
}

/** A disagreement that is told is one of nodes that contest. */
export function networkState({ verdict }: Pick<NetworkStatus, "verdict">) {
  return NETWORK_STATES[verdict === "disagree" ? "contested" : verdict];
}

/** How many alerts of the network are open, whether or not the status names them. */
function openAlerts({ firing, more, toldAlready = 0, elsewhere = 0 }: NetworkStatus): number {
  return firing.length + more + toldAlready + elsewhere;
}

/** `21 s, alerts at 30 s`. */
function spanWords({ forMillis, alertsAtMillis, blockAgeMillis }: Suspicion): string {
  const age = blockAgeMillis === undefined ? "" : ` (the last block is ${formatDuration(blockAgeMillis)} old)`;
  const so = `${formatDuration(forMillis)}${age}`;
  return alertsAtMillis > 0 ? `${so}, alerts at ${formatDuration(alertsAtMillis)}` : so;
}

/** `a node lags behind (api2) for 12 s, alerts at 30 s`. */
export function suspicionWords(one: Suspicion): Text {
  const so = one.forMillis === 0 ? "at the last look" : `for ${spanWords(one)}`;
  return text`${kindWords(one)} ${so}`;
}

type Tense = "now" | "then";

/**
 * `Open on mainnet: a node lags behind (api2), warning, since …. 3 of 3 nodes answer, block 1204.`, the worst first. A
 * message that stays says how the network stood `then`.
 */
export function networkStatusWords(status: NetworkStatus, tense: Tense = "now"): Text {
  const { network, verdict, firing, more, suspicious = [], silenced } = status;
  const facts = factWords(status, tense);
  const aside = asideWords(status, tense);
  const pending =
    suspicious.length === 0
      ? []
      : text` Suspicious${tense === "now" ? "" : " then"}, and no alert yet: ${joinText(suspicious.map(suspicionWords), "; ")}.`;
  const first = silenced === undefined ? [] : text`${silencedWords(silenced)} `;
  if (firing.length > 0) {
    const rest = more === 0 ? "" : `; and ${more} more`;
    const behind = facts === "" ? "" : ` ${facts}.`;
    const open = tense === "now" ? "Open" : "Open then";
    return text`${first}${open} on ${strong(network)}: ${joinText(firing.map(firingWords), "; ")}${rest}.${aside}${behind}${pending}`;
  }
  const detail = facts === "" ? "" : ` (${facts})`;
  const none = verdict === "unwatched" ? FIRST_LOOK : aside === "" ? ` No alert ${beWords(1, tense)} open.` : aside;
  return text`${first}${tense === "now" ? "" : "At that time, "}${strong(network)}${standingWords(status, aside !== "", tense)}${detail}.${none}${pending}`;
}

/** What it means that a network is not watched yet. */
const FIRST_LOOK = " Alerts begin with the bot's first look.";

/** `3 of 3 nodes answer, block 1204`; empty if neither is known. */
function factWords({ answering, nodes, height }: NetworkStatus, tense: Tense): string {
  const answer = tense === "now" ? "answer" : "answered";
  return [
    ...(answering === undefined || nodes === undefined ? [] : [`${answering} of ${nodes} nodes ${answer}`]),
    ...(height === undefined ? [] : [`block ${groupedNumber(height)}`]),
  ].join(", ");
}

/** The open alerts that are not named here. */
function asideWords({ toldAlready = 0, elsewhere = 0 }: NetworkStatus, tense: Tense): string {
  return [
    ...(toldAlready === 0 ? [] : [` ${othersOpen(toldAlready, tense)} there, told here by another subscription.`]),
    ...(elsewhere === 0 ? [] : [` ${othersOpen(elsewhere, tense)} there, not told here.`]),
  ].join("");
}

/** What follows the network's name. It is not called healthy while alerts are open elsewhere. */
function standingWords(status: NetworkStatus, isOpenElsewhere: boolean, tense: Tense): string {
  const { verdict } = status;
  if (verdict === "healthy" && isOpenElsewhere) return tense === "now" ? " makes blocks" : " made blocks";
  if (verdict === "blind" && tense === "then") return " could not be seen";
  if (verdict === "disagree") return tense === "now" ? `: ${verdictWords(status)}` : ": its nodes disagreed";
  return `${verdict === "blind" ? "" : ` ${beWords(1, tense)}`} ${verdictWords(status)}`;
}

/** `Silenced until …: nothing of this is told before.`; of a part, where the silences are listed. */
export function silencedWords({ until, untilOver, all }: NonNullable<NetworkStatus["silenced"]>): Text {
  const end = untilOver === true ? "an alert is over" : time(timeFromText(until));
  return all
    ? text`${strong("Silenced until")} ${end}: nothing of this is told before.`
    : text`${strong("Silenced in part")} until ${end}: ${commandLine("alerts silences")}.`;
}

function othersOpen(count: number, tense: Tense): string {
  return `${count} other ${count === 1 ? "alert" : "alerts"} ${beWords(count, tense)} open`;
}

function beWords(count: number, tense: Tense): string {
  if (tense === "now") return count === 1 ? "is" : "are";
  return count === 1 ? "was" : "were";
}

/** `a node lags behind (api2), warning, since …`. */
function firingWords(one: NetworkStatus["firing"][number]): Text {
  const { since: began, beganBefore } = one;
  const since = sinceWords({ began, ...(beganBefore === undefined ? {} : { beganBefore }) });
  return text`${kindWords(one)}, ${one.severity}, since ${since}`;
}

function kindWords(one: Pick<Suspicion, "kind" | "subject" | "label">): Text {
  const { kind, subject, label } = one;
  const about = subject === "" ? [] : text` (${subjectName(subject, label === undefined ? {} : { [subject]: label })})`;
  return text`${strong(KINDS[kind].words)}${about}`;
}
