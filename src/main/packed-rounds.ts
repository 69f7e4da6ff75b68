import type { PollRound } from "../api/verdict/verdict.ts";
import type { Chunk } from "../looks/chunk.ts";
import type { Json, Look } from "../looks/look.ts";
import { nanoseconds } from "../units/nanoseconds.ts";
import { JUDGED_OF_ROUND } from "../watchers/sources/kept-round.ts";

/** A look, with its round where that was read by column: nothing else of what was seen is there then. */
export type ReplayedLook = Look & { readonly round?: PollRound };

type Witness = PollRound["witnesses"][number];
type Draft = { -readonly [K in keyof Witness]: Witness[K] };

/** The looks of a chunk of rounds as far as they are judged again. Throws for bytes that are none. */
export function roundLooks(chunk: Chunk): readonly ReplayedLook[] {
  const looks = new PackedRounds(chunk).looks();
  // What is no plain round is read as it is, and refused where it is judged.
  return looks ?? chunk.looks(JUDGED_OF_ROUND);
}

/** What is there in each look. */
type Leaves = (look: number) => Json | undefined;
type Digits = (look: number) => bigint | undefined;

/** What a node answered in each look. */
interface Answers {
  readonly reachable: Leaves;
  readonly why: Leaves;
  readonly answered: Leaves;
  readonly foreign: Leaves;
  readonly refused: Leaves;
  readonly roundTripMillis: Leaves;
  readonly time: Digits;
  readonly height: Digits;
  readonly blockTime: Digits;
  readonly receivedAt: Digits;
}

/** The rounds of a chunk, each put together from its columns: none is made into JSON and checked by a schema. */
class PackedRounds {
  readonly #chunk: Chunk;
  readonly #nodes = new Map<string, Answers>();
  #fits = true;

  constructor(chunk: Chunk) {
    this.#chunk = chunk;
  }

  /** Undefined where one of them is no plain round. */
  looks(): readonly ReplayedLook[] | undefined {
    const [run, every, due] = [this.#leaves("run"), this.#leaves("every"), this.#leaves("dueMillis")];
    const [at, failure] = [this.#digits("at"), this.#leaves("failure")];
    const order = this.#chunk.keys('["seen","order",').map((key) => this.#chunk.column(key).at);
    const [atMillis, wallClock] = [this.#leaves("seen", "atMillis"), this.#digits("seen", "wallClock")];
    const looks: ReplayedLook[] = [];
    for (let look = 0; look < this.#chunk.size; look += 1) {
      const common = { run: run(look), every: every(look), dueMillis: due(look), at: at(look) };
      if (!isMoment(common)) return undefined;
      const failed = failure(look);
      const [millis, wall] = [atMillis(look), wallClock(look)];
      if (typeof failed === "string" && millis === undefined) {
        looks.push({ ...common, failure: failed });
        continue;
      }
      const witnesses = this.#witnesses(look, order);
      if (failed !== undefined || witnesses === undefined || typeof millis !== "number" || wall === undefined) {
        return undefined;
      }
      looks.push({ ...common, round: { witnesses, atMillis: millis, wallClock: nanoseconds(wall) } });
    }
    return this.#fits ? looks : undefined;
  }

  #witnesses(look: number, order: readonly Leaves[]): readonly Witness[] | undefined {
    const witnesses: Witness[] = [];
    for (const name of order) {
      const node = name(look);
      if (node === undefined) break;
      const witness = typeof node === "string" ? witnessOf(node, this.#answersOf(node), look) : undefined;
      if (witness === undefined) return undefined;
      witnesses.push(witness);
    }
    return witnesses.length === 0 ? undefined : witnesses;
  }

  #answersOf(node: string): Answers {
    const known = this.#nodes.get(node);
    if (known !== undefined) return known;
    const leaves = (name: string): Leaves => this.#leaves("seen", "nodes", node, name);
    const digits = (name: string): Digits => this.#digits("seen", "nodes", node, name);
    const answers: Answers = {
      reachable: leaves("reachable"),
      why: leaves("why"),
      answered: leaves("answered"),
      foreign: leaves("foreign"),
      refused: leaves("refused"),
      roundTripMillis: leaves("roundTripMillis"),
      time: digits("time"),
      height: digits("height"),
      blockTime: digits("blockTime"),
      receivedAt: digits("receivedAt"),
    };
    this.#nodes.set(node, answers);
    return answers;
  }

  #leaves(...place: readonly string[]): Leaves {
    return this.#chunk.column(JSON.stringify(place)).at;
  }

  #digits(...place: readonly string[]): Digits {
    const values = this.#chunk.digits(JSON.stringify(place));
    this.#fits &&= values !== undefined;
    return (look) => values?.[look];
  }
}

function isMoment(moment: { readonly [K in "run" | "every" | "dueMillis" | "at"]: unknown }): moment is Look {
  const { run, every, dueMillis, at } = moment;
  return (
    typeof run === "string" && typeof every === "number" && typeof dueMillis === "number" && typeof at === "bigint"
  );
}

/** Undefined where an answer has another shape. */
function witnessOf(node: string, answers: Answers, look: number): Witness | undefined {
  const reachable = answers.reachable(look);
  if (typeof reachable !== "boolean") return undefined;
  const witness: Draft = { node, reachable };
  const [why, roundTripMillis] = [answers.why(look), answers.roundTripMillis(look)];
  if (typeof why === "string") witness.why = why;
  else if (why !== undefined) return undefined;
  if (typeof roundTripMillis === "number") witness.roundTripMillis = roundTripMillis;
  else if (roundTripMillis !== undefined) return undefined;
  for (const name of ["answered", "foreign", "refused"] as const) {
    const is = answers[name](look);
    if (is === true) witness[name] = is;
    else if (is !== undefined) return undefined;
  }
  const [time, height] = [answers.time(look), answers.height(look)];
  const [blockTime, receivedAt] = [answers.blockTime(look), answers.receivedAt(look)];
  if (time !== undefined) witness.time = nanoseconds(time);
  if (height !== undefined) witness.height = height;
  if (blockTime !== undefined) witness.blockTime = nanoseconds(blockTime);
  if (receivedAt !== undefined) witness.receivedAt = nanoseconds(receivedAt);
  return witness;
}
