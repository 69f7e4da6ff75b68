import { type Context, Hono, type MiddlewareHandler } from "hono";

import { inTime } from "../../in-time.ts";
import type { Log } from "../../log.ts";
import { NOT_RUNNING, type Webhook } from "../webhook.ts";
import { limitBody, refuse } from "./access/guard.ts";
import {
  createConcurrencyLimit,
  MAX_WEBHOOK_BYTES,
  MAX_WEBHOOK_REQUESTS,
  REFUSED_LOG_INTERVAL_MILLIS,
  WEBHOOK_TIMEOUT_MILLIS,
} from "./limits.ts";

/**
 * The requests that platforms post. Each is signed, so no guard of the console applies: no token, no cookie, any Host
 * header, as a load balancer sends it.
 */
export function webhookRoutes(webhooks: readonly Webhook[], log: Log): Hono {
  const app = new Hono();
  const tooLong = (c: Context): Response => refuse(c, 413, `A request has at most ${MAX_WEBHOOK_BYTES / 1024} KiB.`);
  for (const webhook of webhooks) {
    const { path } = webhook;
    const onRefused = logRefused(path, log);
    app.post(path, limitRequests(), limitBody(MAX_WEBHOOK_BYTES, tooLong), async (c) => {
      const body = new Uint8Array(await c.req.arrayBuffer());
      const asked = webhook.handle({ body, header: (name) => c.req.header(name) });
      const answer = await inTime(asked, { millis: WEBHOOK_TIMEOUT_MILLIS }, () => NOT_RUNNING);
      if (answer.status === 401) onRefused();
      return new Response(answer.body ?? null, { status: answer.status, headers: { ...answer.headers } });
    });
    app.all(path, (c) => {
      c.header("Allow", "POST");
      return refuse(c, 405, "A platform posts its signed requests here; there is nothing to see.");
    });
  }
  return app;
}

/** Requests beyond the limit are refused before their body is read, so that it bounds the memory that bodies take. */
function limitRequests(): MiddlewareHandler {
  const slots = createConcurrencyLimit(MAX_WEBHOOK_REQUESTS);
  return async (c, next) => {
    const release = slots.tryAcquire();
    if (release === undefined) {
      c.header("Retry-After", "1");
      return refuse(c, 503, "Too many requests at once. Try again in a moment.");
    }
    try {
      return await next();
    } finally {
      release();
    }
  };
}

/** Logs refused signatures, at most one line a minute with their number: anybody may send them, and Discord does. */
function logRefused(path: string, log: Log): () => void {
  let refused = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  return () => {
    refused += 1;
    if (performance.now() - lastAt < REFUSED_LOG_INTERVAL_MILLIS) return;
    log.warn({ path, refused }, "signature refused");
    lastAt = performance.now();
    refused = 0;
  };
}
