import type { WebAdapter } from "../adapters/web/index.ts";
import type { Platforms } from "../alerts/platform.ts";
import type { Config, OpenPlatforms } from "./platforms/platforms.ts";
import type { ExportJobs } from "../export/jobs/jobs.ts";
import type { Log } from "../log.ts";
import type { DatabaseStore } from "../store/create-store.ts";
import type { Milliseconds } from "../units/duration.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import type { OpenAlerting } from "./alerting/open-alerting.ts";
import { checkReadiness } from "./health/readiness.ts";
import { readAlertSnapshot } from "./metrics/alert-metrics.ts";
import type { MetricsRecorder } from "./metrics/metrics.ts";
import type { Networks } from "./networks.ts";

interface ConsoleDependencies {
  readonly config: Pick<Config, "web">;
  readonly store: DatabaseStore;
  readonly networks: Networks;
  readonly exports: Pick<ExportJobs, "linked">;
  readonly alerts: OpenAlerting;
  readonly platforms: Platforms;
  readonly chats: OpenPlatforms;
  readonly metrics: MetricsRecorder;
  /** When this process began, in Unix milliseconds. */
  readonly startedAt: Milliseconds;
  readonly log: Log;
}

/** Where several processes serve a console: how long a session that ended in one may last in another. */
const SIGN_OUTS_EVERY: Milliseconds = 5000;

/** The web console; undefined where WEB_PORT is 0. */
export async function openConsole(dependencies: ConsoleDependencies): Promise<WebAdapter | undefined> {
  const { config, store, networks, exports, platforms, chats, metrics, startedAt, log } = dependencies;
  const { alerting, console } = dependencies.alerts;
  const { clients, simulated } = networks;
  if (config.web.port === 0) return undefined;
  const alerts = () =>
    readAlertSnapshot({ alerting, store, networks: clients.map(({ network }) => network), now: Date.now });
  const { createWebAdapter } = await import("../adapters/web/index.ts");
  return createWebAdapter({
    ...config.web,
    ...console,
    previews: chats.previews,
    linkedFiles: (secret) => exports.linked(secret),
    webhooks: chats.webhooks,
    signOuts: store.signOuts,
    signOutsMillis: store.embedded === undefined ? SIGN_OUTS_EVERY : undefined,
    simulated,
    log,
    now: () => fromMillis(Date.now()),
    ready: (self) =>
      checkReadiness({ store, platforms, clients, adapters: [self, ...chats.adapters], alerting, startedAt }),
    metrics: (self) =>
      metrics.render({
        platforms: [self, ...chats.adapters],
        installations: chats.installations,
        alerts,
      }),
    onRequest: metrics.onHttpRequest,
  });
}
