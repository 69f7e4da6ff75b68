// Who is notified: whether one subscription gets an episode or event now, or what suppresses it.
// Read subscription.ts, silence.ts and quiet-hours.ts (the settings) and subscription-index.ts next.
// What is planned for each destination is in ../engine/plan-episode.ts and ../engine/plan-events.ts.
import type { Milliseconds } from "../../units/time.ts";
import type { AlertKind } from "../judge/kinds/kinds.ts";
import { compareSeverity, type Severity } from "../judge/kinds/kind.ts";
import { quietUntil } from "./quiet-hours.ts";
import { matchesSilence, type Silence, silenceActiveUntil } from "./silence.ts";
import type { Subscription } from "./subscription.ts";
import { destinationKey } from "../destination.ts";

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
  /** While it flaps, it is kept back though it is critical: such ones were told that lasted as long. */
  readonly calmed?: boolean;
}

/** Whether one subscription is notified now; if not, what suppresses it, and when that is known to end. */
export type RoutingDecision =
  | { readonly notify: true; readonly mention?: string; readonly quiet?: true }
  | {
      readonly notify: false;
      readonly by: "severity" | "silence" | "inhibition" | "flapping" | "quiet hours";
      readonly detail: string;
      /** Unix milliseconds. */
      readonly until?: Milliseconds;
    };

/**
 * Decides for one subscription. Pure. Critical breaks through quiet hours, and through flapping unless it is calmed, not
 * through a silence.
 */
export function route(
  input: RoutingInput,
  subscription: Subscription,
  silenced: readonly Silence[],
  at: Milliseconds,
): RoutingDecision {
  const critical = input.severity === "critical";
  if (compareSeverity(input.severity, subscription.floor) < 0) {
    return { notify: false, by: "severity", detail: `${input.severity} is below ${subscription.floor}` };
  }
  const silence = silenceFor(input, subscription, silenced, at);
  if (silence !== undefined) {
    const reason = silence.reason === undefined ? "" : `: ${silence.reason}`;
    // An event of a personal watch comes only once: it waits for the silence to end.
    const until = subscription.personal === true ? { until: silenceActiveUntil(silence, at) } : {};
    return { notify: false, by: "silence", detail: `silence ${silence.id} by ${silence.by}${reason}`, ...until };
  }
  if (input.inhibitedBy !== undefined)
    return { notify: false, by: "inhibition", detail: `explained by ${input.inhibitedBy}` };
  const until = critical || subscription.quietHours === undefined ? undefined : quietUntil(subscription.quietHours, at);
  if (until !== undefined) {
    const { from, to, zone } = subscription.quietHours ?? { from: "", to: "", zone: "" };
    return { notify: false, by: "quiet hours", detail: `from ${from} to ${to} ${zone}`, until };
  }
  if (input.flapping === true && (!critical || input.calmed === true)) {
    const detail = critical ? "it comes and goes, and was critical for as long before" : "it comes and goes";
    return { notify: false, by: "flapping", detail };
  }
  return {
    notify: true,
    ...(critical && subscription.mention !== undefined ? { mention: subscription.mention } : {}),
    ...(input.severity === "info" ? { quiet: true } : {}),
  };
}

function silenceFor(
  input: RoutingInput,
  { destination, personal }: Subscription,
  silenced: readonly Silence[],
  at: Milliseconds,
): Silence | undefined {
  if (silenced.length === 0) return undefined;
  const what = { ...input, destination: destinationKey(destination) };
  // A silence of all destinations is announced in channels and holds for them, not for personal watches.
  const here = personal === true ? silenced.filter(({ scope }) => scope.destination !== undefined) : silenced;
  return here.find((one) => matchesSilence(one, what, at));
}
