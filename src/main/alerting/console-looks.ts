import type { KeptLooks, LooksQuestion, PastAlert } from "../../adapters/web/looks.ts";
import { compareSeverity, timeFromText } from "../../alerts/judge/kinds/kind.ts";
import { type Episode, isDrill, isOpen, parseEpisode } from "../../alerts/judge/rules/episode.ts";
import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import { happening } from "../../alerts/words/condition-words.ts";
import { endOf } from "../../alerts/words/phrases.ts";
import { parsePastRange } from "../../answers/alerts/alert-times.ts";
import { firstLook, spanSince } from "../../answers/charts/chart-span.ts";
import { networkLook, networkPicture } from "../../answers/charts/network-chart.ts";
import { altText } from "../../chart/alt.ts";
import { PIXELS, type ReadPast } from "../../chart/thin.ts";
import { UserError } from "../../errors.ts";
import { plainText } from "../../reply/plain-text.ts";
import type { Store } from "../../store/store.ts";
import { type Milliseconds, type Stretch, toMillis } from "../../units/time.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";

export interface ConsoleLooksDependencies {
  readonly store: Pick<Store, "read">;
  readonly config: AlertsConfig;
  /** One per network, the default one first. */
  readonly clients: readonly { readonly network: string; readonly nodes: readonly { readonly name: string }[] }[];
  readonly simulated: boolean;
  readonly past: ReadPast;
  /** Whether looks are kept. */
  readonly keeps: boolean;
  readonly now: () => Milliseconds;
}

const USUAL = "24h";
/** Alerts that are listed, and that are read at most. */
const [MAX_ALERTS, MAX_READ] = [40, 1000];
/** Kinds that are seen in a picture of nodes. */
const PICTURED = /^(?:network|node|watch)\./u;

/** Reads the looks that are kept, for the console. */
export function consoleLooks(dependencies: ConsoleLooksDependencies): KeptLooks {
  const { store, config, clients, simulated, past, keeps, now } = dependencies;

  function contextOf({ network }: LooksQuestion, signal: AbortSignal) {
    const api = network === undefined ? clients[0] : clients.find((one) => one.network === network);
    if (api !== undefined) return { network: api.network, api, past, signal, alerts: { config } };
    throw new UserError(`There is no network ${JSON.stringify(network)} here.`, {
      remedy: `Name one of ${clients.map((one) => one.network).join(", ")}.`,
    });
  }
  type Context = ReturnType<typeof contextOf>;

  async function spanOf(context: Context, { last = USUAL, until }: LooksQuestion) {
    const present = now();
    const to = parsePastRange({ until }, present, "UTC")?.to ?? present;
    const first = await firstLook(context, "sources", to);
    // A range until now ends with the part of it that is under way, so that parts stay the same from look to look.
    const part = partOf(spanSince(first, last, to));
    return { first, ...spanSince(first, last, until === undefined ? Math.ceil(to / part) * part : to) };
  }

  /** Those of a span, of many the gravest and longest. */
  async function alertsOf({ network }: Context, { from, to }: Stretch): Promise<readonly PastAlert[]> {
    const rows = await store.read(async ({ alerts: { watch } }) => [
      ...(await watch.openEpisodes(network)),
      // What fired a while before may have ended in it.
      ...(await watch.episodesBetween(network, from - (to - from), to, MAX_READ)),
    ]);
    const episodes = [...new Map(rows.map((row) => [row.id, row])).values()].map(parseEpisode);
    return episodes
      .filter((one) => !isDrill(one) && PICTURED.test(one.kind))
      .map(pastAlert)
      .filter((one) => one.from <= to && (one.to ?? to) >= from)
      .toSorted((a, b) => compareSeverity(b.severity, a.severity) || lengthOf(b) - lengthOf(a));
    function lengthOf(one: PastAlert): Milliseconds {
      return (one.to ?? to) - one.from;
    }
  }

  return {
    async past(question, signal) {
      const context = contextOf(question, signal);
      const { network } = context;
      const { first, ...span } = await spanOf(context, question);
      const alerts = await alertsOf(context, span);
      const picture = await networkPicture(context, { ...span, zone: "UTC" });
      const scene = picture && { ...picture.scene, ...(simulated ? { simulated } : {}) };
      return withoutUndefined({
        network,
        ...span,
        first,
        partMillis: partOf(span),
        scene,
        alt: scene && altText(scene),
        nothing: scene === undefined ? nothingOf(network, keeps) : undefined,
        alerts: alerts.slice(0, MAX_ALERTS).toSorted((a, b) => a.from - b.from),
        moreAlerts: alerts.length > MAX_ALERTS ? alerts.length - MAX_ALERTS : undefined,
      });
    },
    at(question, signal) {
      const context = contextOf(question, signal);
      const moment = parsePastRange({ until: question.at }, now(), "UTC");
      return networkLook(context, moment?.to ?? now());
    },
  };
}

function partOf({ from, to }: Stretch): Milliseconds {
  return Math.max(1, Math.round((to - from) / PIXELS));
}

function nothingOf(network: string, keeps: boolean): string {
  return keeps
    ? `Nothing is kept of ${network} in that time. Pictures are made of what was seen since this bot watches it.`
    : `There is no picture of ${network}: this bot keeps nothing of what it sees (LOOKS_KEEP=0).`;
}

function pastAlert(episode: Episode): PastAlert {
  const { id, kind, severity } = episode;
  const what = plainText(happening(episode));
  const from = toMillis(timeFromText(episode.began));
  return {
    episode: id,
    kind,
    severity,
    what,
    from,
    ...(isOpen(episode) ? {} : { to: toMillis(timeFromText(endOf(episode))) }),
  };
}
