import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { type QuietHours, quietUntil } from "../routing/quiet-hours.ts";
import { holdsAt } from "../routing/silence.ts";
import type { SubscriptionIndex } from "../routing/subscription-index.ts";
import type { Episode, Machine } from "../rules/episode.ts";
import { liveMessageKey } from "./plan-episode.ts";
import { flappingOf, inhibitingEpisodes, inhibitorOf } from "./plan-open.ts";

const MINUTE: Milliseconds = 60_000;

/** Under what circumstances an open episode was looked through, and when time alone next brings something about. */
export interface Evaluation {
  readonly index: SubscriptionIndex;
  readonly inputs: string;
  /** Unix milliseconds; Infinity where nothing is to come. */
  readonly until: Milliseconds;
}

/**
 * Which open episodes need not be looked through again: nothing that bears on what they owe has changed since, and the
 * next reminder is not due. Looking one through reads what each destination was told of it, which may be thousands.
 */
export class EvaluationCache {
  #looks: ReadonlyMap<string, Evaluation> = new Map();
  #quiet: { readonly choices: SubscriptionIndex; readonly minute: number; readonly words: string } | undefined;

  /** The look at an episode that still holds, where there is one. */
  valid(
    episode: string,
    choices: SubscriptionIndex,
    circumstances: string | undefined,
    at: Milliseconds,
  ): Evaluation | undefined {
    const look = this.#looks.get(episode);
    const holds = look?.index === choices && look.inputs === circumstances && at < look.until;
    return holds ? look : undefined;
  }

  /** Takes the looks at all that is open, by episode, once what they owe is kept. */
  replace(looks: ReadonlyMap<string, Evaluation>): void {
    this.#looks = looks;
  }

  /** Which silences hold and which quiet hours run. */
  sharedInputs(choices: SubscriptionIndex, at: Milliseconds): string {
    const silences = choices.silences.filter((one) => holdsAt(one, at)).map(({ id }) => id);
    return JSON.stringify([silences, this.#quietHours(choices, at)]);
  }

  /** Quiet hours begin and end with a minute, and asking a zone's clock is dear. */
  #quietHours(choices: SubscriptionIndex, at: Milliseconds): string {
    const minute = Math.floor(at / MINUTE);
    if (this.#quiet?.choices !== choices || this.#quiet.minute !== minute) {
      const words = quietHoursOf(choices).map((quiet) => (quietUntil(quiet, at) === undefined ? "0" : "1"));
      this.#quiet = { choices, minute, words: words.join("") };
    }
    return this.#quiet.words;
  }
}

/** Each once, in an order that lasts as long as the choices do. */
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
  /** Of each, how often what was told of it has changed. */
  readonly told: ReadonlyMap<string, number>;
  /** Of an episode, where it flaps. */
  readonly machine: (episode: Episode) => Machine | undefined;
}

/**
 * All that bears on what open episodes owe, but for what people chose, reminders and what the last readings say: while
 * the words for an episode stay the same, it owes nothing new. `weather` is what bears on all of them.
 */
export async function evaluationInputs(
  { tables, episodes, told, machine }: OpenEpisodes,
  weather: string,
): Promise<ReadonlyMap<string, string>> {
  const flapping = new Map(
    episodes.flatMap((episode) => {
      const found = flappingOf(machine(episode));
      return found === undefined ? [] : [[episode.id, found] as const];
    }),
  );
  const began = [...new Set([...flapping.values()].map((one) => one.began))];
  const toldThen = new Map((await tables.watch.notificationRevisions(began)).map((row) => [row.id, row.told]));
  const inhibitors = inhibitingEpisodes(episodes);
  return new Map(
    episodes.flatMap((episode) => {
      const found = flapping.get(episode.id);
      const then = found === undefined ? undefined : toldThen.get(found.began);
      // Of an episode that is no longer kept nobody counts what is told of it.
      if (found !== undefined && then === undefined) return [];
      const inhibitor = inhibitorOf(episode, inhibitors)?.id;
      const words = [
        liveMessageKey(episode),
        told.get(episode.id),
        inhibitor,
        found?.began,
        found?.episodes,
        then,
        weather,
      ];
      return [[episode.id, JSON.stringify(words)] as const];
    }),
  );
}
