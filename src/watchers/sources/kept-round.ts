import type { PollRound, Verdict } from "../../api/verdict/verdict.ts";
import type { Json } from "../../looks/look.ts";
import { nanoseconds } from "../../units/time.ts";
import { keptFindings } from "../kept.ts";
import type { Findings } from "../watcher.ts";
import type { SourcesSnapshot } from "./sources-state.ts";

type Witness = PollRound["witnesses"][number];

/** The members that `roundOf` does without: what was judged of the round. */
export const JUDGED_OF_ROUND = ["verdict", "votes", "facts", "events"] as const;

/** What is kept of a round: each node's answer by its name, and their order; then what was judged of it. */
export function keptRound({ round }: SourcesSnapshot, { network, nodes }: Verdict, findings: Findings): Json {
  return {
    order: round.witnesses.map(({ node }) => node),
    nodes: Object.fromEntries(round.witnesses.map(({ node, ...answer }) => [node, answer as Json])),
    wallClock: round.wallClock,
    atMillis: round.atMillis,
    verdict: network,
    votes: Object.fromEntries(nodes.map(({ node, vote }) => [node, vote])),
    ...keptFindings(findings),
  };
}

/** The round of a kept look, as it was given to the verdict. Throws SyntaxError where the look has none. */
export function roundOf(seen: Json | undefined): PollRound {
  const { order, nodes, wallClock, atMillis } = membersOf(seen);
  if (!Array.isArray(order) || typeof atMillis !== "number") throw noRound();
  const answers = membersOf(nodes);
  const witnesses = order.map((node: unknown) => {
    if (typeof node !== "string") throw noRound();
    return witnessOf(node, membersOf(answers[node]));
  });
  return { witnesses, atMillis, wallClock: nanoseconds(integerOf(wallClock)) };
}

type Draft = { -readonly [K in keyof Witness]: Witness[K] };

/** By hand: of the 500,000 looks of a month a schema would take a tenth of the time in which they are judged. */
function witnessOf(node: string, { reachable, why, roundTripMillis, ...more }: Members): Witness {
  if (typeof reachable !== "boolean") throw noRound();
  const witness: Draft = { node, reachable };
  if (typeof why === "string") witness.why = why;
  if (typeof roundTripMillis === "number") witness.roundTripMillis = roundTripMillis;
  if (more["answered"] === true) witness.answered = true;
  if (more["foreign"] === true) witness.foreign = true;
  if (more["refused"] === true) witness.refused = true;
  const { time, height, blockTime, receivedAt } = more;
  if (time !== undefined) witness.time = nanoseconds(integerOf(time));
  if (height !== undefined) witness.height = integerOf(height);
  if (blockTime !== undefined) witness.blockTime = nanoseconds(integerOf(blockTime));
  if (receivedAt !== undefined) witness.receivedAt = nanoseconds(integerOf(receivedAt));
  return witness;
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(json: unknown): Members {
  if (typeof json !== "object" || json === null) throw noRound();
  return json as Members;
}

/** BigInt itself throws SyntaxError for other texts. */
function integerOf(text: unknown): bigint {
  if (typeof text !== "string" || text === "") throw noRound();
  return BigInt(text);
}

function noRound(): SyntaxError {
  return new SyntaxError("This is no round.");
}
