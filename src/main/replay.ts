// Judges kept looks again: the same verdict, readings and state machines, in virtual time. Who was told is not judged.
import { z } from "zod";

import { type AlertsConfig, DEFAULT_ALERTS_CONFIG } from "../alerts/alerts-config.ts";
import type { RuleIndex } from "../alerts/judge/judge.ts";
import { JudgeInMemory } from "../alerts/judge/judge-in-memory.ts";
import { labelOf, type Reading } from "../alerts/judge/kinds/reading.ts";
import { type Change, CHANGES } from "../alerts/judge/rules/state-machine.ts";
import { buildSubscriptionIndex } from "../alerts/route/subscription-index.ts";
import type { Subscription } from "../alerts/route/subscription.ts";
import type { Replayed } from "../alerts/trial/trial.ts";
import type { Look } from "../looks/look.ts";
import { type Milliseconds, type Stretch, toMillis } from "../units/time.ts";
import { type Changes, keptReadings } from "../watchers/kept.ts";
import { marketReadings, MarketsState } from "../watchers/markets/markets.ts";
import { roundOf } from "../watchers/sources/kept-round.ts";
import type { SourcesState } from "../watchers/sources/sources-state.ts";
import { judgeLook } from "../watchers/sources/sources.ts";
import { GAP_INTERVALS, LookHistory, MARKETS, SOURCES } from "../watchers/look-history.ts";

/** A change of a condition that a replay finds. */
export interface ReplayedChange {
  /** Of the look with which it came, in Unix milliseconds. */
  readonly at: Milliseconds;
  readonly change: Change;
  readonly rule: string;
  readonly subject: string;
  /** Of a market, where it is known. */
  readonly name?: string;
}

/** By what a network was watched from a moment on. */
export interface KeptSettings {
  readonly at: Milliseconds;
  /** The watch that first went by them. */
  readonly run: string;
  readonly version: string;
  /** The number of nodes. */
  readonly nodes: number;
  readonly config: AlertsConfig;
}

const StoredSettings = z.object({
  version: z.string(),
  nodes: z.array(z.string()),
  config: z.record(z.string(), z.record(z.string(), z.json())),
});

/**
 * Settings as they were kept; what that version did not have yet is as by default. Throws ZodError where the look has none,
 * SyntaxError where one is of another type than its default.
 */
export function settingsOf({ at, run, seen }: Look): KeptSettings {
  const { version, nodes, config } = StoredSettings.parse(seen);
  const groups = Object.entries(DEFAULT_ALERTS_CONFIG).map(
    ([name, group]: [string, Readonly<Record<string, unknown>>]) => {
      const kept = config[name] ?? {};
      const wrong = Object.keys(group).find((key) => key in kept && typeof kept[key] !== typeof group[key]);
      if (wrong !== undefined) throw new SyntaxError(`settings.config.${name}.${wrong} is no ${typeof group[wrong]}`);
      return [name, { ...group, ...kept }];
    },
  );
  return {
    at: toMillis(at),
    run,
    version,
    nodes: nodes.length,
    config: Object.fromEntries(groups) as AlertsConfig,
  };
}

interface ReplayOptions {
  readonly network: string;
  /** What is judged. Looks from before it only say what lasted when it began; both ends in Unix milliseconds. */
  readonly range: Stretch;
  /** In their order, one at least; the first hold from the beginning. */
  readonly settings: readonly KeptSettings[];
  /** What is judged by in place of kept settings. */
  readonly changed: (config: AlertsConfig) => AlertsConfig;
  readonly subscriptions: readonly Subscription[];
  readonly onGap: (gap: Stretch) => void;
}

/** A decision that is a change of a condition, as the log has it: its rule and subject are in the episode's id. */
export function changeOf(
  { what, episode }: { readonly what: string; readonly episode?: string | null },
  network: string,
  at: Milliseconds,
): ReplayedChange | undefined {
  const [rule, rest] = (episode ?? "").split(`|${network}|`);
  const change = CHANGES.find((one) => one === what);
  if (change === undefined || rule === undefined || rest === undefined) return undefined;
  return { at, change, rule, subject: rest.slice(0, rest.lastIndexOf("|")) };
}

/** Judges the looks of a network, in the order in which they were made. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #judge: JudgeInMemory;
  readonly #history: LookHistory;
  #held: KeptSettings;
  #config: AlertsConfig;
  /** How many subscriptions there were. */
  #made = 0;
  #sources: SourcesState | undefined;
  /** Of markets that changes spoke of. */
  readonly #names = new Map<string, string>();

  constructor(options: ReplayOptions) {
    const [first] = options.settings;
    if (first === undefined) throw new RangeError("a replay needs settings");
    this.#options = options;
    this.#held = first;
    this.#config = options.changed(first.config);
    const judge = new JudgeInMemory(this.#indexAt(Number.NEGATIVE_INFINITY), this.#config);
    const onGap = (gap: Stretch): void => this.#gap(gap);
    this.#history = new LookHistory(options.network, { onGap, onRestart: () => judge.restart() });
    this.#judge = judge;
  }

  see(watcher: Replayed, look: Look): readonly ReplayedChange[] {
    const { network } = this.#options;
    const at = toMillis(look.at);
    this.#settle(look, at);
    const { from } = this.#options.range;
    const isFirst = watcher === SOURCES && this.#history.last(SOURCES) === undefined;
    if (isFirst && at - from > GAP_INTERVALS * look.every) this.#gap({ from, to: at });
    const observation = this.#history.see(watcher, look, () => this.#readings(watcher, look));
    if (observation === undefined) return [];
    const { decisions } = this.#judge.see(observation, look.dueMillis);
    const changes = decisions.flatMap((one) => changeOf(one, network, at) ?? []);
    return changes.map((one) => this.#named(one, observation.readings));
  }

  #named(change: ReplayedChange, readings: readonly Reading[]): ReplayedChange {
    const { subject } = change;
    const reading = readings.find((one) => one.subject === subject);
    const name = (reading && labelOf(reading)) ?? this.#names.get(subject);
    if (name === undefined) return change;
    this.#names.set(subject, name);
    return { ...change, name };
  }

  /** Nothing follows: the range may end with a gap. */
  end(): void {
    const last = this.#history.last(SOURCES);
    const { from, to } = this.#options.range;
    const at = last === undefined ? from : toMillis(last.at);
    if (last !== undefined && to - at > GAP_INTERVALS * last.every) this.#gap({ from: at, to });
  }

  #gap(gap: Stretch): void {
    if (gap.to > this.#options.range.from) this.#options.onGap(gap);
  }

  #readings(watcher: Replayed, look: Look): readonly Reading[] {
    if (watcher === SOURCES) return this.#judgeRound(look);
    const [{ network }, { nodes }] = [this.#options, this.#held];
    if (watcher !== MARKETS) return keptReadings((look.seen ?? {}) as Changes, { network, nodes });
    return marketReadings(network, nodes, MarketsState.parse(this.#history.marketsAfter(look)));
  }

  #judgeRound({ run, seen }: Look): readonly Reading[] {
    const watch = { network: this.#options.network, config: this.#config, run };
    const { state, readings } = judgeLook(watch, roundOf(seen), this.#sources);
    this.#sources = state;
    return readings;
  }

  /** Takes the settings that held, which only another watch can change, and the subscriptions that were there. */
  #settle({ run }: Look, at: Milliseconds): void {
    const { settings, subscriptions, changed } = this.#options;
    const { run: before } = this.#history;
    const own = run === before ? undefined : settings.find((one) => one.run === run);
    // A watch that went by the settings of the one before it has none of its own.
    const earlier = before === undefined ? settings.findLast((one) => one.at <= at) : undefined;
    const held = own ?? earlier ?? this.#held;
    const made = subscriptions.filter(({ created }) => created <= at).length;
    if (held === this.#held && made === this.#made) return;
    this.#held = held;
    this.#config = changed(held.config);
    this.#judge.settle(this.#indexAt(at), this.#config);
  }

  #indexAt(at: Milliseconds): RuleIndex {
    const made = this.#options.subscriptions.filter(({ created }) => created <= at);
    this.#made = made.length;
    return buildSubscriptionIndex(made, [], this.#config);
  }
}
