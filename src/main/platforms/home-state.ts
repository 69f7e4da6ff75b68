import { createHash } from "node:crypto";

import { type Platforms, tokenKey } from "../../alerts/destination.ts";
import { seenFrom } from "../../alerts/judge/rules/episode.ts";
import { isSilenceActive } from "../../alerts/route/silence.ts";
import { isOfPlatform, suspensionKey } from "../../alerts/route/suspension.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import { toMillis } from "../../units/time.ts";

/**
 * A name for the state that the pages of a workspace show: verdicts, alerts, silences, subscriptions, places that cannot be
 * reached. Not ages and heights, which change all the time.
 */
export async function homeState(
  alerts: AlertService,
  networks: readonly string[],
  platform: string,
  platforms: Platforms,
): Promise<(workspace: string | undefined) => string> {
  const now = toMillis(alerts.clock.wallClock());
  const [episodes, silences, subscriptions, suspensions] = await Promise.all([
    alerts.openEpisodes(),
    alerts.silences(),
    alerts.subscriptions(),
    alerts.suspensions(),
  ]);
  const verdicts = networks.map((network) => {
    const { network: state, nodes = [] } = alerts.verdict?.(network) ?? {};
    return [state, nodes.filter((one) => one.state === "down").length];
  });
  return (workspace) => {
    const place = platforms.destination({ platform, workspace }, "");
    const token = tokenKey(place);
    const open = episodes
      .map((one) => seenFrom(one, place))
      .map(({ id, state, severity, acknowledged }) => [id, state, severity, acknowledged?.at]);
    const isHere = (key: string | undefined): boolean =>
      key === undefined || key === token || key.startsWith(`${token}/`);
    const own = {
      silences: silences
        .filter(({ scope }) => isHere(scope.destination))
        .map((one) => [{ ...one, announced: 0 }, isSilenceActive(one, now)]),
      subscriptions: subscriptions
        .filter(({ destination }) => tokenKey(destination) === token)
        .map((one) => ({ ...one, announced: 0 })),
      suspensions: suspensions
        .filter((one) => isOfPlatform(one) || isHere(suspensionKey(one)))
        .map((one) => [suspensionKey(one), one.since, one.why, one.retired?.at]),
    };
    return createHash("sha256")
      .update(JSON.stringify([verdicts, open, own]))
      .digest("base64");
  };
}
