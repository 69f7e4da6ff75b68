import type { HomeStanding, OpenAlert } from "../../adapters/chat/home-data.ts";
import type { NetworkStatus } from "../../alerts/judge/kinds/network-status.ts";
import type { Platforms } from "../../alerts/platform.ts";

import { isDrill } from "../../alerts/judge/rules/episode.ts";
import { type Episode, seenFrom } from "../../alerts/judge/rules/episode.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import { conditionWords } from "../../alerts/words/condition-words.ts";
import { networkState, verdictWords } from "../../alerts/words/network-status-words.ts";
import { sinceWords } from "../../alerts/words/phrases.ts";
import { networkStatus } from "../../answers/alerts/episodes/network-status.ts";
import { notifiedDestinations, worstFirst } from "../../answers/alerts/episodes/episodes.ts";
import { EPISODE_WORDS, SEVERITY, worstTone } from "../../reply/states.js";
import { plainText } from "../../reply/plain-text.ts";
import type { Tone } from "../../reply/reply.ts";
import { strong, text } from "../../reply/text.ts";
import { groupDigits } from "../../units/format-number.ts";
import type { PlacedPerson } from "./home-subscriptions.ts";
import { type Destination, tokenKey } from "../../alerts/destination.ts";

/** How many open alerts are named, the worst first; the others are counted. */
const MAX_OPEN = 10;

/** The first part of the home tab: the state of each network, and the open alerts. Asks no node. */
export async function homeStanding(
  alerts: AlertService,
  networks: readonly string[],
  person: PlacedPerson,
  platforms: Platforms,
  page: number,
): Promise<HomeStanding> {
  const direct = platforms.destination(person, `user:${person.id}`);
  const [statuses, all] = await Promise.all([
    Promise.all(networks.map((network) => networkStatus(network, alerts))),
    alerts.openEpisodes(),
  ]);
  const open = worstFirst(all.filter((one) => !isDrill(one)).map((one) => seenFrom(one, direct)));
  const pages = Math.max(1, Math.ceil(open.length / MAX_OPEN));
  const from = Math.min(page, pages - 1) * MAX_OPEN;
  const shown = open.slice(from, from + MAX_OPEN);
  return {
    networks: statuses.map((status) => ({
      tone: toneOf(status),
      text: text`${strong(status.network)}: ${verdictWords(status)}${heightWords(status)}`,
    })),
    open: await Promise.all(shown.map((one) => openAlert(alerts, one, direct))),
    more: open.length - shown.length,
    pages,
  };
}

/** A healthy network with open alerts has the tone of the worst alert, which comes first. */
function toneOf(status: NetworkStatus): Tone {
  return status.verdict === "healthy" && status.firing.length > 0
    ? worstTone(status.firing)
    : networkState(status).tone;
}

function heightWords({ answering, nodes, height }: NetworkStatus): string {
  const count = answering === undefined || nodes === undefined ? "" : ` · ${answering} of ${nodes} nodes answer`;
  return `${count}${height === undefined ? "" : ` · block ${groupDigits(height)}`}`;
}

/** It can be acknowledged where it was delivered: to this person, else in a channel of their workspace. */
async function openAlert(alerts: AlertService, episode: Episode, direct: Destination): Promise<OpenAlert> {
  const { id, severity, network, acknowledged } = episode;
  const states = [
    ...(episode.state === "recovering" ? [EPISODE_WORDS.recovering] : []),
    ...(acknowledged === undefined ? [] : [`acknowledged by ${acknowledged.by}`]),
  ];
  const what = conditionWords(episode).bad;
  const place = plainText(what).includes(network) ? "" : ` · ${network}`;
  const shown = {
    tone: SEVERITY[severity].tone,
    text: text`${what} · ${SEVERITY[severity].word}${place} · since ${sinceWords(episode, "both")}${states.map((one) => ` · ${one}`).join("")}`,
    why: { command: "alerts why", options: { episode: id } },
  };
  if (acknowledged !== undefined) return shown;
  const all = await notifiedDestinations(alerts, episode);
  const told = all.filter((one) => tokenKey(one) === tokenKey(direct));
  const own = told.find(({ channel }) => channel === direct.channel);
  const channel = told.find((one) => !one.channel.startsWith("user:"))?.channel;
  if (own === undefined && channel === undefined) return shown;
  return {
    ...shown,
    acknowledge: { command: "alerts ack", options: { episode: id } },
    ...(channel === undefined ? {} : { channel }),
  };
}
