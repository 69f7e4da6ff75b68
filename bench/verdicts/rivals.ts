// Three rules for a stalled chain that others use, from their public descriptions. Each tells network.stalled alone.

import type { Told } from "../../src/main/traces/score.ts";
import type { Watch } from "./engine.ts";
import type { Answer, Round } from "./world.ts";

/** Fires and ends one alert at a time. */
abstract class StallRule implements Watch {
  readonly told: Told[] = [];
  #open: Told | undefined;

  abstract see(round: Round): void;

  protected set(firing: boolean, at: number, why: string): void {
    if (firing && this.#open === undefined) {
      this.#open = { kind: "network.stalled", subject: "", fired: at, why };
      this.told.push(this.#open);
    } else if (!firing && this.#open !== undefined) {
      Object.assign(this.#open, { ended: at, whyEnded: why });
      this.#open = undefined;
    }
  }
}

/**
 * A majority of the configured endpoints has to show an advance since the poll before, else the poll failed; so many
 * failed polls in a row are an alert, and one that succeeds ends it. As agave-watchtower does with three URLs, of which
 * "at least 2 have to confirm health of a cluster" (https://docs.rs/crate/agave-watchtower/4.1.2/source/README.md,
 * https://github.com/anza-xyz/agave/pull/4748), with its `--unhealthy-threshold`.
 */
export class MajorityOfAdvances extends StallRule {
  static readonly label = "majority of advances";
  readonly #polls: number;
  readonly #last = new Map<string, bigint>();
  #failed = 0;
  #process = 0;

  /** Failed polls in a row that last 30 s, at least two. */
  constructor({ poll }: { readonly poll: number }) {
    super();
    this.#polls = Math.max(2, Math.round(30_000 / poll));
  }

  see(round: Round): void {
    if (round.process !== this.#process) {
      this.#process = round.process;
      this.#last.clear();
      this.#failed = 0;
    }
    const isFirst = this.#last.size === 0;
    let advanced = 0;
    for (const answer of round.answers) {
      const place = progressOf(answer);
      if (place === undefined) continue;
      const before = this.#last.get(answer.node);
      if (before === undefined || place > before) advanced += 1;
      this.#last.set(answer.node, place);
    }
    if (isFirst) return;
    this.#failed = advanced * 2 > round.answers.length ? 0 : this.#failed + 1;
    this.set(this.#failed >= this.#polls, round.at, `${advanced} of ${round.answers.length} advanced`);
  }
}

/**
 * The first endpoint in order that answers is asked; without a new block from it for so long, the chain is stalled. As
 * Tenderduty does with its list of nodes, `stalled_enabled` and `stalled_minutes`
 * (https://github.com/blockpane/tenderduty/blob/main/docs/config.md), here with its least value of one minute.
 */
export class NoBlockForX extends StallRule {
  static readonly label = "fail-over, no block for 1 min";
  #last: bigint | undefined;
  #advancedAt = 0;

  see(round: Round): void {
    const answer = round.answers.find((one) => progressOf(one) !== undefined);
    const place = answer === undefined ? undefined : progressOf(answer);
    if (this.#last === undefined || (place !== undefined && place !== this.#last)) {
      this.#last = place;
      this.#advancedAt = round.at;
    }
    const still = round.at - this.#advancedAt;
    this.set(still >= 60_000, round.at, `${Math.round(still / 1000)} s without a block at ${answer?.node ?? "none"}`);
  }
}

/**
 * Prometheus's `changes(max(height)[30s:]) == 0` with `for: 1m` and `keep_firing_for: 1m`: pending for as long before it
 * fires, firing for as long after it was last true; pending is lost with a scrape without samples
 * (https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/).
 */
export class HighestHeight extends StallRule {
  static readonly label = "for: 1m over the highest";
  static readonly #WINDOW = 30_000;
  static readonly #FOR = 60_000;
  static readonly #KEEP = 60_000;
  /** Samples of the highest within the window. */
  #samples: { at: number; highest: bigint }[] = [];
  #activeSince: number | undefined;
  #lastTrue = -Infinity;
  #fires = false;

  see(round: Round): void {
    const { at } = round;
    let highest: bigint | undefined;
    for (const answer of round.answers) {
      const place = progressOf(answer);
      if (place !== undefined && (highest === undefined || place > highest)) highest = place;
    }
    if (highest !== undefined) this.#samples.push({ at, highest });
    while ((this.#samples[0]?.at ?? at) < at - HighestHeight.#WINDOW) this.#samples.shift();
    const [first] = this.#samples;
    const isTrue = this.#samples.length > 1 && this.#samples.every((one) => one.highest === first?.highest);
    if (isTrue) {
      this.#activeSince ??= at;
      this.#lastTrue = at;
      if (at - this.#activeSince >= HighestHeight.#FOR) this.#fires = true;
    } else {
      this.#activeSince = undefined;
      if (at - this.#lastTrue >= HighestHeight.#KEEP) this.#fires = false;
    }
    this.set(this.#fires, at, `highest ${highest ?? "unknown"}`);
  }
}

/** Heights where they are sent, else times: what such a rule is given to compare. */
function progressOf({ reachable, height, time }: Answer): bigint | undefined {
  return reachable ? (height ?? time) : undefined;
}
