import type { TimedObservation } from "../alerts/judge/judge.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import type { Json, Look } from "../looks/look.ts";
import { type Stretch, toMillis } from "../units/time.ts";
import { type Changes, withChanges } from "./kept.ts";
import { unknownBecause } from "./schedule.ts";

/** A look without what was seen. */
export type Moment = Omit<Look, "seen">;

/** So many intervals without a look are a gap. */
export const GAP_INTERVALS = 3;
/** The watcher whose gaps count: others are late where nodes are, and the judging goes on. */
export const SOURCES = "sources";
export const MARKETS = "markets";

/** Where looks begin in the middle of a run, the first ones say what changes, until an hour begins: then one says all. */
const UNSEEN: Changes = { since: "0", looks: 1, node: "", behind: false, markets: {} };

interface Told {
  /** No look for longer than three intervals. */
  readonly onGap: (gap: Stretch) => void;
  /** Another process, or the same after a gap, goes on from what is stored. */
  readonly onRestart: () => void;
}

/** The kept looks of a network in the order in which they were made, as far as the next one is judged by them. */
export class LookHistory {
  readonly #network: string;
  readonly #told: Told;
  readonly #last = new Map<string, { readonly moment: Moment; readonly readingsOf: () => readonly Reading[] }>();
  #run: string | undefined;
  /** As they were last seen, and by which run: its first look says all, and may come after looks that failed. */
  #markets: { readonly run?: string; readonly all: Changes } = { all: UNSEEN };

  constructor(network: string, told: Told) {
    [this.#network, this.#told] = [network, told];
  }

  /** The watch that made the last look. */
  get run(): string | undefined {
    return this.#run;
  }

  last(watcher: string): Moment | undefined {
    return this.#last.get(watcher)?.moment;
  }

  /** The observation of the next look; undefined where it failed, and nothing was seen before. */
  see(watcher: string, moment: Moment, readingsOf: () => readonly Reading[]): TimedObservation | undefined {
    const before = this.#last.get(watcher);
    this.#goOn(watcher, moment, before?.moment);
    const { every, at, dueMillis, failure } = moment;
    const seen =
      failure === undefined
        ? readingsOf()
        : (before?.readingsOf() ?? []).map((reading) => unknownBecause({ message: failure }, reading));
    this.add(watcher, moment, () => seen);
    if (before === undefined && failure !== undefined) return undefined;
    return {
      network: this.#network,
      watcher: { name: watcher, every },
      readings: seen,
      events: [],
      snapshot: undefined,
      at,
      dueMillis,
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /** Adds a look that goes on from the last one. */
  add(watcher: string, moment: Moment, readingsOf: () => readonly Reading[]): void {
    this.#last.set(watcher, { moment, readingsOf });
  }

  /** All markets after a look at them, of which only the changes are kept. */
  marketsAfter({ run, seen }: Look): Changes {
    const { events: _, ...changes } = (seen ?? {}) as Readonly<Record<string, Json>>;
    const all = withChanges(this.#markets.run === run ? this.#markets.all : UNSEEN, changes);
    this.#markets = { run, all };
    return all;
  }

  #goOn(watcher: string, { at, run, dueMillis, every }: Moment, before: Moment | undefined): void {
    // Within a run the wall clock may be set; between two there is no other.
    const isSameRun = before?.run === run;
    const unseen = isSameRun
      ? dueMillis - before.dueMillis
      : before === undefined
        ? 0
        : toMillis(at) - toMillis(before.at);
    const isGap = before !== undefined && watcher === SOURCES && unseen > GAP_INTERVALS * every;
    if (isGap) this.#told.onGap({ from: toMillis(before.at), to: toMillis(at) });
    if ((isGap && isSameRun) || (this.#run !== undefined && this.#run !== run)) this.#told.onRestart();
    this.#run = run;
  }
}
