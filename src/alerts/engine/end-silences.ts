import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Decision } from "../judge/judge.ts";
import { timeFromText } from "../judge/kinds/json-fields.ts";
import { parseEpisode } from "../judge/rules/episode.ts";
import { endAfter, type Silence, silenceRow } from "../route/silence.ts";
import { silenceOverLine } from "../words/silence-words.ts";

/**
 * Stores the end of each silence until episodes are over, once none of these is open. Returns all silences as they are
 * then, with the decisions. `open`: the ids of the open episodes.
 */
export async function endSilences(
  tables: AlertTables,
  all: readonly Silence[],
  open: ReadonlySet<string>,
  at: Milliseconds,
): Promise<{ readonly silences: readonly Silence[]; readonly decisions: readonly Decision[] }> {
  const waiting = all.filter(({ untilOver, until }) => untilOver !== undefined && until > at);
  const over = waiting.filter(({ untilOver = [] }) => !untilOver.some((id) => open.has(id)));
  if (over.length === 0) return { silences: all, decisions: [] };
  const rows = await tables.watch.episodes([...new Set(over.flatMap(({ untilOver = [] }) => untilOver))]);
  const ends = new Map(rows.map((row) => [row.id, parseEpisode(row).ended]));
  const ended = new Map<string, Silence>();
  for (const one of over) {
    const known = (one.untilOver ?? []).flatMap((id) => ends.get(id) ?? []);
    // An episode that is stored no more has no end to count from.
    const last = known.length === 0 ? at : Math.max(...known.map((end) => toMillis(timeFromText(end))));
    const silence = endAfter(one, Math.min(last, at));
    await tables.subscriptions.putSilence(silenceRow(silence));
    ended.set(one.id, silence);
  }
  return {
    silences: all.map((one) => ended.get(one.id) ?? one),
    decisions: [...ended.values()].map((silence) => silenceDecision(silence, silenceOverLine(silence))),
  };
}

/** A sentence of the log about a silence. */
export function silenceDecision({ scope: { destination, network } }: Silence, detail: string): Decision {
  return { what: "silence", ...withoutUndefined({ destination, network }), detail };
}
