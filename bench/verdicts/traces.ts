import { packageVersion } from "../../src/main/cli/cli.ts";
import { lookLine, settingsLine } from "../../src/main/traces/export.ts";
import type { TraceLine, TruthLine } from "../../src/main/traces/traces.ts";
import type { Truth } from "../../src/main/traces/score.ts";
import type { Json } from "../../src/looks/look.ts";
import { fromMillis, type Nanoseconds, timeToText } from "../../src/units/time.ts";
import { findingsOrNothing } from "../../src/watchers/kept.ts";
import { keptRound } from "../../src/watchers/sources/kept-round.ts";
import { SourcesState } from "../../src/watchers/sources/sources-state.ts";
import { BEGAN } from "./chain.ts";
import { configFor, NETWORK, SourcesJudge } from "./engine.ts";
import { SnapshotsJudge } from "./snapshots.ts";
import { inNanos, watchedOf } from "./trial.ts";
import { Witness } from "./witness.ts";
import { nodeName, World, type WorldPlan } from "./world.ts";

/** A day as a trace: what the watchers saw of it, and what was true. */
export function* traceOf(plan: WorldPlan): Generator<TraceLine> {
  const world = new World(plan);
  const witness = new Witness(world);
  const config = configFor(plan);
  const sources = new SourcesJudge(config);
  const snapshots = plan.heights ? new SnapshotsJudge(NETWORK, plan.nodes, world) : undefined;
  const version = packageVersion();
  const known = watchedOf(plan).calm ? "calm" : "all";
  yield { trace: 1, network: NETWORK, version, from: trueTime(0), to: trueTime(plan.length), known };
  const nodes = Array.from({ length: plan.nodes }, (_, index) => nodeName(index));
  const seen = JSON.parse(JSON.stringify({ version, nodes, config })) as Json;
  yield settingsLine({ at: fromMillis(BEGAN), run: "process 0", dueMillis: 0, every: 0, seen });
  for (const round of world.rounds()) {
    witness.see(round);
    const { run, poll, state, verdict, readings } = sources.judge(round);
    const trueAt = trueTime(round.at);
    const at = poll.wallClock;
    const when = { run, dueMillis: round.dueMillis, at };
    const kept = keptRound(SourcesState.encode(state), verdict, { readings, events: [] });
    yield { ...lookLine("sources", { ...when, every: plan.poll, seen: kept }), trueAt };
    const found = snapshots?.look(round);
    const facts = found === undefined ? undefined : findingsOrNothing({ readings: found, events: [] });
    if (facts !== undefined)
      yield { ...lookLine("snapshots", { ...when, every: config.poll.rest, seen: facts }), trueAt };
  }
  yield* truthLines(inNanos(witness.finish()));
}

function* truthLines({ facts, excused, unfollowed, lies }: Truth): Generator<TruthLine> {
  const span = ({ from, to }: { readonly from: number; readonly to: number }) => ({
    from: trueTime(from),
    to: trueTime(to),
  });
  for (const { kind, subject, why, seen, lead, ...rest } of facts) {
    yield { truth: "fact", kind, subject, ...span(rest), seen, lead, why };
  }
  for (const { kind, subject, ...rest } of excused) yield { truth: "excused", kind, subject, ...span(rest) };
  for (const one of unfollowed) yield { truth: "unfollowed", ...span(one) };
  for (const { subject, ...rest } of lies) yield { truth: "lie", subject, ...span(rest) };
}

/** Of milliseconds since the day began. */
function trueTime(millis: number): string {
  return timeToText((fromMillis(BEGAN) + BigInt(Math.round(millis * 1e6))) as Nanoseconds);
}
