import { Hono } from "hono";
import { matchedRoutes, routePath } from "hono/route";

import type { Milliseconds } from "../../units/time.ts";
import type { Access } from "./access/access.ts";
import type { AllowedHosts } from "./access/allowed-hosts.ts";
import {
  limitQuestion,
  refuse,
  requireAllowedHost,
  requireJson,
  requireSameOrigin,
  securityHeaders,
} from "./access/guard.ts";
import { loginRoutes } from "./access/login.ts";
import { type AlertRouteDependencies, alertRoutes } from "./alerts/alerts.ts";
import { type WatchRouteDependencies, watchRoutes } from "./alerts/watch.ts";
import type { ConsoleInfo } from "./console-info.ts";
import { downloadRoutes, type LinkedFiles } from "./downloads.ts";
import { fileRoutes, pageRoutes } from "./files.ts";
import { formRoutes } from "./invocations/form.ts";
import { consoleAnswering, type InvocationDependencies, invocationRoutes } from "./invocations/invocations.ts";
import { verifyRoutes } from "./invocations/verify.ts";
import { type LooksRouteDependencies, looksRoutes } from "./looks.ts";
import { type ProbeDependencies, probeRoutes } from "./probes.ts";
import { type WebhookRouteDependencies, webhookRoutes } from "./webhooks.ts";

/** One HTTP request, for metrics. `route` is the pattern, not the path, to bound the number of labels. */
export interface HttpSample {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly millis: Milliseconds;
}

export interface AppDependencies
  extends
    InvocationDependencies,
    ProbeDependencies,
    AlertRouteDependencies,
    WatchRouteDependencies,
    LooksRouteDependencies,
    WebhookRouteDependencies {
  readonly hosts: () => AllowedHosts;
  /** Whether all networks are simulated, which the page says from the start. */
  readonly simulated?: boolean;
  readonly access: Access;
  /** Files behind links; left out, there are none. */
  readonly linkedFiles?: LinkedFiles | undefined;
  /** Called for every HTTP request answered. */
  readonly onRequest?: ((sample: HttpSample) => void) | undefined;
}

/** All routes of the console. Guards run in the order of this function. */
export function createApp(dependencies: AppDependencies): Hono {
  const app = new Hono();

  app.use(async (c, next) => {
    const started = performance.now();
    await next();
    // The guards behind a webhook match its path, too.
    const matched = matchedRoutes(c).findLast(({ path }) => path !== "/*")?.path ?? "/*";
    const route = c.res.status === 404 ? "other" : matched;
    dependencies.onRequest?.({
      method: c.req.method,
      route,
      status: c.res.status,
      millis: performance.now() - started,
    });
  });
  app.use(securityHeaders());
  app.route("/", webhookRoutes(dependencies));
  app.use(requireAllowedHost(dependencies.hosts, dependencies.access.hasToken));
  app.use(requireSameOrigin(dependencies.hosts));

  app.route("/", probeRoutes(dependencies));
  app.route("/", loginRoutes(dependencies.access));
  app.route("/", pageRoutes(dependencies.previews));
  if (dependencies.linkedFiles !== undefined) app.route("/", downloadRoutes(dependencies.linkedFiles));

  app.use("/api/*", async (c, next) => {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  });
  app.use("/api/*", dependencies.access.guard);
  // Before the guards of JSON: it takes a file as it is.
  app.route("/api", verifyRoutes(dependencies));
  app.on(["POST", "PUT", "PATCH", "DELETE"], "/api/*", requireJson());
  app.use("/api/*", limitQuestion());
  app.get("/api/console", (c) => c.json(describeConsole(dependencies)));
  app.route("/api", invocationRoutes(consoleAnswering(dependencies)));
  app.route("/api", formRoutes(dependencies));
  app.route("/api", fileRoutes(dependencies.files));
  app.route("/api", alertRoutes(dependencies));
  app.route("/api", watchRoutes(dependencies));
  app.route("/api", looksRoutes(dependencies));

  app.notFound((c) => refuse(c, 404, "There is nothing here; the console is at /."));
  app.onError((error, c) => {
    if (!c.req.raw.signal.aborted)
      dependencies.log.error({ err: error, path: routePath(c, -1) }, "console request failed");
    return c.json({ error: "Something went wrong inside the console; the log says what." }, 500);
  });
  return app;
}

/** The settings that the page needs before the first question. */
function describeConsole({ bot, ...dependencies }: AppDependencies): ConsoleInfo {
  return {
    networks: bot.networks,
    simulated: dependencies.simulated ?? false,
    previews: dependencies.previews.map((preview) => preview.platform),
    previewNames: Object.fromEntries(dependencies.previews.map(({ platform, name }) => [platform, name])),
    alerts: dependencies.alerts !== undefined && dependencies.watch !== undefined,
    looks: dependencies.looks !== undefined,
    incident: dependencies.incident !== undefined,
    signedIn: dependencies.access.required,
    commands: bot.commands.map(({ name, summary, examples, options, changes = false }) => ({
      name,
      summary,
      examples,
      needs: Object.entries(options).flatMap(([option, declared]) =>
        "required" in declared && declared.required ? [option] : [],
      ),
      changes,
      takesFile: Object.values(options).some(({ kind }) => kind === "file"),
    })),
  };
}
