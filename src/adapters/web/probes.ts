import { Hono } from "hono";

import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { withTimeout } from "../timeout.ts";
import type { Access } from "./access/access.ts";
import { PROBE_TIMEOUT_MILLIS } from "./limits.ts";

/** Whether the whole is fit to serve, part by part. */
export interface Readiness {
  readonly ok: boolean;
  readonly parts: Readonly<Record<string, { readonly ok: boolean; readonly why?: string }>>;
}

/** What is measured, in the text format of Prometheus. */
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

/** What monitors ask: is the process alive, is it fit, what does it count. */
export function probeRoutes(parts: ProbeDependencies): Hono {
  const app = new Hono();

  app.get("/healthz", (c) => c.json({ ok: true }));

  app.get("/readyz", async (c) => {
    const ready = await readiness();
    // Reasons name nodes and platforms; who is not signed in learns only which part it is.
    const shown = access(c)
      ? ready.parts
      : Object.fromEntries(Object.entries(ready.parts).map(([name, part]) => [name, { ok: part.ok }]));
    return c.json({ ok: ready.ok, parts: shown }, ready.ok ? 200 : 503);
  });

  app.get("/metrics", parts.access.guard, async (c) => {
    try {
      const { contentType, body } = await withTimeout(parts.metrics(), PROBE_TIMEOUT_MILLIS);
      return c.body(body, 200, { "Content-Type": contentType });
    } catch (thrown) {
      parts.log.error({ why: messageOf(thrown) }, "metrics could not be collected");
      return c.json({ error: "The metrics could not be collected; the log says why." }, 500);
    }
  });

  const access = (c: Parameters<Access["admits"]>[0]): boolean => parts.access.admits(c);

  async function readiness(): Promise<Readiness> {
    try {
      return await withTimeout(parts.ready(), PROBE_TIMEOUT_MILLIS);
    } catch (thrown) {
      parts.log.error({ why: messageOf(thrown) }, "readiness could not be checked");
      return { ok: false, parts: { check: { ok: false, why: "it did not answer" } } };
    }
  }

  return app;
}
