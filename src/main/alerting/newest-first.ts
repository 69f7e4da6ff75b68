// Tries rules on as much of a range as can be judged in a time: span after span, the newest first.
import { compareSeverity } from "../../alerts/judge/kinds/kind.ts";
import { NO_TRIAL, type Trial, type TrialAnswer, type TrialEpisode } from "../../alerts/trial/trial.ts";
import type { ReadPage } from "../../looks/read.ts";
import { DAY, type Milliseconds } from "../../units/time.ts";
import { tryRules, type TrialWork } from "../trial.ts";

/** The first span, which shows how long the others take. */
const FIRST_SPAN: Milliseconds = 2 * DAY;
const LONGEST_SPAN: Milliseconds = 60 * DAY;
const SHORTEST_SPAN: Milliseconds = DAY / 2;
/** Judging begins so long before a span: what lasts when it begins was told before it. */
const RUN_UP: Milliseconds = DAY;
/** Of the time that is left a span is to take so much: days differ. */
const SHARE = 0.6;

/** What came of a span, with what came of the time before it. */
interface Judged {
  readonly from: Milliseconds;
  readonly answer: TrialAnswer;
}

/** What came of the newest days that could be judged; nothing was seen where the time was over before the first ones. */
export async function tryNewestFirst(
  readPage: ReadPage,
  request: TrialWork,
  limitMillis: Milliseconds,
  now: () => Milliseconds = () => performance.now(),
): Promise<TrialAnswer> {
  const end = now() + limitMillis;
  const isOver = (): boolean => now() > end;
  let found: Judged = {
    from: request.to,
    answer: { trials: request.tried.map(() => NO_TRIAL), seen: undefined, gaps: [], damaged: 0 },
  };
  let span = FIRST_SPAN;
  while (found.from > request.from) {
    const [began, to] = [now(), found.from];
    const from = Math.max(request.from, to - span);
    const answer = await tryRules(readPage, { ...request, from: from - RUN_UP, to }, isOver);
    if (answer.isCut === true) return { ...since(found), isCut: true };
    found = { from, answer: joined(answer, found) };
    const left = SHARE * (end - now());
    span = Math.min(LONGEST_SPAN, (left * (to - from + RUN_UP)) / Math.max(1, now() - began) - RUN_UP);
    if (span < SHORTEST_SPAN && from > request.from) return { ...since(found), isCut: true };
  }
  return since(found);
}

/** What came of it from its beginning on. */
function since({ from, answer }: Judged): TrialAnswer {
  const { trials, seen, gaps } = answer;
  return {
    ...answer,
    trials: trials.map(({ episodes, flapping, known }) => ({
      episodes: episodes.filter(({ fired }) => fired >= from),
      flapping: flapping.filter((at) => at >= from),
      known: new Map([...known].map(([kind, at]) => [kind, Math.max(at, from)])),
    })),
    seen: seen === undefined || seen.to < from ? undefined : { from: Math.max(from, seen.from), to: seen.to },
    gaps: gaps.filter(({ to }) => to > from).map((gap) => ({ ...gap, from: Math.max(from, gap.from) })),
  };
}

/** The answer for a span, some looks after it and what came before it, and that for the spans after it. */
function joined(first: TrialAnswer, { from, answer: rest }: Judged): TrialAnswer {
  const damaged = first.damaged + rest.damaged;
  if (rest.seen === undefined) return { ...first, damaged };
  if (first.seen === undefined) return { ...rest, damaged };
  // The looks of a day before the rest began are part of it, if there are any.
  const between = rest.seen.from > from ? [{ from: first.seen.to, to: rest.seen.from }] : [];
  return {
    trials: first.trials.map((one, index) => joinedTrial(one, from, rest.trials[index] ?? NO_TRIAL)),
    seen: { from: first.seen.from, to: rest.seen.to },
    gaps: [...first.gaps.filter(({ to }) => to <= from), ...between, ...rest.gaps.filter(({ to }) => to > from)],
    damaged,
  };
}

function joinedTrial(first: Trial, from: Milliseconds, rest: Trial): Trial {
  const goneOn = new Set<TrialEpisode>();
  const episodes = first.episodes
    .filter(({ fired }) => fired < from)
    .map((one) => {
      if (one.ended !== undefined) return one;
      const same = rest.episodes.find(
        ({ rule, subject, began, ended = Infinity }) =>
          rule === one.rule && subject === one.subject && began < from && ended >= from,
      );
      // What is not found there was over when the rest began.
      if (same === undefined) return { ...one, ended: from };
      goneOn.add(same);
      const severity = compareSeverity(one.severity, same.severity) > 0 ? one.severity : same.severity;
      return { ...same, began: one.began, fired: one.fired, severity };
    });
  return {
    episodes: [...episodes, ...rest.episodes.filter((one) => one.fired >= from && !goneOn.has(one))],
    flapping: [...first.flapping.filter((at) => at < from), ...rest.flapping.filter((at) => at >= from)],
    known: new Map([...rest.known, ...first.known]),
  };
}
