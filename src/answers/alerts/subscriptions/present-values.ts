import { KIND_GROUPS } from "../../../alerts/judge/kinds/kinds.ts";
import { isAlive, type Subscription } from "../../../alerts/route/subscription.ts";
import type { Labels } from "../../../alerts/words/subscription-words.ts";
import type { SuggestContext } from "../../../bot/options/options.ts";
import { inTime } from "../../../in-time.ts";
import { type Ask, givenOptions } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { findByShortId } from "../short-id.ts";
import { labelsOf, visibleSubscriptions } from "./subscriptions.ts";
import { presentThresholds } from "./thresholds.ts";

/** A form does not wait longer for the names of markets; it then shows their ids. */
const NAMES_WAIT_MILLIS: Milliseconds = 800;

/**
 * The present values of a subscription, as the options of `alerts edit` would be typed: a form begins with them. Default
 * values are left out, except severity and style. Undefined where the caller sees no such subscription that is alive.
 */
export async function presentValues(id: string, context: SuggestContext): Promise<Ask["options"] | undefined> {
  const visible = visibleSubscriptions(await context.alerts.subscriptions(), context).filter(isAlive);
  const [only, ...others] = findByShortId(visible, id);
  if (only === undefined || others.length > 0) return undefined;
  const { guidance, mention, quietHours } = only;
  return givenOptions({
    kinds: kindWords(only).join(","),
    subjects: await subjectWords(only, context),
    ...presentThresholds(only.kinds, only.parameters),
    severity: only.floor,
    style: only.style,
    events: only.events === "usual" ? undefined : only.events,
    quiet: quietHours === undefined ? undefined : `${quietHours.from}-${quietHours.to}`,
    zone: quietHours?.zone === "UTC" ? undefined : quietHours?.zone,
    mention,
    note: guidance?.note,
    runbook: guidance?.runbook,
    network: only.network,
  });
}

/** The groups, then the kinds that are in none of them. */
function kindWords({ kinds, groups = [] }: Subscription): string[] {
  const covered = new Set<string>(groups.flatMap((group) => KIND_GROUPS[group]));
  return [...groups, ...kinds.filter((kind) => !covered.has(kind))];
}

/** Undefined for a subscription to all subjects. */
async function subjectWords(one: Subscription, context: SuggestContext): Promise<string | undefined> {
  if (one.subjects.length === 0) return undefined;
  const labels = await inTime(
    labelsOf(one, context),
    { millis: NAMES_WAIT_MILLIS, signal: context.signal },
    (): Labels => ({}),
  );
  // Two subjects may have the same name.
  const names = Map.groupBy(one.subjects, (id) => labels[id]?.toLowerCase());
  const nameOf = (id: string): string => {
    const name = labels[id];
    return name === undefined || name.includes(",") || names.get(name.toLowerCase())?.length !== 1 ? id : name;
  };
  return one.subjects.map(nameOf).join(",");
}
