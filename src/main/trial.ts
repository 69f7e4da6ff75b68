// Reads kept looks, and tries rules on them. It runs in a thread of its own (alerting/trial-thread.ts).
import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { type ConditionKind, KINDS } from "../alerts/judge/kinds/kinds.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import { RuleTrial, type Stretch, type TrialAnswer, type TrialRequest } from "../alerts/trial/trial.ts";
import type { Look } from "../looks/look.ts";
import { type Block, readBlocks, type ReadPage } from "../looks/read.ts";
import type { Milliseconds } from "../units/duration.ts";
import { toMillis } from "../units/nanoseconds.ts";
import { type Changes, keptReading } from "../watchers/kept.ts";
import { marketReadings, MarketsState } from "../watchers/markets/markets.ts";
import { GAP_INTERVALS, LookHistory, MARKETS, type Moment } from "../watchers/look-history.ts";
import { PackedReadings } from "./packed-readings.ts";

/** What is tried, and the settings by which it is judged. */
export type TrialWork = TrialRequest & { readonly config: Pick<AlertsConfig, "keep" | "flap"> };

/** Tries rules on the looks of a range, until the time is over. */
export async function tryRules(
  readPage: ReadPage,
  request: TrialWork,
  isOver: () => boolean = () => false,
): Promise<TrialAnswer> {
  const pass = new TrialPass(request);
  const streams = pass.watchers.map(
    (watcher) =>
      new Stream(
        pass,
        watcher,
        readBlocks(readPage, { ...request, watcher }, () => pass.leaveOut()),
      ),
  );
  await Promise.all(streams.map((stream) => stream.fill()));
  for (;;) {
    if (isOver()) return { ...pass.answer(), isCut: true };
    const [first, next] = streams.filter((one) => one.at !== undefined).toSorted((a, b) => Number(a.at) - Number(b.at));
    if (first === undefined) return pass.answer();
    first.take(next?.at ?? Infinity);
    await first.fill();
  }
}

/** Looks in a row, and the trials that have not taken them yet; `isEach`: they are judged one by one. */
interface PackedStep {
  readonly at: Milliseconds;
  readonly packed: PackedReadings;
  readonly from: number;
  readonly to: number;
  readonly trials: readonly RuleTrial[];
  readonly isEach?: true;
}

/** The same, or one look. */
type Step = PackedStep | { readonly at: Milliseconds; readonly look: Look };

/** The looks of one watcher: a chunk at once, and parts of it where it has to be looked at more closely. */
class Stream {
  readonly #pass: TrialPass;
  readonly #watcher: string;
  readonly #blocks: AsyncGenerator<Block>;
  /** The next one last. */
  readonly #steps: Step[] = [];

  constructor(pass: TrialPass, watcher: string, blocks: AsyncGenerator<Block>) {
    [this.#pass, this.#watcher, this.#blocks] = [pass, watcher, blocks];
  }

  /** When the next look was; undefined where there is none. */
  get at(): Milliseconds | undefined {
    return this.#steps.at(-1)?.at;
  }

  /** Takes what is next, up to the next look of another watcher where that is longer. */
  take(until: Milliseconds): void {
    const step = this.#steps.pop();
    if (step !== undefined) this.#push(this.#pass.take(this.#watcher, step, until));
  }

  async fill(): Promise<void> {
    while (this.#steps.length === 0) {
      const next = await this.#blocks.next();
      if (next.done === true) return;
      this.#push(this.#pass.stepsOf(this.#watcher, next.value));
    }
  }

  #push(steps: readonly Step[]): void {
    for (let at = steps.length - 1; at >= 0; at -= 1) {
      const step = steps[at];
      if (step !== undefined) this.#steps.push(step);
    }
  }
}

/** Where a chunk cannot be passed over as a whole, so many looks at once are tried, then each. */
const PARTS = [60, 10];

/** One pass over the looks of a range, for all that is tried. */
class TrialPass {
  readonly watchers: readonly string[];
  readonly #request: TrialWork;
  readonly #trials: readonly RuleTrial[];
  readonly #kinds: readonly ConditionKind[];
  readonly #history: LookHistory;
  readonly #gaps: Stretch[] = [];
  #first: Milliseconds | undefined;
  #latest: Milliseconds = 0;
  #damaged = 0;

  constructor(request: TrialWork) {
    this.#request = request;
    this.#trials = request.tried.map((one) => new RuleTrial(one, request.config));
    const kinds = request.tried.flatMap(({ rules }) => rules.map(({ kind }) => kind));
    this.#kinds = [...new Set(["watch.blind" as const, ...kinds])];
    this.#history = new LookHistory(request.network, {
      onGap: (gap) => void this.#gaps.push(gap),
      onRestart: () => {
        for (const one of this.#trials) one.restart();
      },
    });
    this.watchers = [...new Set(this.#kinds.flatMap((kind) => KINDS[kind].watchers))];
  }

  answer(): TrialAnswer {
    const seen = this.#first === undefined ? undefined : { from: this.#first, to: this.#latest };
    return { trials: this.#trials.map((one) => one.result()), seen, gaps: this.#gaps, damaged: this.#damaged };
  }

  /** A row that cannot be read. */
  leaveOut(): void {
    this.#damaged += 1;
  }

  stepsOf(watcher: string, block: Block): readonly Step[] {
    const stepOf = (look: Look): Step => ({ look, at: toMillis(look.at) });
    if (!("read" in block)) return [stepOf(block)];
    if (watcher === MARKETS) return block.read((chunk) => [...chunk.looks()].map(stepOf)) ?? [];
    const packed = block.read((chunk) => new PackedReadings(chunk, this.#request.network, this.#kinds, GAP_INTERVALS));
    return packed === undefined ? [] : [{ packed, from: 0, to: packed.size, at: block.first, trials: this.#trials }];
  }

  /** Takes a step; gives the smaller ones of which it consists, where they have to be judged one by one. */
  take(watcher: string, step: Step, until: Milliseconds): readonly Step[] {
    try {
      if ("packed" in step) return this.#takePacked(watcher, step, until);
      this.#see(watcher, step.look, () => this.#readings(watcher, step.look), this.#trials);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      this.leaveOut();
    }
    return [];
  }

  #takePacked(watcher: string, step: PackedStep, until: Milliseconds): readonly Step[] {
    if (step.isEach === true) return this.#takeEach(watcher, step, until);
    const { packed, from, to } = step;
    const trials = this.#passOver(watcher, step);
    if (trials.length === 0) return [];
    const size = PARTS.find((one) => one < to - from);
    if (size === undefined) return [{ ...step, trials, isEach: true }];
    return Array.from({ length: Math.ceil((to - from) / size) }, (_, part) => {
      const begin = from + part * size;
      return { packed, from: begin, to: Math.min(to, begin + size), at: packed.atOf(begin), trials };
    });
  }

  /** Judges looks one by one, up to the next look of another watcher; gives the rest. */
  #takeEach(watcher: string, step: PackedStep, until: Milliseconds): readonly Step[] {
    const { packed, to, trials } = step;
    let look = step.from;
    do {
      const moment = packed.momentOf(look);
      const readings = packed.readingsOf(look);
      this.#see(watcher, moment, () => readings, trials);
      look += 1;
    } while (look < to && packed.atOf(look) <= until);
    return look === to ? [] : [{ ...step, from: look, at: packed.atOf(look) }];
  }

  /** Passes over looks that change nothing but the time; gives the trials for which one of them may change more. */
  #passOver(watcher: string, { packed, from, to, trials }: PackedStep) {
    const before = this.#history.last(watcher);
    if (before === undefined || !trials.some((one) => one.isCalm)) return trials;
    if (!packed.goesOn(from, to, before, GAP_INTERVALS)) return trials;
    const corners = packed.cornersOf(from, to);
    if (corners === undefined) return trials;
    const moment = packed.momentOf(to - 1);
    const readings = packed.readingsOf(to - 1);
    const observation = this.#history.observation(watcher, moment, readings);
    const rest = trials.filter((one) => !one.pass(observation, moment.dueMillis, corners));
    if (rest.length > 0) return rest;
    this.#history.add(watcher, moment, readings);
    this.#note(moment);
    return rest;
  }

  #see(watcher: string, moment: Moment, seen: () => readonly Reading[], trials: readonly RuleTrial[]): void {
    const observation = this.#history.see(watcher, moment, seen);
    this.#note(moment);
    if (observation === undefined) return;
    for (const one of trials) if (!one.pass(observation, moment.dueMillis)) one.see(observation, moment.dueMillis);
  }

  #note({ at }: Moment): void {
    const millis = toMillis(at);
    this.#first ??= millis;
    this.#latest = Math.max(this.#latest, millis);
  }

  #readings(watcher: string, look: Look): readonly Reading[] {
    const { network } = this.#request;
    const { seen } = look;
    if (watcher === MARKETS) {
      const markets = this.#history.marketsAfter(look);
      return marketsIn(network, markets).filter(({ kind }) => this.#kinds.includes(kind));
    }
    const facts = ((seen as Changes | undefined)?.["facts"] ?? {}) as Readonly<Record<string, Changes>>;
    return this.#kinds.flatMap((kind) =>
      Object.entries(facts[kind] ?? {}).map(([subject, kept]) => keptReading(kind, network, subject, kept)),
    );
  }
}

/** Throws SyntaxError where the markets have a shape that this version does not know: to check it first takes too long. */
function marketsIn(network: string, markets: Changes): readonly Reading[] {
  try {
    return marketReadings(network, 0, markets as unknown as MarketsState);
  } catch (thrown) {
    if (MarketsState.safeParse(markets).success) throw thrown;
    throw new SyntaxError("These are no markets.", { cause: thrown });
  }
}
