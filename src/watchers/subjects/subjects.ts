import { ApiError } from "../../api/api-error.ts";
import type { Clock } from "../../api/clock.ts";
import { decimal, formatDecimal } from "../../units/decimal.ts";
import type { Milliseconds } from "../../units/duration.ts";

/** So many subjects are asked for in one look, one after the other; the rest have their turn in the next ones. */
export const MAX_SUBJECTS_PER_POLL = 100;

interface PolledSubjects<T> {
  /** By subject; one that the node knows nothing of is left out. */
  readonly answers: ReadonlyMap<string, T>;
  /** The last one whose turn it was: the next look goes on behind it. */
  readonly turn: string | undefined;
}

/** For how long a look goes on asking. */
interface PollLimit {
  readonly millis: Milliseconds;
  readonly clock: Clock;
}

/**
 * Asks for one subject after the other, from behind `turn` on and round again. Ends early where that takes too long, or
 * where the nodes do not answer; rejects with that ApiError where they have answered nothing at all.
 */
export async function pollSubjects<T>(
  subjects: readonly string[],
  turn: string | undefined,
  { millis, clock }: PollLimit,
  ask: (subject: string) => Promise<T>,
): Promise<PolledSubjects<T>> {
  const sorted = [...new Set(subjects)].toSorted();
  const behind = sorted.findIndex((subject) => turn !== undefined && subject > turn);
  const begin = behind === -1 ? 0 : behind;
  const inTurn = [...sorted.slice(begin), ...sorted.slice(0, begin)].slice(0, MAX_SUBJECTS_PER_POLL);
  const answers = new Map<string, T>();
  let last = turn;
  let answered = false;
  const begun = clock.monotonicMillis();
  for (const subject of inTurn) {
    if (answered && clock.monotonicMillis() - begun >= millis) break;
    try {
      answers.set(subject, await ask(subject));
      answered = true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (affectsAllSubjects(error)) {
        if (!answered) throw error;
        break;
      }
      answered = true;
    }
    last = subject;
  }
  return { answers, turn: last };
}

/** Whether the next subject would fare no better. */
function affectsAllSubjects({ kind }: ApiError): boolean {
  switch (kind) {
    case "unreachable":
    case "timeout":
    case "rate-limited":
    case "banned":
    case "cut":
      return true;
    case "not-found":
    case "invalid":
    case "server":
    case "refused":
    case "unreadable":
      return false;
  }
}

/** An integer of smallest units in whole ones, `1,250.5`; where the decimals are not known, as sent: `12505 raw`. */
export function formatUnits(units: bigint | undefined, decimals: number | undefined): string | undefined {
  if (units === undefined) return undefined;
  if (decimals === undefined) return `${units} raw`;
  // Negative decimals count whole lots.
  return formatDecimal(decimals >= 0 ? decimal(units, decimals) : decimal(units * 10n ** BigInt(-decimals)));
}
