// Who is notified: whether one subscription gets an episode or event now, or what suppresses it.
// Read subscription.ts, silence.ts and quiet-hours.ts (what people choose) and subscription-index.ts next.
// What is planned for each destination is in ../engine/plan-episode.ts and ../engine/plan-events.ts.
import type { Milliseconds } from "../../units/duration.ts";
import type { AlertKind } from "../kinds/kinds.ts";
import { compareSeverity, type Severity } from "../kinds/severity.ts";
import { quietUntil } from "./quiet-hours.ts";
import { holdsUntil, type Silence, silences } from "./silence.ts";
import { destinationKey, type Subscription } from "./subscription.ts";

/** The facts of an episode or event that decide who is notified. */
export interface RoutingInput {
  readonly kind: AlertKind;
  readonly network: string;
  readonly subject: string;
  readonly severity: Severity;
  /** The open episode that inhibits this one. */
  readonly inhibitedBy?: string;
  /** It comes and goes too often to be sent each time. */
  readonly flapping?: true;
}

/** Whether one subscription is notified now; if not, what suppresses it, and when that is known to end. */
export type RoutingDecision =
  | { readonly tell: true; readonly mention?: string; readonly quiet?: true }
  | {
      readonly tell: false;
      readonly by: "severity" | "silence" | "inhibition" | "flapping" | "quiet hours";
      readonly detail: string;
      /** Unix milliseconds. */
      readonly until?: Milliseconds;
    };

/** Decides for one subscription. Pure. Critical breaks through quiet hours and flapping, not through a silence. */
export function route(
  news: RoutingInput,
  subscription: Subscription,
  silenced: readonly Silence[],
  at: Milliseconds,
): RoutingDecision {
  const critical = news.severity === "critical";
  if (compareSeverity(news.severity, subscription.floor) < 0) {
    return { tell: false, by: "severity", detail: `${news.severity} is below ${subscription.floor}` };
  }
  const silence = silenceFor(news, subscription, silenced, at);
  if (silence !== undefined) {
    const reason = silence.reason === undefined ? "" : `: ${silence.reason}`;
    // An event of a personal watch comes only once: it waits for the silence to end.
    const until = subscription.personal === true ? { until: holdsUntil(silence, at) } : {};
    return { tell: false, by: "silence", detail: `silence ${silence.id} by ${silence.by}${reason}`, ...until };
  }
  if (news.inhibitedBy !== undefined)
    return { tell: false, by: "inhibition", detail: `explained by ${news.inhibitedBy}` };
  const until = critical || subscription.quietHours === undefined ? undefined : quietUntil(subscription.quietHours, at);
  if (until !== undefined) {
    const { from, to, zone } = subscription.quietHours ?? { from: "", to: "", zone: "" };
    return { tell: false, by: "quiet hours", detail: `from ${from} to ${to} ${zone}`, until };
  }
  if (news.flapping === true && !critical) return { tell: false, by: "flapping", detail: "it comes and goes" };
  return {
    tell: true,
    ...(critical && subscription.mention !== undefined ? { mention: subscription.mention } : {}),
    ...(news.severity === "info" ? { quiet: true } : {}),
  };
}

function silenceFor(
  news: RoutingInput,
  { destination, personal }: Subscription,
  silenced: readonly Silence[],
  at: Milliseconds,
): Silence | undefined {
  if (silenced.length === 0) return undefined;
  const what = { ...news, destination: destinationKey(destination) };
  // A silence of all destinations is announced in channels and holds for them, not for personal watches.
  const here = personal === true ? silenced.filter(({ scope }) => scope.destination !== undefined) : silenced;
  return here.find((one) => silences(one, what, at));
}
