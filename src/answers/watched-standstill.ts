import { isOpen } from "../alerts/rules/episode.ts";
import type { AlertService } from "../alerts/service/service.ts";
import type { Verdict } from "../api/verdict.ts";
import type { Tone } from "../reply/reply.ts";
import { code, strong, text, type Text } from "../reply/text.ts";
import { formatDuration, type Milliseconds } from "../units/duration.ts";

/** What the watchers know of a standstill, in words. */
export interface WatchedStall {
  readonly title: Text;
  readonly tone: Tone;
  readonly judgement: Text;
}

/**
 * What the watchers see where one look alone would call the network healthy, by thresholds that may be configured far
 * shorter than those of a look: undefined where it is not suspicious to them, or has gone on since.
 */
export async function watchedStall(
  network: string,
  verdict: Verdict,
  alerts: Pick<AlertService, "verdict" | "openEpisodes">,
): Promise<WatchedStall | undefined> {
  const watched = alerts.verdict?.(network);
  const still = watchedStallMillis(verdict, watched);
  if (still === undefined) return undefined;
  const height = watched?.frontier?.height;
  const block = height === undefined ? text`` : text`, block ${height}`;
  const seen = text`the watchers have seen no new block for ${formatDuration(still)}, and this look shows none either.`;
  if (await hasStallFired(network, alerts)) {
    return {
      title: text`${network} stands still${block}`,
      tone: "bad",
      judgement: text`${strong("Stalled")}: ${seen} The alert ${code("network.stalled")} has fired.`,
    };
  }
  return {
    title: text`${network}: no new block for ${formatDuration(still)} (watched)${block}`,
    tone: "warning",
    judgement: text`${strong("Suspicious")}: ${seen} It becomes an alert if it lasts.`,
  };
}

function watchedStallMillis(verdict: Verdict, watched: Verdict | undefined): Milliseconds | undefined {
  if (verdict.network !== "healthy" || watched?.network !== "stalled") return undefined;
  const { frontier } = watched;
  if (frontier === undefined || (verdict.frontier !== undefined && verdict.frontier.time > frontier.time))
    return undefined;
  const still = (watched.basis === "age" ? watched.ageMillis : watched.stillMillis) ?? 0;
  return still + Math.max(0, verdict.atMillis - watched.atMillis);
}

async function hasStallFired(network: string, alerts: Pick<AlertService, "openEpisodes">): Promise<boolean> {
  try {
    const open = await alerts.openEpisodes(network);
    return open.some((episode) => episode.kind === "network.stalled" && isOpen(episode));
  } catch {
    // What time it is must be told even while the database cannot be read, which is told elsewhere.
    return false;
  }
}
