import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

import { Endpoint } from "./endpoint.ts";
import { Gateway } from "./gateway.ts";
import { shown } from "./messages.ts";
import { parseBody } from "./parse-body.ts";
import { Person } from "./person.ts";
import { RateLimits } from "./rate-limits.ts";
import { ErrorResponse } from "./error-response.ts";
import { ROUTES } from "./routes.ts";
import { State } from "./state.ts";

/** A fault injected into the next matching request. */
export interface Fault {
  readonly method?: string;
  readonly path: RegExp;
  readonly answer: Misbehaviour;
}

/** The fault: a status with headers, or no response before or after the request took effect. */
export type Misbehaviour =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | "cut-before"
  | "cut-after"
  | "hang-before"
  | "hang-after";

/** Every request as it came, for counting. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly at: number;
  readonly status: number;
}

/**
 * A fake Discord with state on loopback: REST, gateway and files, as far as this bot needs them. It enforces Discord's
 * rules (3 s, 15 min, 40060, limits of every message, nonces) and records each breach in `violations`.
 */
export class FakeDiscord {
  readonly state = new State();
  readonly gateway: Gateway;
  readonly endpoint = new Endpoint(this.state);
  readonly requests: SeenRequest[] = [];
  readonly limits = new RateLimits();
  /** Rate limits are enforced only where a test is about them. */
  enforceLimits = false;
  /** Refuses everything, as when Discord is gone. */
  offline = false;
  /** Error codes that the test provokes on purpose. */
  readonly expected = new Set<number>();
  /** Injects faults as long as it returns one, after the planned ones. */
  misbehave: (request: { method: string; path: string }) => Misbehaviour | undefined = () => undefined;
  onRequest: (request: { method: string; path: string }) => void = () => {};
  readonly #faults: Fault[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.gateway = new Gateway(this.state, this.#server);
  }

  static async start(): Promise<FakeDiscord> {
    const fake = new FakeDiscord();
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    fake.gateway.url = `ws://127.0.0.1:${fake.#port}/gateway`;
    return fake;
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get apiUrl(): string {
    return `${this.origin}/api`;
  }

  /** Sends an interaction to the endpoint that the portal names, else over the gateway: never both. */
  interact(interaction: unknown): void {
    if (this.endpoint.url === undefined) this.gateway.dispatch("INTERACTION_CREATE", interaction);
    else this.endpoint.post(interaction).catch((error: unknown) => this.state.violations.push(String(error)));
  }

  /** Injects a fault; several for one request apply in order, one per request. */
  fail(fault: Fault): void {
    this.#faults.push(fault);
  }

  channel(guild: string | undefined = "700000000000000001"): string {
    const id = this.state.snowflake();
    this.state.channels.set(id, { id, guild, recipient: undefined, gone: undefined });
    return id;
  }

  /** The direct messages of somebody with the bot, or with others. */
  direct(person: { readonly id: string }): string {
    const id = this.state.snowflake();
    this.state.channels.set(id, { id, guild: undefined, recipient: person.id, gone: undefined });
    return id;
  }

  person(name: string, options: { manages?: boolean; roles?: readonly string[] } = {}): Person {
    return new Person(this, name, this.state.snowflake(), options.manages === true, options.roles);
  }

  /** Interactions that nobody acknowledged, and everything Discord would have refused. */
  complaints(): string[] {
    const ignored = [...this.state.interactions.values()]
      .filter((one) => !one.acknowledged)
      .map((one) => `a ${one.kind} (${one.command ?? "?"}) went unacknowledged`);
    return [...this.state.violations, ...ignored];
  }

  async stop(): Promise<void> {
    this.gateway.stop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? "GET";
    const path = new URL(request.url ?? "/", this.origin).pathname.replace(/^\/api\/v10/u, "");
    this.onRequest({ method, path });
    if (this.offline) return void request.socket.destroy();
    const finish = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      this.requests.push({ method, path, at: performance.now(), status });
      response.writeHead(status, { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    };
    try {
      const bytes = await buffer(request);
      if (path.startsWith("/cdn/")) return this.#file(path, response);
      const instead = this.#takeFault(method, path)?.answer ?? this.misbehave({ method, path });
      if (instead === "cut-before") return void request.socket.destroy();
      if (instead === "hang-before") return;
      if (typeof instead === "object") {
        return finish(instead.status, instead.body ?? { code: 0, message: "fault" }, instead.headers);
      }
      const limited = this.#limit(method, path);
      if (limited.refused !== undefined) {
        const { retryAfter, global } = limited.refused;
        return finish(
          429,
          { message: "You are being rate limited.", retry_after: retryAfter, global },
          limited.headers,
        );
      }
      const answer = await this.#answer(request, method, path, bytes);
      if (instead === "cut-after") return void request.socket.destroy();
      if (instead === "hang-after") return;
      finish(answer === undefined ? 204 : 200, answer, limited.headers);
    } catch (error) {
      const failure = error instanceof ErrorResponse ? error : new ErrorResponse(500, 0, String(error));
      if (!this.expected.has(failure.code) && !failure.forgiven) {
        this.state.violations.push(`${method} ${path}: ${failure.status} ${failure.code} ${failure.message}`);
      }
      finish(failure.status, { code: failure.code, message: failure.message, ...failure.more }, failure.headers);
    }
  }

  #takeFault(method: string, path: string): Fault | undefined {
    const index = this.#faults.findIndex((fault) => (fault.method ?? method) === method && fault.path.test(path));
    return index === -1 ? undefined : this.#faults.splice(index, 1)[0];
  }

  #limit(method: string, path: string): ReturnType<RateLimits["take"]> {
    // Callbacks and interaction webhooks carry no bot token and stand outside the bot's global limit.
    if (!this.enforceLimits || path.startsWith("/interactions/") || path.startsWith("/webhooks/"))
      return { headers: {} };
    const channel = /^\/channels\/(\d+)\/messages/u.exec(path)?.[1];
    return this.limits.take(channel === undefined ? undefined : `${method} ${channel}`);
  }

  async #answer(request: IncomingMessage, method: string, path: string, bytes: Buffer): Promise<unknown> {
    for (const route of ROUTES) {
      const match = route.method === method ? route.path.exec(path) : null;
      if (match === null) continue;
      const authorization = request.headers.authorization;
      if (route.auth && authorization !== `Bot ${this.state.token}`)
        throw new ErrorResponse(401, 0, "401: Unauthorized");
      if (!route.auth && authorization !== undefined) this.state.violations.push(`${path} carries the bot's token`);
      const body = await parseBody(bytes, request.headers["content-type"]);
      const context = {
        state: this.state,
        body,
        origin: this.origin,
        gatewayUrl: `ws://127.0.0.1:${this.#port}/gateway`,
        shards: this.gateway.shards,
        concurrency: this.gateway.concurrency,
      };
      const parts = match.slice(1).filter((part) => part !== undefined);
      return route.handle(context, ...parts);
    }
    // Whatever a test provokes on purpose, a route that nobody has is none of it.
    this.state.violations.push(`${method} ${path} is no route of Discord`);
    throw new ErrorResponse(404, 0, "404: Not Found");
  }

  #file(path: string, response: ServerResponse): void {
    const id = path.split("/").at(-2);
    const file = [...this.state.messages.values()].flatMap(({ files }) => files).find((one) => one.id === id);
    response.writeHead(file === undefined ? 404 : 200, { "content-type": file?.type ?? "text/plain" });
    response.end(file?.bytes);
  }

  /** A stored message as Discord would hand it out. */
  shown(id: string): Record<string, unknown> {
    const message = this.state.messages.get(id);
    if (message === undefined) throw new Error(`no message ${id}`);
    return shown(this.state, message, this.origin);
  }
}
