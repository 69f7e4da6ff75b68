import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { type QuietHours, quietUntil } from "../route/quiet-hours.ts";
import { isSilenceActive } from "../route/silence.ts";
import type { SubscriptionIndex } from "../route/subscription-index.ts";
import type { Episode, Machine } from "../judge/rules/episode.ts";
import { liveMessageKey } from "./plan-episode.ts";
import { flappingOf, inhibitingEpisodes, inhibitorOf } from "./plan-open.ts";

const MINUTE: Milliseconds = 60_000;

/** The inputs under which an open episode was planned, and until when the plan holds. */
export interface Evaluation {
  readonly index: SubscriptionIndex;
  readonly inputs: string;
  /** When the next reminder is due, in Unix milliseconds; Infinity if none is. */
  readonly until: Milliseconds;
}

/**
 * Which open episodes need not be planned again: none of the inputs has changed since, and the next reminder is not
 * due. Planning one reads its notification states, which may be thousands.
 */
export class EvaluationCache {
  #evaluations: ReadonlyMap<string, Evaluation> = new Map();
  #quiet: { readonly index: SubscriptionIndex; readonly minute: number; readonly words: string } | undefined;

  /** The evaluation of an episode that still holds, if any. */
  valid(
    episode: string,
    index: SubscriptionIndex,
    inputs: string | undefined,
    at: Milliseconds,
  ): Evaluation | undefined {
    const last = this.#evaluations.get(episode);
    const holds = last?.index === index && last.inputs === inputs && at < last.until;
    return holds ? last : undefined;
  }

  /** Replaces all evaluations, once the plans are committed. */
  replace(evaluations: ReadonlyMap<string, Evaluation>): void {
    this.#evaluations = evaluations;
  }

  /** The inputs of all episodes: which silences hold and which quiet hours run. */
  sharedInputs(index: SubscriptionIndex, at: Milliseconds): string {
    const silences = index.silences.filter((one) => isSilenceActive(one, at)).map(({ id }) => id);
    return JSON.stringify([silences, this.#quietHours(index, at)]);
  }

  /** Quiet hours begin and end with a minute, and zone arithmetic is slow. */
  #quietHours(index: SubscriptionIndex, at: Milliseconds): string {
    const minute = Math.floor(at / MINUTE);
    if (this.#quiet?.index !== index || this.#quiet.minute !== minute) {
      const words = quietHoursOf(index).map((quiet) => (quietUntil(quiet, at) === undefined ? "0" : "1"));
      this.#quiet = { index, minute, words: words.join("") };
    }
    return this.#quiet.words;
  }
}

/** Each once, in an order that is stable for one index. */
function quietHoursOf({ subscriptions }: SubscriptionIndex): QuietHours[] {
  const all = subscriptions.flatMap(({ state, quietHours }) =>
    state === "active" && quietHours !== undefined ? [quietHours] : [],
  );
  return [...new Map(all.map((one) => [`${one.from} ${one.to} ${one.zone}`, one])).values()];
}

interface OpenEpisodes {
  readonly tables: AlertTables;
  /** All that are open. */
  readonly episodes: readonly Episode[];
  /** Of each, how often its notification states have changed. */
  readonly revisions: ReadonlyMap<string, number>;
  /** Of an episode, where it flaps. */
  readonly machine: (episode: Episode) => Machine | undefined;
}

/**
 * All inputs of the plans of open episodes, except subscriptions, reminders and the last readings, as one text for
 * each: while it stays the same, the episode owes nothing new. `shared` are the inputs of all of them.
 */
export async function evaluationInputs(
  { tables, episodes, revisions, machine }: OpenEpisodes,
  shared: string,
): Promise<ReadonlyMap<string, string>> {
  const flapping = new Map(
    episodes.flatMap((episode) => {
      const found = flappingOf(machine(episode));
      return found === undefined ? [] : [[episode.id, found] as const];
    }),
  );
  const began = [...new Set([...flapping.values()].map((one) => one.began))];
  const flappingRevisions = new Map(
    (await tables.watch.notificationRevisions(began)).map((row) => [row.id, row.notification_revision]),
  );
  const inhibitors = inhibitingEpisodes(episodes);
  return new Map(
    episodes.map((episode) => {
      const found = flapping.get(episode.id);
      const flappingRevision = found === undefined ? undefined : flappingRevisions.get(found.began);
      const inhibitor = inhibitorOf(episode, inhibitors)?.id;
      const inputs = [
        liveMessageKey(episode),
        revisions.get(episode.id),
        inhibitor,
        found?.began,
        found?.episodes,
        found?.calmed,
        flappingRevision,
        shared,
      ];
      return [episode.id, JSON.stringify(inputs)] as const;
    }),
  );
}
