// Reads kept looks, and tries rules on them. It runs in a thread of its own (alerting/trial-thread.ts).
import type { AlertsConfig } from "../alerts/alerts-config.ts";
import { type ConditionKind, KINDS } from "../alerts/judge/kinds/kinds.ts";
import type { Reading } from "../alerts/judge/kinds/reading.ts";
import { RuleTrial, type TrialAnswer, type TrialRequest } from "../alerts/trial/trial.ts";
import type { Look } from "../looks/look.ts";
import { type Block, readBlocks, type ReadPage } from "../looks/read.ts";
import { type Milliseconds, type Stretch, toMillis } from "../units/time.ts";
import { type Changes, keptReading } from "../watchers/kept.ts";
import { marketReadings, MarketsState } from "../watchers/markets/markets.ts";
import { LookHistory, MARKETS, type Moment } from "../watchers/look-history.ts";
import { PackedReadings, type PackedRow } from "./packed-readings.ts";

/** What is tried, and the settings by which it is judged. */
export type TrialWork = TrialRequest & { readonly config: Pick<AlertsConfig, "keep" | "flap"> };

/** Tries rules on the looks of a range, until the time is over. */
export async function tryRules(
  readPage: ReadPage,
  request: TrialWork,
  isOver: () => boolean = () => false,
): Promise<TrialAnswer> {
  const pass = new TrialPass(request);
  const streams = pass.watchers.map((watcher) => {
    const blocks = readBlocks(readPage, { ...request, watcher }, () => pass.leaveOut());
    return { watcher, blocks, steps: [] as Step[] };
  });
  for (;;) {
    await Promise.all(streams.map((stream) => fill(stream, pass)));
    if (isOver()) return { ...pass.answer(), isCut: true };
    const open = streams.filter(({ steps }) => steps.length > 0);
    const [first, next] = open.toSorted((a, b) => atOf(a) - atOf(b));
    const step = first?.steps.pop();
    if (first === undefined || step === undefined) return pass.answer();
    const rest = pass.take(first.watcher, step, atOf(next));
    if (rest !== undefined) first.steps.push(rest);
  }
}

/** Looks of a chunk that are not taken yet, or one look. */
type Step = { readonly at: Milliseconds } & (
  | { readonly packed: PackedReadings; readonly from: number }
  | { readonly look: Look }
);

/** The looks of one watcher: a chunk at once, where it need not be looked at more closely. */
interface Stream {
  readonly watcher: string;
  readonly blocks: AsyncGenerator<Block>;
  /** The next one last. */
  readonly steps: Step[];
}

/** When the next look was. */
function atOf(stream: Stream | undefined): Milliseconds {
  return stream?.steps.at(-1)?.at ?? Infinity;
}

async function fill({ watcher, blocks, steps }: Stream, pass: TrialPass): Promise<void> {
  while (steps.length === 0) {
    const next = await blocks.next();
    if (next.done === true) return;
    steps.push(...pass.stepsOf(watcher, next.value).toReversed());
  }
}

/** One pass over the looks of a range, for all that is tried. */
class TrialPass {
  readonly watchers: readonly string[];
  readonly #request: TrialWork;
  readonly #trials: readonly RuleTrial[];
  readonly #kinds: readonly ConditionKind[];
  readonly #history: LookHistory;
  readonly #gaps: Stretch[] = [];
  /** The last looks of each watcher that are not judged yet: nothing begins in them, and perhaps the next ones stand for them. */
  readonly #held = new Map<string, PackedRow>();
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
    this.#catchUp();
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
    const { network, tried } = this.#request;
    const packed = block.read((chunk) => new PackedReadings(chunk, network, this.#kinds, tried.length > 1));
    return packed === undefined ? [] : [{ packed, from: 0, at: block.first }];
  }

  /** Takes a step, of a chunk as much as is before the next look of another watcher; gives the rest. */
  take(watcher: string, step: Step, until: Milliseconds): Step | undefined {
    return this.#unlessDamaged(() => {
      if ("packed" in step) return this.#takePacked(watcher, step.packed, step.from, until);
      this.#see(watcher, step.look, () => this.#readings(watcher, step.look));
      return undefined;
    });
  }

  #takePacked(watcher: string, packed: PackedReadings, from: number, until: Milliseconds): Step | undefined {
    const held = this.#held.get(watcher);
    const before = held === undefined ? this.#history.last(watcher) : held.packed.going(held.to - 1);
    const goesOn = before !== undefined && packed.goesOn(from, before);
    if (!goesOn) this.#see(watcher, packed.momentOf(from), () => packed.readingsOf(from));
    const first = goesOn ? from : from + 1;
    let end = packed.breakAfter(from);
    const isCalm = end > first && this.#trials.every((one) => one.allows(packed));
    // Of other watchers' looks what is blind concerns them, too.
    if (!isCalm && end > first && packed.atMillis(end - 1) > until) {
      end = from + 1;
      while (packed.atMillis(end) <= until) end += 1;
    }
    // What a look shows of a subject stands for what those before showed of it.
    if (!isCalm || held?.packed.isShownBy(packed) === false) this.#catchUp();
    if (isCalm) this.#held.set(watcher, packed.row(watcher, first, end));
    else if (end > first) this.#follow(packed.row(watcher, first, end));
    return end === packed.size ? undefined : { packed, from: end, at: packed.atMillis(end) };
  }

  /** Judges looks that go on from the last one: trial after trial, which is faster than look after look. */
  #follow(row: PackedRow): void {
    for (const one of this.#trials) one.follow(row);
    const [{ packed, watcher }, last] = [row, row.to - 1];
    const moment = packed.momentOf(last);
    this.#history.add(watcher.name, moment, () => packed.readingsOf(last));
    this.#note(moment);
  }

  #catchUp(): void {
    for (const [watcher, row] of this.#held) {
      this.#held.delete(watcher);
      this.#unlessDamaged(() => this.#follow(row));
    }
  }

  #unlessDamaged<T>(take: () => T): T | undefined {
    try {
      return take();
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      this.leaveOut();
      return undefined;
    }
  }

  #see(watcher: string, moment: Moment, seen: () => readonly Reading[]): void {
    this.#catchUp();
    const observation = this.#history.see(watcher, moment, seen);
    this.#note(moment);
    if (observation !== undefined) for (const one of this.#trials) one.see(observation);
  }

  #note({ at }: Moment): void {
    const millis = toMillis(at);
    this.#first ??= millis;
    this.#latest = Math.max(this.#latest, millis);
  }

  #readings(watcher: string, look: Look): readonly Reading[] {
    const { network } = this.#request;
    const { seen } = look;
    // All kinds: whether anything is seen says whether a market is gone.
    if (watcher === MARKETS) return marketsIn(network, this.#history.marketsAfter(look));
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
