import { timeFromText } from "../../alerts/judge/kinds/kind.ts";
import type { Episode } from "../../alerts/judge/rules/episode.ts";
import type { ConditionKind } from "../../alerts/judge/kinds/kinds.ts";
import { happening } from "../../alerts/words/condition-words.ts";
import { lengthWords } from "../../alerts/words/phrases.ts";
import { ruleParameters } from "../../alerts/words/subscription-words.ts";
import type { Scene } from "../../reply/chart.ts";
import { plainText } from "../../reply/plain-text.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import { episodeLabel } from "../alerts/episodes/episodes.ts";
import {
  blocksPicture,
  type ChartSpan,
  limitsOf,
  type LooksContext,
  marketPicture,
  nameInTitle,
  type Picture,
  spacingPicture,
} from "./charts.ts";
import { networkPicture } from "./network-chart.ts";

/** So much before and after an alert is shown. */
const AROUND: Milliseconds = 600_000;

/** What an alert was about, around it; undefined where nothing is kept of that. */
export async function alertPicture(
  context: LooksContext,
  episode: Episode,
  { now, zone }: { readonly now: Milliseconds; readonly zone: string },
): Promise<Picture | undefined> {
  const [began, ended] = [millisOf(episode.began) ?? now, millisOf(episode.ended) ?? now];
  const span = { from: began - AROUND, to: Math.min(now, ended + AROUND), zone };
  const { kind, rule, subject } = episode;
  const about = { kind, subject, label: episodeLabel(episode), parameters: ruleParameters(rule) };
  const picture = await pictureAbout({ ...context, network: episode.network }, span, about);
  if (picture === undefined) return undefined;
  const happened = happening(episode).map((part) =>
    part.kind === "code" || part.kind === "strong" ? { ...part, text: nameInTitle(part.text) } : part,
  );
  const title = `${plainText(happened)}, ${lengthWords(episode, now)}`;
  return { ...picture, scene: { ...picture.scene, title, ...stages(episode, now) } };
}

/** What a condition is about, and its thresholds. */
interface About {
  readonly kind: ConditionKind;
  readonly subject: string;
  readonly label: string | undefined;
  readonly parameters: Readonly<Record<string, string | number>> | undefined;
}

/** What a condition is about, drawn; undefined where nothing is kept of that. */
export async function pictureAbout(
  context: LooksContext,
  span: ChartSpan,
  { kind, subject, label, parameters }: About,
): Promise<Picture | undefined> {
  switch (kind) {
    case "checkpoint.overdue":
      return spacingPicture(context, span, "checkpoints");
    case "snapshot.overdue":
      return spacingPicture(context, span, "snapshots");
    case "network.slow":
      return blocksPicture(context, span);
    case "market.auction":
    case "market.price":
    case "market.bound":
    case "market.value":
      return marketPicture(context, span, { id: subject, label: label ?? subject }, limitsOf(parameters));
    case "network.stalled":
    case "network.disagree":
    case "network.time-back":
    case "network.clock":
    case "watch.blind":
    case "node.lagging":
    case "node.down":
    case "node.lying":
    case "node.refuses":
    case "node.slow":
      return networkPicture(context, span);
    // Of histories nothing is kept but what differs.
    case "node.diverges":
      return undefined;
  }
}

/** How it went: pending, firing, recovering, and who took it. */
function stages(episode: Episode, now: Milliseconds): Pick<Scene, "bands" | "marks"> {
  const { acknowledged, began, detected, ended, recovered } = episode;
  const fired = millisOf(detected) ?? now;
  const over = millisOf(ended) ?? now;
  const good = millisOf(recovered) ?? over;
  const [pending, taken] = [millisOf(began) ?? fired, millisOf(acknowledged?.at)];
  return {
    bands: [
      ...(pending < fired ? [{ from: pending, to: fired, name: "pending" }] : []),
      { from: fired, to: Math.max(fired, good), name: "firing", strong: true },
      ...(good < over ? [{ from: good, to: over, name: "recovering" }] : []),
    ],
    marks: taken === undefined ? [] : [{ at: taken, name: "acknowledged" }],
  };
}

function millisOf(at: string | undefined): Milliseconds | undefined {
  return at === undefined ? undefined : toMillis(timeFromText(at));
}
