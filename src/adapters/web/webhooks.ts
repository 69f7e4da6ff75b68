import { type Context, Hono, type MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { LRUCache } from "lru-cache";

import { inTime, type Milliseconds, type Nanoseconds, toMillis } from "../../units/time.ts";
import type { Log } from "../../log.ts";
import { NOT_RUNNING, type Webhook, type WebhookPage, type WebhookResponse } from "../webhook.ts";
import { clientGroup, clientOf, type TrustedProxies } from "./access/client-address.ts";
import { limitBody, refuse, limitRunning } from "./access/guard.ts";
import { smallPage } from "./access/login.ts";
import {
  MAX_PAGES_PER_MINUTE,
  MAX_WEBHOOK_BYTES,
  MAX_WEBHOOK_REQUESTS,
  PAGE_TIMEOUT_MILLIS,
  REFUSED_LOG_INTERVAL_MILLIS,
  VISITOR_WINDOW_MILLIS,
  WEBHOOK_TIMEOUT_MILLIS,
} from "./limits.ts";

export interface WebhookRouteDependencies {
  /** Where platforms post requests, and send browsers. */
  readonly webhooks: readonly Webhook[];
  readonly proxies: TrustedProxies;
  readonly log: Log;
  readonly now: () => Nanoseconds;
}

/**
 * The requests that platforms post. Each is signed, so no guard of the console applies: no token, no cookie, any Host
 * header, as a load balancer sends it. Also the pages to which they send browsers, which change nothing by themselves.
 */
export function webhookRoutes({ webhooks, proxies, log, now }: WebhookRouteDependencies): Hono {
  const app = new Hono();
  const tooLong = (c: Context): Response => refuse(c, 413, `A request has at most ${MAX_WEBHOOK_BYTES / 1024} KiB.`);
  const limitVisitor = limitVisitors(proxies, now);
  for (const webhook of webhooks) {
    const { path, method = "POST" } = webhook;
    const onRefused = logRefused(path, log);
    // Requests beyond the limit are refused before their body is read, so that it bounds the memory that bodies take.
    const limit = limitRunning(MAX_WEBHOOK_REQUESTS, "Too many requests at once. Try again in a moment.", 1);
    const guards = method === "GET" ? [limitVisitor, limit] : [limit, limitBody(MAX_WEBHOOK_BYTES, tooLong)];
    const millis = method === "GET" ? PAGE_TIMEOUT_MILLIS : WEBHOOK_TIMEOUT_MILLIS;
    app.on([method], [path], ...guards, async (c) => {
      const body = new Uint8Array(await c.req.arrayBuffer());
      const query = new URL(c.req.url).searchParams;
      const asked = webhook.handle({ body, query, header: (name) => c.req.header(name) });
      const answer = await inTime(asked, { millis }, () => (method === "GET" ? SLOW : NOT_RUNNING));
      if (answer.status === 401) onRefused();
      return respond(c, answer);
    });
    app.all(path, (c) => {
      c.header("Allow", method);
      const words =
        method === "GET"
          ? "This is a page for browsers."
          : "A platform posts its signed requests here; there is nothing to see.";
      return refuse(c, 405, words);
    });
  }
  return app;
}

/** The platform may still do what the page asked for. */
const SLOW: WebhookResponse = {
  status: 503,
  body: { title: "No answer in time", words: ["Look whether it is done already, and else try again in a minute."] },
};

function respond(c: Context, { body, headers, status }: WebhookResponse): Response | Promise<Response> {
  if (body === undefined || typeof body === "string") {
    return new Response(body ?? null, { status, headers: { ...headers } });
  }
  // Its address and its words are for one browser alone.
  return c.html(page(body), status, { "Cache-Control": "no-store", ...headers });
}

function page({ title, words, link }: WebhookPage): ReturnType<typeof html> {
  return smallPage(
    title,
    html`<h1>${title}</h1>
      ${words.map((paragraph) => html`<p>${paragraph}</p>`)}
      ${link === undefined ? "" : html`<p><a href="${link.path}">${link.label}</a></p>`}`,
  );
}

/** Limits how many pages a client gets: a page costs a request to the platform, and a row in the database. */
function limitVisitors(proxies: TrustedProxies, now: () => Nanoseconds): MiddlewareHandler {
  const windows = new LRUCache<string, { pages: number; readonly ends: Milliseconds }>({ max: 2000 });
  return async (c, next) => {
    const client = clientGroup(clientOf(c, proxies));
    const at = toMillis(now());
    const known = windows.get(client);
    const window = known !== undefined && at < known.ends ? known : { pages: 0, ends: at + VISITOR_WINDOW_MILLIS };
    if (window.pages >= MAX_PAGES_PER_MINUTE) {
      const error = "Too many requests from here: wait a minute and try again.";
      return refuse(c, 429, error, Math.ceil((window.ends - at) / 1000));
    }
    window.pages += 1;
    windows.set(client, window);
    return next();
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
