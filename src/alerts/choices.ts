import type { AlertTables } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { AlertsConfig } from "./alerts-config.ts";
import { HEALTH_KINDS, isConditionKind, type ConditionKind } from "./kinds.ts";
import { ruleFor, type Rule } from "./rules.ts";
import { Silence } from "./silence.ts";
import { covers, destinationKey, isAlive, rulesOf, Subscription } from "./subscription.ts";

/** Judged on every network whether or not anybody subscribed: what they show explains the rest. */
const ALWAYS: readonly ConditionKind[] = HEALTH_KINDS;

/** Whether a rule is judged though nobody may have subscribed to it. */
export function isJudgedAlways({ id, kind }: Pick<Rule, "id" | "kind">): boolean {
  return id === kind && ALWAYS.includes(kind);
}

/** What people chose, as it stands: subscriptions, silences and the rules that come of them. */
export interface Choices {
  readonly subscriptions: readonly Subscription[];
  /** Those that are not over, though they may not hold yet. */
  readonly silences: readonly Silence[];
  /** The rules to judge a subject by. */
  rules(kind: ConditionKind, what: { readonly network: string; readonly subject: string }): readonly Rule[];
  /** The active subscriptions that take part in a rule for a subject. */
  subscribers(rule: string, what: { readonly network: string; readonly subject: string }): readonly Subscription[];
  /** The active subscriptions to events, by the key of their destination. */
  active(network: string): ReadonlyMap<string, readonly Subscription[]>;
}

/** Reads choices, and again only when one has changed. */
export function choicesReader(config: AlertsConfig): (tables: AlertTables, at: Milliseconds) => Promise<Choices> {
  let revision: number | undefined;
  let kept: Choices | undefined;
  return async (tables, at) => {
    const now = await tables.choices.revision();
    if (kept === undefined || now !== revision) {
      const subscriptions = (await tables.choices.subscriptions()).map(({ data }) =>
        Subscription.parse(JSON.parse(data)),
      );
      const silences = (await tables.choices.silences(at)).map(({ data }) => Silence.parse(JSON.parse(data)));
      kept = choicesOf(subscriptions, silences, config);
      revision = now;
    }
    return kept;
  };
}

/** Pure. */
export function choicesOf(
  subscriptions: readonly Subscription[],
  silences: readonly Silence[],
  config: AlertsConfig,
): Choices {
  const active = subscriptions.filter((one) => one.state === "active");
  const toEvents = active.filter((one) => one.kinds.some((kind) => !isConditionKind(kind)));
  const byNetwork = new Map(
    [...Map.groupBy(toEvents, (one) => one.network)].map(
      ([network, all]) => [network, Map.groupBy(all, (one) => destinationKey(one.destination))] as const,
    ),
  );
  const byRule = new Map<string, Subscription[]>();
  const byKind = new Map<ConditionKind, Map<string, Rule>>();
  const note = (rule: Rule): void => {
    const rules = byKind.get(rule.kind) ?? new Map<string, Rule>();
    byKind.set(rule.kind, rules.set(rule.id, rule));
  };
  for (const kind of ALWAYS) note(ruleFor(kind, {}, config));
  // A paused one goes on being judged, so that what is open when it is resumed is known.
  for (const one of subscriptions.filter(isAlive)) {
    for (const rule of rulesOf(one, config)) {
      note(rule);
      const taking = byRule.get(rule.id) ?? [];
      taking.push(one);
      byRule.set(rule.id, taking);
    }
  }
  return {
    subscriptions,
    silences,
    rules(kind, what) {
      const all = [...(byKind.get(kind)?.values() ?? [])];
      return all.filter((rule) => isJudgedAlways(rule) || (byRule.get(rule.id) ?? []).some((one) => covers(one, what)));
    },
    subscribers: (rule, what) => (byRule.get(rule) ?? []).filter((one) => one.state === "active" && covers(one, what)),
    active: (network) => byNetwork.get(network) ?? new Map(),
  };
}
