// The vocabulary of alerts. reading.ts (conditions, and a watcher's statement about one) and event.ts (what happened
// once) hold one record for each kind, of the types in kind.ts; this module derives the lists and groups from them.
// The schema fields that they share stand in kind.ts, too.
import { EVENTS, type EventKind, PERSONAL_EVENTS, type PersonalKind } from "./event.ts";
import { type Condition, type Event, GROUP_WORDS, type KindGroup } from "./kind.ts";
import { CONDITION_KINDS, type ConditionKind, CONDITIONS } from "./reading.ts";
import { SERVICE_CONDITIONS } from "./service-conditions.ts";

export { CONDITION_KINDS };
export type { ConditionKind, EventKind, KindGroup, PersonalKind };

/** Everything that can be subscribed to. */
export type AlertKind = ConditionKind | EventKind;
/** The record of each kind. */
export const KINDS: Readonly<Record<ConditionKind, Condition> & Record<EventKind, Event>> = {
  ...CONDITIONS,
  ...EVENTS,
  ...PERSONAL_EVENTS,
};
/** All kinds in their usual order. */
export const ALERT_KINDS = Object.keys(KINDS) as readonly AlertKind[];

export function isConditionKind(kind: AlertKind): kind is ConditionKind {
  return kind in CONDITIONS;
}

export function isPersonalKind(kind: AlertKind): kind is PersonalKind {
  return kind in PERSONAL_EVENTS;
}

/** Whether a subscription must name its threshold, and the subjects that it is for. */
export function needsThreshold(kind: AlertKind): boolean {
  return isConditionKind(kind) && "needsThreshold" in KINDS[kind];
}

export const KIND_GROUP_NAMES = Object.keys(GROUP_WORDS) as readonly KindGroup[];

/** Several kinds under one word, in their usual order. */
export const KIND_GROUPS = Object.fromEntries(
  KIND_GROUP_NAMES.map((group) => [group, ALERT_KINDS.filter((kind) => isInGroup(kind, group))]),
) as unknown as Readonly<Record<KindGroup, readonly AlertKind[]>>;

function isInGroup(kind: AlertKind, group: KindGroup): boolean {
  if (isPersonalKind(kind) || needsThreshold(kind)) return false;
  return (
    group === "all" ||
    group === (isConditionKind(kind) ? "conditions" : "events") ||
    KINDS[kind].groups.some((one) => one === group)
  );
}

/** Conditions of a network and its nodes. They are judged subscribed or not, since they may inhibit the others. */
export const HEALTH_KINDS = CONDITION_KINDS.filter((kind) => KINDS[kind].groups.includes("ops"));

/** Conditions that only a network which goes on, and is seen, shows. */
export const SERVICE_KINDS = Object.keys(SERVICE_CONDITIONS) as readonly (keyof typeof SERVICE_CONDITIONS)[];

/** The group that has exactly these kinds, where there is one. */
export function groupOf(kinds: readonly AlertKind[]): KindGroup | undefined {
  const given = new Set(kinds);
  return KIND_GROUP_NAMES.find(
    (name) => KIND_GROUPS[name].length === given.size && KIND_GROUPS[name].every((kind) => given.has(kind)),
  );
}

/** Kinds in their usual order, each once. */
export function sortKinds(kinds: Iterable<AlertKind>): AlertKind[] {
  const given = new Set(kinds);
  return ALERT_KINDS.filter((kind) => given.has(kind));
}
