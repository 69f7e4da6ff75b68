import { LRUCache } from "lru-cache";

import type { AlertsConfig } from "../../alerts/alerts-config.ts";
import type { DispatchDependencies } from "../../alerts/deliver/dispatch/dispatch.ts";
import type { Episode } from "../../alerts/judge/rules/episode.ts";
import type { Platforms } from "../../alerts/destination.ts";
import { type Clock, systemClock } from "../../api/clock.ts";
import type { Draw } from "../../chart/png.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { Attachment } from "../../reply/reply.ts";
import type { Store } from "../../store/store.ts";
import { type Milliseconds, toMillis } from "../../units/time.ts";
import type { Networks } from "../networks.ts";
import { createPast } from "../past.ts";

interface AlertPicturesDependencies {
  readonly store: Pick<Store, "read">;
  readonly networks: Pick<Networks, "simulated"> & {
    readonly clients: readonly { readonly network: string; readonly nodes: readonly { readonly name: string }[] }[];
  };
  readonly config: AlertsConfig;
  readonly draw: Draw;
  readonly log: Log;
  readonly now: () => Milliseconds;
}

/** Alerts that wait for their pictures; those beyond go without. */
const MAX_WAITING = 20;
/** A picture serves all places of its zone that ask for it in this time. */
const KEPT: Milliseconds = 60_000;
const MAX_KEPT = 20;
const READING: Milliseconds = 15_000;

/** Who draws alerts, and when the messages of a platform get them; nothing where no looks are kept. */
export function alertPictures(
  given: Omit<AlertPicturesDependencies, "draw" | "now"> & {
    readonly draw?: Draw | undefined;
    readonly looks?: object | undefined;
    readonly platforms: Platforms;
    readonly clock?: Clock;
  },
) {
  const { draw, looks, platforms, clock = systemClock } = given;
  if (draw === undefined || looks === undefined) return undefined;
  return {
    draw: createAlertPictures({ ...given, draw, now: () => toMillis(clock.wallClock()) }),
    picturesOn: (platform: string) => platforms.chat(platform)?.pictures,
  };
}

/** Draws alerts for their messages: each once for a zone, however many places are told of it; one after the other. */
export function createAlertPictures(
  dependencies: AlertPicturesDependencies,
): NonNullable<DispatchDependencies["draw"]> {
  const { store, networks, config, draw, log, now } = dependencies;
  const past = createPast(store);
  const kept = new LRUCache<string, Promise<Attachment | undefined>>({ max: MAX_KEPT, ttl: KEPT });
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function picture(episode: Episode, zone: string): Promise<Attachment | undefined> {
    const api = networks.clients.find(({ network }) => network === episode.network);
    if (api === undefined) return undefined;
    // Most processes draw none for a long time.
    const [{ alertPicture }, { altText }] = await Promise.all([
      import("../../answers/charts/alert-chart.ts"),
      import("../../chart/alt.ts"),
    ]);
    const signal = AbortSignal.timeout(READING);
    const context = { network: api.network, past, signal, api, alerts: { config } };
    const found = await alertPicture(context, episode, { now: now(), zone });
    if (found === undefined) return undefined;
    const { scene } = found;
    const made = networks.simulated
      ? await draw({ ...scene, simulated: true }, `SIMULATED: ${altText(scene)}`)
      : await draw(scene, altText(scene));
    return "failed" in made ? undefined : made;
  }

  async function inTurn(episode: Episode, zone: string): Promise<Attachment | undefined> {
    try {
      if (waiting >= MAX_WAITING) throw new Error(`${MAX_WAITING} other alerts wait for theirs`);
      waiting += 1;
      const turn = last.then(() => picture(episode, zone));
      last = turn.catch(() => undefined).finally(() => (waiting -= 1));
      return await turn;
    } catch (thrown) {
      log.warn({ episode: episode.id, why: messageOf(thrown) }, "picture not drawn");
      return undefined;
    }
  }

  return (episode, zone) => {
    const { id, ended, acknowledged } = episode;
    const key = JSON.stringify([id, zone, ended, acknowledged?.at]);
    const made = kept.get(key) ?? inTurn(episode, zone);
    kept.set(key, made);
    return made;
  };
}
