import { z } from "zod";

import type { Decision } from "../../judge/judge.ts";
import { DAY, fromMillis, type Milliseconds } from "../../../units/time.ts";
import type { Subscription } from "../../route/subscription.ts";
import type { AlertMessage, MessageOf } from "../../message/message.ts";
import type { Notice } from "../../message/notice.ts";
import { timeToText } from "../../judge/kinds/kind.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import type { NotificationState } from "./notification-state.ts";
import { type Destination, destinationKey, StoredDestination } from "../../destination.ts";
import type { AlertDependencies } from "../../dependencies.ts";
import { type AlertKind, type ConditionKind, needsThreshold } from "../../judge/kinds/kinds.ts";

export const DELIVERY_PHASES = [
  "trigger",
  "escalation",
  "reminder",
  "resolve",
  "state",
  "event",
  "digest",
  "rolling",
  "flapping",
  "calm",
  "bot",
  "export",
] as const;
export type DeliveryPhase = (typeof DELIVERY_PHASES)[number];

/** What is planned of a delivery, beside its message. */
export const DeliveryFields = z.object({
  id: z.string(),
  destination: StoredDestination,
  phase: z.enum(DELIVERY_PHASES),
  episode: z.string().exactOptional(),
  /** The delivery whose message says this from now on. Absent for a new message. */
  edits: z.string().exactOptional(),
  /** Of an edit: the message stays as it is, and loses the buttons that act. */
  spent: z.literal(true).exactOptional(),
  /** Of an edit: the message says what it says, and is given a picture in that zone. */
  picture: z.string().exactOptional(),
  mention: z.string().exactOptional(),
  quiet: z.literal(true).exactOptional(),
  /** The delivery in whose thread it is posted. */
  threadOf: z.string().exactOptional(),
  /** Of a short post: the delivery of its card. */
  cardOf: z.string().exactOptional(),
  /** It is kept back until then, in Unix milliseconds. */
  heldUntil: z.number().exactOptional(),
});

/** A delivery to be written to the outbox. */
export interface PlannedDelivery extends Readonly<z.infer<typeof DeliveryFields>> {
  readonly message: AlertMessage;
  /** Default: by JOIN_RULES. */
  readonly joins?: JoinRule;
}

/** A message can be joined for no longer than this after it was planned, however long it keeps growing. */
export const LONGEST_GROUPING: Milliseconds = 60_000;
/** Troubles of nodes with one cause, such as a restart of one after the other, follow each other this slowly. */
export const SLOW_TO_FOLLOW: Milliseconds = 300_000;
/** How long a message is open for them, however long it keeps growing. */
export const LONGEST_SLOW: Milliseconds = 3 * SLOW_TO_FOLLOW;

/**
 * Which message a delivery joins: that of its cause, else the last one with an equal key to its destination while that is
 * open. Where there is none, it begins one that others may join by its key.
 */
export interface JoinRule {
  /** The key of the message of its cause, which it joins while that lasts, or until so long after its end. */
  readonly cause?: { readonly key: string; readonly after: Milliseconds };
  readonly key?: string;
  /**
   * How long a message is open once it is sent: for `within` of the last that joined, `LONGEST_GROUPING` at most (of
   * `SLOW_TO_FOLLOW`, `LONGEST_SLOW`); until a moment, in Unix milliseconds. With neither, the message is a cause: it joins
   * none, and only its effects join it.
   */
  readonly within?: Milliseconds;
  readonly until?: Milliseconds;
}

/** The rule of a planned delivery that was given none; undefined = it is a message of its own. */
export type RuleOf = (planned: PlannedDelivery) => JoinRule | undefined;

/** A batch for the outbox: deliveries, notification states and log entries, written in one transaction; in order. */
export interface OutboxBatch {
  readonly deliveries: readonly PlannedDelivery[];
  readonly states: readonly {
    readonly episode: string;
    readonly destination: string;
    readonly state: NotificationState;
  }[];
  readonly endings: readonly Ending[];
  readonly decisions: readonly Decision[];
}

/** A subscription that ends, and why; of a subject, it goes on with its others, as long as it has any. */
export interface Ending {
  readonly subscription: Subscription;
  readonly why: string;
  readonly subject?: string;
}

/** A part of a batch; what is absent is none. */
export type Plan = Partial<OutboxBatch>;

/** One for all: thousands of plans have no decisions. */
const NOTHING: readonly never[] = [];

/** Subscriptions that end with a plan, and why. */
export function endedBecause(why: string, subscriptions: readonly Subscription[], subject?: string): Ending[] {
  return subscriptions.map((subscription) => ({ subscription, why, ...withoutUndefined({ subject }) }));
}

/** Subscriptions as they are after their endings. */
export function afterEndings(endings: readonly Ending[]): Subscription[] {
  return [...Map.groupBy(endings, ({ subscription }) => subscription.id).values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const { subscription, why } = first;
    const gone = all.map(({ subject }) => subject);
    const subjects = gone.includes(undefined) ? [] : subscription.subjects.filter((one) => !gone.includes(one));
    return [subjects.length === 0 ? { ...subscription, why, state: "ended" } : { ...subscription, subjects }];
  });
}

/** One batch of several plans, in their order. */
export function joinPlans(plans: readonly Plan[]): OutboxBatch {
  return {
    deliveries: plans.flatMap(({ deliveries = NOTHING }) => deliveries),
    states: plans.flatMap(({ states = NOTHING }) => states),
    endings: plans.flatMap(({ endings = NOTHING }) => endings),
    decisions: plans.flatMap(({ decisions = NOTHING }) => decisions),
  };
}

/** Where notices go: the console and the operators' channel, as far as there are any. */
export function noticeRecipients(places: {
  readonly console?: Destination;
  readonly operators?: Destination;
}): Destination[] {
  return [places.console, places.operators].filter((one) => one !== undefined);
}

/** A notice as deliveries to the operators. `at` is in Unix milliseconds. */
export function planNotice(
  to: readonly Destination[],
  notice: Notice,
  at: Milliseconds,
  newId: () => string,
  marks: Pick<AlertMessage, "simulated"> = {},
): PlannedDelivery[] {
  const message: AlertMessage = { type: "notice", ...marks, at: timeToText(fromMillis(at)), notice };
  return to.map((destination) => ({ id: newId(), destination, phase: "bot", message }));
}

// Which message each planned delivery joins, and until when: one table for all but the ends of alerts on one card, which
// ring once (join.ts). join.ts applies the table.

/** The condition whose message also tells its effects, such as an upgrade during a halt. */
const CAUSE: ConditionKind = "network.stalled";
/**
 * Its effects, and for how long after its end they still are: nodes stop, and come back one after another. Versions are read
 * once a minute, and the first snapshot of a new one comes some time after the chain goes on.
 */
const EFFECTS: Partial<Record<AlertKind, Milliseconds>> = {
  "node.down": 0,
  "node.version": 600_000,
  "core.upgraded": 600_000,
};
/** What happens to one node after the other in some minutes has one cause. */
const SLOW_KINDS: readonly ConditionKind[] = ["node.down", "node.lying"];
const JOINING_PHASES: readonly DeliveryPhase[] = ["trigger", "escalation", "resolve", "flapping"];

/** `within`: how soon alerts of a kind follow each other, as configured. */
type MessageRule<T extends AlertMessage["type"]> = (
  message: MessageOf<T>,
  planned: PlannedDelivery,
  within: Milliseconds,
) => JoinRule | undefined;

/** By the type of a message. What has no rule is a message of its own. */
const JOIN_RULES: { readonly [T in AlertMessage["type"]]?: MessageRule<T> } = {
  condition: ruleOfAlert,
  flapping: (message, planned) => ruleOfAlert(message, planned, LONGEST_GROUPING),
  // Alerts that flapped together calm down at about the same time.
  calm: ({ kind, network, subject, open }) =>
    subject === "" ? undefined : { key: `${open ? "steady" : "calm"} ${kind} ${network}`, within: LONGEST_GROUPING },
  event: ({ event: { kind, network } }) => effectOf(kind, network),
  rolling: ({ kind, network, day }) => ({
    key: `day ${kind} ${network} ${day}`,
    until: Date.parse(`${day}T00:00:00Z`) + DAY,
  }),
  // What is held joins what is held; of what was found at once, only an effect joins anything.
  digest: ({ network, events: [first] }, { heldUntil }) =>
    heldUntil === undefined ? effectOf(first?.kind, network) : { key: `held ${network}`, until: 0 },
};

function ruleOfAlert(
  { episode }: MessageOf<"condition" | "flapping">,
  { phase, mention = "", cardOf }: PlannedDelivery,
  within: Milliseconds,
): JoinRule | undefined {
  const { kind, rule, network, subject, severity } = episode;
  if (!JOINING_PHASES.includes(phase)) return undefined;
  if (kind === CAUSE && phase === "trigger") return { key: causeKey(network) };
  if (subject === "" || (cardOf !== undefined && phase === "resolve")) return undefined;
  // One message tells several subjects of a kind, where all of them notify in the same way.
  // A value on the other side of its limits is something else.
  const key = [phase, needsThreshold(kind) ? rule : kind, network, severity, mention].join(" ").trim();
  // A short post is never edited: only what waits with it joins it.
  if (cardOf !== undefined) return { key, until: 0 };
  const usual = Math.min(within, LONGEST_GROUPING);
  return { ...effectOf(kind, network), key, within: SLOW_KINDS.includes(kind) ? SLOW_TO_FOLLOW : usual };
}

function effectOf(kind: AlertKind | undefined, network: string): JoinRule | undefined {
  const after = kind === undefined ? undefined : EFFECTS[kind];
  return after === undefined ? undefined : { cause: { key: causeKey(network), after } };
}

function causeKey(network: string): string {
  return `halt ${network}`;
}

type JoinRuleDependencies = Pick<AlertDependencies, "config"> & { readonly console?: Destination };

/** The rules as configured, for one batch. The console lists each alert by itself. */
export function joinRules({ config, console: listing }: JoinRuleDependencies): RuleOf {
  const shown = listing === undefined ? undefined : destinationKey(listing);
  // Thousands of destinations share few rules.
  const known = new Map<AlertMessage, Map<string, JoinRule | undefined>>();
  return (planned) => {
    const { message, edits, phase, mention = "", cardOf, heldUntil } = planned;
    if (edits !== undefined || message.drill === true) return undefined;
    const isList = message.type === "rolling" || heldUntil !== undefined;
    if (!isList && shown !== undefined && destinationKey(planned.destination) === shown) return undefined;
    const rules = known.get(message) ?? new Map<string, JoinRule | undefined>();
    known.set(message, rules);
    const place = `${phase} ${cardOf === undefined} ${mention}`;
    if (!rules.has(place)) rules.set(place, ruleFor(message.type, message, planned, config.group.within));
    return rules.get(place);
  };
}

function ruleFor<T extends AlertMessage["type"]>(
  type: T,
  message: MessageOf<T>,
  planned: PlannedDelivery,
  within: Milliseconds,
): JoinRule | undefined {
  return JOIN_RULES[type]?.(message, planned, within);
}
