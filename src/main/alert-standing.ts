import type { Episode } from "../alerts/rules/episode.ts";
import type { Verdict } from "../api/verdict/verdict.ts";
import type { AlertCounts } from "../store/alert-tables/alert-tables.ts";
import type { Store } from "../store/store.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { Alerting, AlertingHealth, LastLook } from "./alerting.ts";

/** How the alerts stand at one moment, for figures. */
export interface AlertStanding {
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  readonly queue: readonly { readonly platform: string; readonly owed: number; readonly oldest: Milliseconds }[];
  readonly looks: readonly LastLook[];
  /** The platforms that deliver here, and those that refuse the bot's token. */
  readonly platforms: readonly string[];
  readonly refusals: AlertingHealth["refusals"];
  /** By network. */
  readonly verdicts: readonly (readonly [string, Verdict])[];
  readonly open: readonly Pick<Episode, "network" | "severity">[];
  readonly figures: AlertCounts;
  /** Whether the last write to the database got through. */
  readonly writable: boolean;
}

export interface AlertStandingParts {
  readonly alerting: Pick<Alerting, "health" | "verdict" | "desk">;
  readonly store: Pick<Store, "transaction" | "ping">;
  readonly networks: readonly string[];
  /** Unix milliseconds. */
  readonly now: () => Milliseconds;
}

/** Asks all that knows of the alerts. Rejects where the database fails. */
export async function alertStanding({ alerting, store, networks, now }: AlertStandingParts): Promise<AlertStanding> {
  const at = now();
  const { queue, looks, refusals } = await alerting.health();
  const open = await alerting.desk.openEpisodes();
  const figures = await store.transaction(({ alerts }) => alerts.counts(at));
  const writable = await store.ping().then(
    () => true,
    () => false,
  );
  const verdicts = networks.flatMap((network) => {
    const verdict = alerting.verdict(network);
    return verdict === undefined ? [] : [[network, verdict] as const];
  });
  return { at, queue, looks, platforms: alerting.desk.platforms(), refusals, verdicts, open, figures, writable };
}
