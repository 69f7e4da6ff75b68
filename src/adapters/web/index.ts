// The web console: its page and its HTTP interface.
// Read next: app.ts (all routes, in the order of their guards), access/access.ts (who may ask),
// invocations/invocations.ts (questions and answers), alerts/alerts.ts (alerts as they come), limits.ts.

import type { Server } from "node:http";
import { setInterval } from "node:timers/promises";

import { createAdaptorServer } from "@hono/node-server";

import type { Bot } from "../../bot/bot.ts";
import { BotStopping, messageOf, UserError } from "../../errors.ts";
import { isLoopback } from "../../units/loopback.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { AdapterHealth, SendingAdapter } from "../adapter.ts";
import { createFileCache } from "../file-cache.ts";
import { type Access, createAccess, type SignOut, type SignOuts } from "./access/access.ts";
import { allowedHosts, type AllowedHosts } from "./access/allowed-hosts.ts";
import { trustedProxies } from "./access/client-address.ts";
import { limitConnections } from "./access/connection-limit.ts";
import { cutSlowBodies } from "./access/slow-bodies.ts";
import { consoleSender } from "./alerts/console-sender.ts";
import { type AppDependencies, createApp } from "./app.ts";
import {
  ABORT_GRACE_MILLIS,
  BODY_TIMEOUT_MILLIS,
  FILE_LIFETIME_MILLIS,
  HEADERS_TIMEOUT_MILLIS,
  HEARTBEAT_INTERVAL_MILLIS,
  INVOCATION_TIMEOUT_MILLIS,
  MAX_CONNECTIONS,
  MAX_FILES,
  MIN_TOKEN_LENGTH,
  READ_TIMEOUT_MILLIS,
  TIMEOUT_CHECK_MILLIS,
} from "./limits.ts";
import { isUpload } from "./invocations/verify.ts";
import { closeServer, listen } from "./listen.ts";
import type { Metrics, Readiness } from "./probes.ts";

export type { HttpSample } from "./app.ts";
export type { Metrics, Readiness } from "./probes.ts";

/** The options that only the routes use. */
type RouteOptions = Pick<AppDependencies, "previews" | "log" | "now" | "onRequest"> &
  Partial<
    Pick<
      AppDependencies,
      "simulated" | "alerts" | "watch" | "looks" | "incident" | "linkedFiles" | "webhooks" | "streamTimeouts"
    >
  >;

export interface WebAdapterOptions extends RouteOptions {
  /** The address to listen on; beyond loopback only with a token. */
  readonly host: string;
  /** Left out: 8080, else the next free one. */
  readonly port?: number | undefined;
  /** The secret that opens the console, at least 16 characters. */
  readonly token?: string | undefined;
  /** The public address of the console, if it is not the bound one: `https://bell.example.net/`. */
  readonly publicUrl?: string | undefined;
  /** IP addresses and networks of proxies, which name their client in X-Forwarded-For. Default: none. */
  readonly trustProxy?: readonly string[];
  /** How pauses between wrong tokens are waited for; left out: by a timer. */
  readonly sleep?: (millis: Milliseconds, signal: AbortSignal) => Promise<void>;
  /** Left out: sign-outs are forgotten with the process. */
  readonly signOuts?: SignOuts;
  /** How often sign-outs are read again, where other processes have the same token. */
  readonly signOutsMillis?: Milliseconds | undefined;
  /** Shortened by tests. */
  readonly headersMillis?: Milliseconds;
  /** Shortened by tests. */
  readonly bodyMillis?: Milliseconds;
  /** Whether the process is ready; `console` is this adapter's own state. */
  ready(console: ConsoleState): Promise<Readiness>;
  metrics(console: ConsoleState): Promise<Metrics>;
}

type ConsoleState = Pick<SendingAdapter, "platform" | "health">;

export interface WebAdapter extends SendingAdapter {
  readonly platform: "web";
  /** The address of the console, once it has started. */
  readonly url: string | undefined;
  /** The port it listens on, once it has started; 0 before. */
  readonly port: number;
}

/** The console: a page and its HTTP interface. */
export function createWebAdapter(options: WebAdapterOptions): WebAdapter {
  const { log, now } = options;
  const stopping = new AbortController();
  const files = createFileCache({ maxFiles: MAX_FILES, ttlMillis: FILE_LIFETIME_MILLIS, log, now });
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  let health: AdapterHealth = { state: "starting" };
  let server: Server | undefined;
  let port = 0;
  let hosts: AllowedHosts | undefined;
  const state: ConsoleState = {
    platform: "web",
    get health() {
      return health;
    },
  };

  async function start(bot: Bot): Promise<void> {
    requireTokenBeyondLoopback(options);
    const proxies = trustedProxies(options.trustProxy ?? []);
    const access = createAccess({
      token: options.token,
      proxies,
      signedOut: options.token === undefined ? [] : await readSignOuts(options),
      keepSignOut: async (signOut) => options.signOuts?.keep(signOut),
      log,
      secure: publicUrl?.protocol === "https:",
      port: () => port,
      now,
      sleep: options.sleep,
    });
    if (options.signOutsMillis !== undefined) void followSignOuts(access, options.signOutsMillis);
    const app = createApp({
      webhooks: [],
      ...options,
      bot,
      hosts: () => hosts ?? allowedHosts({ host: options.host, port }),
      access,
      files,
      proxies,
      streamTimeouts: options.streamTimeouts ?? {
        heartbeatMillis: HEARTBEAT_INTERVAL_MILLIS,
        readMillis: READ_TIMEOUT_MILLIS,
      },
      stopping: stopping.signal,
      timeouts: { totalMillis: INVOCATION_TIMEOUT_MILLIS, graceMillis: ABORT_GRACE_MILLIS },
      ready: () => options.ready(state),
      metrics: () => options.metrics(state),
    });
    // Other libraries of this process need the platform's own Request and Response.
    server = createAdaptorServer({
      fetch: (request, env) => app.fetch(request, env),
      overrideGlobalObjects: false,
      serverOptions: {
        headersTimeout: options.headersMillis ?? HEADERS_TIMEOUT_MILLIS,
        // Bodies have limits of their own.
        requestTimeout: 0,
        connectionsCheckingInterval: TIMEOUT_CHECK_MILLIS,
      },
    }) as Server;
    server.maxConnections = MAX_CONNECTIONS;
    limitConnections(server, proxies, log);
    cutSlowBodies(server, options.bodyMillis ?? BODY_TIMEOUT_MILLIS, isUpload);
    port = await listen(server, options.host, options.port);
    hosts = allowedHosts({ host: options.host, port, ...(publicUrl === undefined ? {} : { publicUrl }) });
    server.on("error", (error) => log.error({ err: error }, "console server error"));
    health = { state: "up" };
  }

  async function followSignOuts(access: Access, every: Milliseconds): Promise<void> {
    try {
      const times = setInterval(every, undefined, { signal: stopping.signal, ref: false });
      for await (const _ of times) access.endSessions(await readSignOuts(options));
    } catch {
      // The console stops.
    }
  }

  async function stop(): Promise<void> {
    health = { state: "down", why: "stopped" };
    stopping.abort(new BotStopping());
    if (server?.listening === true) await closeServer(server);
    await files.close();
  }

  return {
    ...consoleSender,
    platform: "web",
    get health() {
      return health;
    },
    get url() {
      return hosts?.url;
    },
    get port() {
      return port;
    },
    start,
    stop,
  };
}

/** Everybody who reaches the port can run commands, so listening beyond loopback requires a token. */
function requireTokenBeyondLoopback(options: WebAdapterOptions): void {
  if (options.token !== undefined && options.token.length < MIN_TOKEN_LENGTH) {
    throw new UserError(`WEB_TOKEN has fewer than ${MIN_TOKEN_LENGTH} characters, which can be guessed.`, {
      remedy: "Make one with: openssl rand -hex 24",
    });
  }
  if (isLoopback(options.host) || options.token !== undefined) return;
  throw new UserError(`The console would be open to everybody who reaches ${options.host}.`, {
    remedy: "Set WEB_TOKEN to a secret of 16 characters or more, or leave WEB_HOST unset for this machine alone.",
  });
}

/** The sign-outs so far; none where they cannot be read: such a console is better than none. */
async function readSignOuts({ signOuts, log }: WebAdapterOptions): Promise<readonly SignOut[]> {
  try {
    return (await signOuts?.all()) ?? [];
  } catch (thrown) {
    log.error({ why: messageOf(thrown) }, "sign-outs unavailable");
    return [];
  }
}
