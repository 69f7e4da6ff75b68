import { z } from "zod";

import type { SubscriptionRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import { type AlertsConfig, Guidance } from "../alerts-config.ts";
import {
  ALERT_KINDS,
  type EventKind,
  isConditionKind,
  KIND_GROUP_NAMES,
  KIND_GROUPS,
  KINDS,
  needsThreshold,
  sortKinds,
} from "../judge/kinds/kinds.ts";
import { endingConditions } from "../judge/kinds/market-value.ts";
import { type Condition, parseRow, Severity } from "../judge/kinds/kind.ts";
import { type Rule, ruleFor } from "../judge/rules/rules.ts";
import { QuietHours } from "./quiet-hours.ts";
import { destinationKey, StoredDestination } from "../destination.ts";

/** What can be changed of a subscription. */
const CHANGEABLE = {
  kinds: z.array(z.enum(ALERT_KINDS)).min(1),
  /** The groups among them: whoever chose one gets the kinds, too, that a later version adds to it. */
  groups: z.array(z.enum(KIND_GROUP_NAMES)).exactOptional(),
  /** Markets, nodes, parties, orders; empty = all of them. */
  subjects: z.array(z.string()),
  /** Thresholds by kind, where they differ from the configured ones. */
  parameters: z.partialRecord(z.enum(ALERT_KINDS), z.record(z.string(), z.union([z.string(), z.number()]))),
  floor: Severity,
  /**
   * Of conditions. `live`: one message an episode, edited in place, with a short new one when it fires, escalates and
   * resolves; `thread`: later messages go into the thread of the first one, which is edited, too; `plain`: new messages only.
   */
  style: z.enum(["live", "thread", "plain"]),
  /** Of events. `usual`: checkpoints, snapshots and market states in one rolling message a day, the rest one by one. */
  events: z.enum(["usual", "each", "rolling"]),
  quietHours: QuietHours.exactOptional(),
  /** The platform's own id of a role or group to mention for critical alerts. */
  mention: z.string().exactOptional(),
  /** Its alerts get no pictures. */
  chart: z.literal("off").exactOptional(),
  /** What its alerts say beside the usual, where that differs from the configured guidance. */
  guidance: Guidance.exactOptional(),
} as const;
const Changeable = z.object(CHANGEABLE);

/** Which destination gets which alerts, and how. As stored; times in Unix milliseconds. */
export const Subscription = z
  .object({
    id: z.string(),
    destination: StoredDestination,
    /** The server or workspace that its channel belongs to, where it was subscribed there; absent = not known. */
    workspace: z.string().exactOptional(),
    network: z.string(),
    ...CHANGEABLE,
    /** What it was before its last change, as long as that can be undone. */
    undo: Changeable.extend({ until: z.number() }).exactOptional(),
    /** Kinds of which it may tell often: nobody is asked to change that. */
    leaves: z.array(z.enum(ALERT_KINDS)).exactOptional(),
    /** A personal watch, sent by direct message; ends with the final state of its subject. */
    personal: z.literal(true).exactOptional(),
    state: z.enum(["active", "paused", "ended", "retired", "removed"]),
    /** Why it is not active. */
    why: z.string().exactOptional(),
    /** Of one that was retired because the platform refused the bot's token: its state once a token is accepted. */
    returns: z.enum(["active", "paused"]).exactOptional(),
    /** Of a paused one: the deliveries of the messages that offer to resume it. */
    announced: z.array(z.string()).exactOptional(),
    /** When it ended. */
    over: z.number().exactOptional(),
    created: z.number(),
    by: z.object({ id: z.string(), name: z.string() }),
  })
  .transform((one) => {
    if (one.groups === undefined) return one;
    return { ...one, kinds: sortKinds([...one.kinds, ...one.groups.flatMap((group) => KIND_GROUPS[group])]) };
  });
export type Subscription = z.infer<typeof Subscription>;

/** A subscription as it was before its last change. @returns undefined where that cannot be undone any more. */
export function undone({ undo, ...given }: Subscription, now: Milliseconds): Subscription | undefined {
  if (undo === undefined || undo.until < now) return undefined;
  const { until: _, ...was } = undo;
  const kept = Object.entries(given).filter(([name]) => !(name in CHANGEABLE));
  return { ...(Object.fromEntries(kept) as Omit<Subscription, keyof typeof was>), ...was };
}

/** What a subscription must keep so that its next change can be undone. */
export function undoOf(before: Subscription, until: Milliseconds): Required<Pick<Subscription, "undo">> {
  return { undo: { ...Changeable.parse(before), until } };
}

/** Of a stored row. Throws DamagedRow. */
export function parseSubscription({ id, data }: Pick<SubscriptionRow, "id" | "data">): Subscription {
  return parseRow(Subscription, data, "alert_subscriptions", { id });
}
/** The kinds of a subscription, and the groups among them. */
export type ChosenKinds = Pick<Subscription, "kinds" | "groups">;

/** Whether it is active, or may be again. */
export function isAlive({ state }: Pick<Subscription, "state">): boolean {
  return state === "active" || state === "paused";
}

/** When it ends by itself: once an alert of it is over, or at a moment. */
interface OwnEnd {
  readonly once?: true;
  readonly until: Milliseconds;
}

const NEVER: OwnEnd = { until: Infinity };
const ownEnds = new WeakMap<object, OwnEnd>();

export function ownEndOf(subscription: Pick<Subscription, "parameters">): OwnEnd {
  const known = ownEnds.get(subscription);
  if (known !== undefined) return known;
  const [first] = endingConditions(String(subscription.parameters["market.value"]?.["if"] ?? ""));
  const until = first?.until === undefined ? Infinity : Date.parse(first.until);
  const end = first === undefined ? NEVER : { until, ...withoutUndefined({ once: first.once }) };
  ownEnds.set(subscription, end);
  return end;
}

/** Why a subscription to the values of markets alone ends: wholly with the last of them, until then for each that is over. */
export const MARKET_OVER = "the market is over";

export function endsWithMarkets({ kinds, subjects }: Pick<Subscription, "kinds" | "subjects">): boolean {
  return subjects.length > 0 && kinds.every((kind) => needsThreshold(kind));
}

/** Whether an event of a kind goes into the day's rolling message. */
export function isRolling(subscription: Pick<Subscription, "events">, kind: EventKind): boolean {
  return subscription.events === "rolling" || (subscription.events === "usual" && KINDS[kind].frequent === true);
}

/** The rules of a subscription. Throws UserError if its thresholds are invalid. */
export function rulesOf(subscription: Pick<Subscription, "kinds" | "parameters">, config: AlertsConfig): Rule[] {
  return subscription.kinds
    .filter((kind) => isConditionKind(kind))
    .flatMap((kind) => {
      const given = subscription.parameters[kind] ?? {};
      const { split, wasWhole }: Condition = KINDS[kind];
      // Together they may contradict each other.
      const whole = ruleFor(kind, given, config);
      const parts = split?.(given).map((own) => ruleFor(kind, own, config)) ?? [whole];
      return wasWhole === undefined || parts.length === 1
        ? parts
        : [whole, ...parts].map((rule): Rule => ({ ...rule, whole: whole.id }));
    });
}

/** Whether it covers this subject of this network, whatever the kind. */
export function covers(
  subscription: Pick<Subscription, "network" | "subjects">,
  what: { readonly network: string; readonly subject: string },
): boolean {
  return (
    subscription.network === what.network &&
    (subscription.subjects.length === 0 || what.subject === "" || subscription.subjects.includes(what.subject))
  );
}

/** A subscription as a row, with the moment at which it ended if it has. Only a retired one can come back by itself. */
export function subscriptionRow(given: Subscription, at: Milliseconds): SubscriptionRow {
  const { over = at, returns, ...rest } = given;
  const ended = { ...rest, ...(given.state === "retired" && returns !== undefined ? { returns } : {}), over };
  const subscription: Subscription = isAlive(given) ? rest : ended;
  const { id, network, state } = subscription;
  const destination = destinationKey(subscription.destination);
  return { id, destination, network, state, data: JSON.stringify(subscription) };
}
