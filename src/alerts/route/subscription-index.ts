import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import { type ConditionKind, HEALTH_KINDS, isConditionKind, needsThreshold } from "../judge/kinds/kinds.ts";
import { isJudgedAlways, type Rule, ruleFor } from "../judge/rules/rules.ts";
import { ParsedRowCache } from "../judge/rules/state-cache.ts";
import { parseSilence, type Silence } from "./silence.ts";
import { isAlive, parseSubscription, rulesOf, type Subscription } from "./subscription.ts";
import { destinationKey } from "../destination.ts";

/** The current subscriptions and silences, indexed, with the rules that they make. */
export type SubscriptionIndex = ReturnType<typeof buildSubscriptionIndex>;

interface RuleSubject {
  readonly network: string;
  readonly subject: string;
}

/** Reads the index, again only when a subscription or silence has changed: until then it returns the same object. */
export function subscriptionIndexReader(
  config: AlertsConfig,
): (tables: AlertTables, at: Milliseconds) => Promise<SubscriptionIndex> {
  // Of many subscriptions, one changes at a time.
  const parsed = new ParsedRowCache(parseSubscription);
  const rules = new WeakMap<Subscription, readonly Rule[]>();
  const rulesOfOne = (one: Subscription): readonly Rule[] => {
    const known = rules.get(one) ?? rulesOf(one, config);
    rules.set(one, known);
    return known;
  };
  let revision: number | undefined;
  let cached: SubscriptionIndex | undefined;
  return async (tables, at) => {
    const now = await tables.subscriptions.revision();
    if (cached === undefined || now !== revision) {
      const subscriptions = [...parsed.parse(await tables.subscriptions.list(), ({ id }) => id).values()];
      const silences = (await tables.subscriptions.silences(at)).map(parseSilence);
      cached = buildSubscriptionIndex(subscriptions, silences, config, rulesOfOne);
      revision = now;
    }
    return cached;
  };
}

/** Pure if `rulesOfOne`, which returns the rules of a subscription, is. */
export function buildSubscriptionIndex(
  subscriptions: readonly Subscription[],
  silences: readonly Silence[],
  config: AlertsConfig,
  rulesOfOne: (one: Subscription) => readonly Rule[] = (one) => rulesOf(one, config),
) {
  const active = subscriptions.filter((one) => one.state === "active");
  // Of the end of a market whoever watches its values is told, too.
  const toEvents = active.filter((one) => one.kinds.some((kind) => !isConditionKind(kind) || needsThreshold(kind)));
  const byNetwork = new Map(
    [...Map.groupBy(toEvents, (one) => one.network)].map(
      ([network, all]) => [network, Map.groupBy(all, (one) => destinationKey(one.destination))] as const,
    ),
  );
  const rules = new Map<string, Rule>();
  const subscribers = new Map<string, SubjectIndex<Subscription>>();
  const byKind = new Map<ConditionKind, SubjectIndex<Rule>>();
  const always = new Map<ConditionKind, Rule>();
  for (const kind of HEALTH_KINDS) {
    const rule = ruleFor(kind, {}, config);
    rules.set(rule.id, rule);
    always.set(kind, rule);
  }
  // A paused one goes on being judged, so that its open episodes are known when it is resumed.
  const alive = subscriptions.filter(isAlive).map((one) => [one, rulesOfOne(one)] as const);
  for (const rule of alive.flatMap(([, own]) => own)) {
    // What is asked for by itself as well does not wait for the alert of a whole.
    const known = rules.get(rule.id);
    if (known === undefined || (known.whole !== undefined && rule.whole === undefined)) rules.set(rule.id, rule);
  }
  for (const [one, own] of alive) {
    for (const given of own) {
      const rule = rules.get(given.id) ?? given;
      // Rules that are always judged are not indexed: `rules` adds them.
      if (!isJudgedAlways(rule)) indexIn(byKind, rule.kind).add(one, rule);
      if (one.state === "active") indexIn(subscribers, rule.id).add(one, one);
    }
  }
  return {
    subscriptions,
    /** Those that have not ended, though they may not hold yet. */
    silences,
    /** The rules to judge a subject by. */
    rules(kind: ConditionKind, what: RuleSubject): readonly Rule[] {
      const asked = byKind.get(kind)?.of(what) ?? [];
      const first = always.get(kind);
      return first === undefined ? asked : [first, ...asked];
    },
    /** The active subscriptions to a rule and a subject. */
    subscribers: (rule: string, what: RuleSubject): readonly Subscription[] => subscribers.get(rule)?.of(what) ?? [],
    /** The active subscriptions to events, by the key of their destination. */
    eventSubscriptions: (network: string): ReadonlyMap<string, readonly Subscription[]> =>
      byNetwork.get(network) ?? new Map<string, readonly Subscription[]>(),
  };
}

function indexIn<K, T extends object>(all: Map<K, SubjectIndex<T>>, key: K): SubjectIndex<T> {
  const known = all.get(key) ?? new SubjectIndex<T>();
  all.set(key, known);
  return known;
}

/**
 * Finds values by network and subject without a scan of all of them: an observation of 20,000 markets asks 60,000
 * times. Results are in the order in which they were added, each once.
 */
class SubjectIndex<T extends object> {
  readonly #networks = new Map<string, Network<T>>();
  readonly #places = new Map<T, number>();

  /** Adds a value under the subjects that a subscription names; under every one if it names none. */
  add({ network, subjects }: Pick<Subscription, "network" | "subjects">, what: T): void {
    if (!this.#places.has(what)) this.#places.set(what, this.#places.size);
    const known = this.#networks.get(network) ?? { all: new Set(), everywhere: new Set(), named: new Map() };
    this.#networks.set(network, known);
    known.all.add(what);
    if (subjects.length === 0) known.everywhere.add(what);
    for (const subject of subjects) {
      const named = known.named.get(subject) ?? new Set();
      known.named.set(subject, named.add(what));
    }
  }

  /** The values for a subject of a network; for an empty subject, all of the network. */
  of({ network, subject }: RuleSubject): readonly T[] {
    const known = this.#networks.get(network);
    if (known === undefined) return [];
    if (subject === "") return [...known.all];
    const named = known.named.get(subject);
    if (named === undefined) return [...known.everywhere];
    if (known.everywhere.size === 0) return [...named];
    const both = new Set([...known.everywhere, ...named]);
    return [...both].toSorted((a, b) => (this.#places.get(a) ?? 0) - (this.#places.get(b) ?? 0));
  }
}

interface Network<T> {
  readonly all: Set<T>;
  readonly everywhere: Set<T>;
  readonly named: Map<string, Set<T>>;
}
