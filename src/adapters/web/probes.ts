import { Hono } from "hono";

import { messageOf } from "../../errors.ts";
import { redact } from "../../units/redact.ts";
import { withTimeout } from "../../units/time.ts";
import type { Log } from "../../log.ts";
import type { Access } from "./access/access.ts";
import { PROBE_TIMEOUT_MILLIS } from "./limits.ts";

/** Readiness of the process, by component. */
export interface Readiness {
  readonly ok: boolean;
  readonly parts: Readonly<Record<string, { readonly ok: boolean; readonly why?: string }>>;
}

/** All metrics, in the text format of Prometheus. */
export interface Metrics {
  readonly contentType: string;
  readonly body: string;
}

export interface ProbeDependencies {
  readonly access: Access;
  readonly log: Log;
  ready(): Promise<Readiness>;
  metrics(): Promise<Metrics>;
}

/** The probes of monitors: liveness, readiness, metrics. */
export function probeRoutes(dependencies: ProbeDependencies): Hono {
  const app = new Hono();

  app.get("/healthz", (c) => c.json({ ok: true }));

  app.get("/readyz", async (c) => {
    const ready = await withTimeout(dependencies.ready(), PROBE_TIMEOUT_MILLIS).catch((thrown: unknown): Readiness => {
      dependencies.log.error({ why: messageOf(thrown) }, "readiness failed");
      return { ok: false, parts: { check: { ok: false, why: "it did not answer" } } };
    });
    // Only who is signed in may know the parts: they name networks, nodes and platforms.
    const shown = (await dependencies.access.isSignedIn(c)) ? ready : { ok: ready.ok };
    const headers = { "Content-Type": "application/json" };
    return c.body(redact(JSON.stringify(shown)), ready.ok ? 200 : 503, headers);
  });

  app.get("/metrics", dependencies.access.guard, async (c) => {
    try {
      const { contentType, body } = await withTimeout(dependencies.metrics(), PROBE_TIMEOUT_MILLIS);
      return c.body(redact(body), 200, { "Content-Type": contentType });
    } catch (thrown) {
      dependencies.log.error({ why: messageOf(thrown) }, "metrics failed");
      return c.json({ error: "The metrics could not be collected; the log says why." }, 500);
    }
  });

  return app;
}
