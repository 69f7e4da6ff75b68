// Which message each planned delivery joins, and until when: one table for all but the ends of alerts on one card, which
// ring once (join.ts). join.ts applies the table, batch.ts says what a rule means.
import type { Milliseconds } from "../../../units/time.ts";
import type { AlertDependencies } from "../../dependencies.ts";
import { type Destination, destinationKey } from "../../destination.ts";
import { type AlertKind, type ConditionKind, needsThreshold } from "../../judge/kinds/kinds.ts";
import type { AlertMessage } from "../../message/message.ts";
import {
  type DeliveryPhase,
  type JoinRule,
  LONGEST_GROUPING,
  type PlannedDelivery,
  type RuleOf,
  SLOW_TO_FOLLOW,
} from "./batch.ts";

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
const DAY: Milliseconds = 86_400_000;

type MessageOf<T extends AlertMessage["type"]> = Extract<AlertMessage, { type: T }>;
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
