// Judges kept looks again: the same verdict, readings and state machines, in virtual time. Who was told is not judged.
import { z } from "zod";

import { type AlertsConfig, DEFAULT_ALERTS_CONFIG } from "../alerts/alerts-config.ts";
import type { RuleIndex } from "../alerts/judge/judge.ts";
import { JudgeInMemory } from "../alerts/judge/judge-in-memory.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import { type Change, CHANGES } from "../alerts/judge/rules/state-machine.ts";
import { buildSubscriptionIndex } from "../alerts/route/subscription-index.ts";
import type { Subscription } from "../alerts/route/subscription.ts";
import type { Look } from "../looks/look.ts";
import type { Milliseconds } from "../units/duration.ts";
import { toMillis } from "../units/nanoseconds.ts";
import { type Changes, keptReadings, withChanges } from "../watchers/kept.ts";
import { marketReadings, MarketsState } from "../watchers/markets/markets.ts";
import { unknownBecause } from "../watchers/schedule.ts";
import { roundOf } from "../watchers/sources/kept-round.ts";
import type { SourcesState } from "../watchers/sources/sources-state.ts";
import { judgeLook } from "../watchers/sources/sources.ts";

/** A change of a condition that a replay finds. */
export interface ReplayedChange {
  /** Of the look with which it came, in Unix milliseconds. */
  readonly at: Milliseconds;
  readonly change: Change;
  readonly rule: string;
  readonly subject: string;
}

/** No look for longer than three intervals. */
export interface Gap {
  readonly from: Milliseconds;
  readonly to: Milliseconds;
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

/** Settings as they were kept; what that version did not have yet is as by default. Throws where the look has none. */
export function settingsOf({ at, run, seen }: Look): KeptSettings {
  const { version, nodes, config } = StoredSettings.parse(seen);
  const groups = Object.entries(DEFAULT_ALERTS_CONFIG).map(([name, group]) => [name, { ...group, ...config[name] }]);
  return {
    at: toMillis(at),
    run,
    version,
    nodes: nodes.length,
    config: Object.fromEntries(groups) as AlertsConfig,
  };
}

/** So many intervals without a look are a gap. */
const GAP_INTERVALS = 3;

/** The watchers whose looks are judged again. */
export const REPLAYED = ["sources", "markets", "checkpoints", "snapshots"] as const;
export type Replayed = (typeof REPLAYED)[number];

interface ReplayOptions {
  readonly network: string;
  /** What is judged. Looks from before it only say what lasted when it began; both ends in Unix milliseconds. */
  readonly range: { readonly from: Milliseconds; readonly to: Milliseconds };
  /** In their order, one at least; the first hold from the beginning. */
  readonly settings: readonly KeptSettings[];
  /** What is judged by in place of kept settings. */
  readonly changed: (config: AlertsConfig) => AlertsConfig;
  readonly subscriptions: readonly Subscription[];
  readonly onGap: (gap: Gap) => void;
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
  #held: KeptSettings;
  #config: AlertsConfig;
  /** How many subscriptions there were. */
  #made = 0;
  #run: string | undefined;
  #sources: SourcesState | undefined;
  #markets: Changes = {};
  readonly #last = new Map<Replayed, { readonly look: Look; readonly readings: readonly Reading[] }>();

  constructor(options: ReplayOptions) {
    const [first] = options.settings;
    if (first === undefined) throw new RangeError("a replay needs settings");
    this.#options = options;
    this.#held = first;
    this.#config = options.changed(first.config);
    this.#judge = new JudgeInMemory(this.#indexAt(Number.NEGATIVE_INFINITY), this.#config);
  }

  see(watcher: Replayed, look: Look): readonly ReplayedChange[] {
    const { network } = this.#options;
    const at = toMillis(look.at);
    this.#settle(look, at);
    const { every } = look;
    const last = this.#last.get(watcher);
    const from = last === undefined ? at : toMillis(last.look.at);
    // Within a run the wall clock may be set; between two there is no other.
    const isSameRun = last?.look.run === look.run;
    const unseen = isSameRun ? look.dueMillis - last.look.dueMillis : at - from;
    // Other watchers are late where nodes are, and the judging goes on.
    const isGap = watcher === "sources" && unseen > GAP_INTERVALS * every;
    if (isGap) this.#gap(from, at);
    // Before the first look as well.
    if (watcher === "sources" && last === undefined && at - this.#options.range.from > GAP_INTERVALS * every) {
      this.#gap(this.#options.range.from, at);
    }
    if ((isGap && isSameRun) || (this.#run !== undefined && this.#run !== look.run)) this.#judge.restart();
    this.#run = look.run;
    const readings = this.#readings(watcher, look);
    this.#last.set(watcher, { look, readings });
    if (look.failure !== undefined && last === undefined) return [];
    const failure = look.failure === undefined ? {} : { failure: look.failure };
    const seen = { readings, events: [], snapshot: undefined, at: look.at, dueMillis: look.dueMillis, ...failure };
    const judged = this.#judge.see({ network, watcher: { name: watcher, every }, ...seen }, look.dueMillis);
    return judged.decisions.flatMap((one) => changeOf(one, network, at) ?? []);
  }

  /** Nothing follows: the range may end with a gap. */
  end(): void {
    const last = this.#last.get("sources")?.look;
    const { from, to } = this.#options.range;
    const at = last === undefined ? from : toMillis(last.at);
    if (last !== undefined && to - at > GAP_INTERVALS * last.every) this.#gap(at, to);
  }

  #gap(from: Milliseconds, to: Milliseconds): void {
    if (to > this.#options.range.from) this.#options.onGap({ from, to });
  }

  /** Of a failed look, those before it, as unknown. */
  #readings(watcher: Replayed, look: Look): readonly Reading[] {
    const { failure } = look;
    const before = this.#last.get(watcher);
    if (failure !== undefined) {
      return (before?.readings ?? []).map((reading) => unknownBecause({ message: failure }, reading));
    }
    if (watcher === "sources") return this.#judgeRound(look);
    if (watcher === "markets") return this.#judgeMarkets(look, before?.look.run === look.run);
    return keptReadings((look.seen ?? {}) as Changes, { network: this.#options.network, nodes: this.#held.nodes });
  }

  #judgeRound({ run, seen }: Look): readonly Reading[] {
    const watch = { network: this.#options.network, config: this.#config, run };
    const { state, readings } = judgeLook(watch, roundOf(seen), this.#sources);
    this.#sources = state;
    return readings;
  }

  #judgeMarkets({ seen }: Look, goesOn: boolean): readonly Reading[] {
    const { events: _, ...changes } = (seen ?? {}) as Changes;
    this.#markets = withChanges(goesOn ? this.#markets : undefined, changes);
    return marketReadings(this.#options.network, this.#held.nodes, MarketsState.parse(this.#markets));
  }

  /** Takes the settings that held, which only another watch can change, and the subscriptions that were there. */
  #settle({ run }: Look, at: Milliseconds): void {
    const { settings, subscriptions, changed } = this.#options;
    const own = run === this.#run ? undefined : settings.find((one) => one.run === run);
    // A watch that went by the settings of the one before it has none of its own.
    const earlier = this.#run === undefined ? settings.findLast((one) => one.at <= at) : undefined;
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
