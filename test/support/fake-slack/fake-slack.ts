import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

import { argumentsOf, judgeAnswer, judgeRequest } from "./judge-traffic.ts";
import { Endpoint } from "./endpoint.ts";
import { judgeMessage } from "./judge.ts";
import { METHODS, unfoldsLinks } from "./methods.ts";
import type { Grant } from "./oauth.ts";
import { Person } from "./person.ts";
import { ErrorResponse } from "./error-response.ts";
import { type Envelope, Sockets } from "./sockets.ts";
import { State, type Block, type Profile } from "./state.ts";

/** A fault injected into one request. */
export interface Fault {
  /** A method (`chat.postMessage`), `respond` or `upload`. */
  readonly method: string;
  readonly answer:
    | { readonly error: string; readonly messages?: readonly string[] }
    | { readonly status: number; readonly retryAfter?: number }
    /** Breaks off before, or after, doing what is asked. */
    | "cut-before"
    | "cut-after"
    /** Does all that is asked, and answers at `answerLate`. */
    | "late"
    /** Says nothing until `release`, having done nothing, or all, of what is asked. */
    | "hang-before"
    | "hang-after";
}

const ACKNOWLEDGE_MILLIS = 3000;
const RESPONSE_USES = 5;
const RESPONSE_MILLIS = 30 * 60_000;

/** A fake Slack on loopback: its Web API, Socket Mode, uploads and response_urls, with users in a workspace. */
export class FakeSlack {
  readonly state = new State();
  readonly sockets = new Sockets();
  readonly endpoint = new Endpoint(this.state);
  /** Every request that came, in order. */
  readonly requests: { readonly method: string; readonly at: number; readonly outcome: string }[] = [];
  /** The method of every request whose head has come; its body may still be on the way. */
  readonly begun: string[] = [];
  /** Error codes that the test provokes on purpose. */
  readonly expected = new Set<string>();
  /** Enforces one message a second and channel. */
  enforceLimits = false;
  /**
   * At a slash command's response_url posts anew what ought to replace a message, and deletes nothing, as reported:
   * https://github.com/slackapi/bolt-js/issues/2287, https://github.com/slackapi/bolt-python/issues/1268.
   */
  replacesNothing = false;
  /** Answers nothing at all, as in an outage. */
  offline = false;
  /** Takes requests, does nothing and says nothing until `release`; the sockets stand. */
  silent = false;
  readonly #held = new Set<IncomingMessage>();
  readonly #late = Promise.withResolvers<void>();
  readonly #posted = new Map<string, number>();
  readonly #faults: Fault[] = [];
  readonly #server: Server;

  private constructor() {
    this.sockets.onAnswer = (answer) => this.state.violations.push(...judgeAnswer(answer));
    this.endpoint.onAnswer = this.sockets.onAnswer;
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
    this.#server.on("upgrade", (request, duplex, head) => {
      if (this.offline) duplex.destroy();
      else this.sockets.upgrade(request, duplex, head);
    });
  }

  static async start(): Promise<FakeSlack> {
    const fake = new FakeSlack();
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get apiUrl(): string {
    return `${this.origin}/api/`;
  }

  /** Sends an envelope as the manifest says: over a socket, or over HTTP. */
  deliver(type: Envelope["type"], payload: unknown): Envelope {
    const envelope = this.sockets.make(this.state.id("envelope-"), type, payload);
    if (this.state.manifest.settings.socket_mode_enabled) this.sockets.deliver(envelope);
    else this.endpoint.post(envelope).catch((error: unknown) => this.state.violations.push(String(error)));
    return envelope;
  }

  fail(fault: Fault): void {
    this.#faults.push(fault);
  }

  channel({ member = true, team = this.state.team }: { member?: boolean; team?: string } = {}): string {
    const id = this.state.id("C");
    this.state.channels.set(id, { id, person: undefined, team, member, archived: false });
    return id;
  }

  /** A full member, unless the profile says otherwise. */
  person(name: string, profile: Profile = {}, team = this.state.team): Person {
    const id = this.state.id("U");
    this.state.profiles.set(id, profile);
    if (team !== this.state.team) this.state.teams.set(id, team);
    return new Person(this, name, id, team);
  }

  /** Somebody removes the app from a workspace or an organisation: its tokens are revoked, and Slack tells so. */
  uninstall(id: string): void {
    const grant = this.state.oauth.grantOf(id);
    if (grant === undefined) throw new Error(`the app is not installed in ${id}`);
    const about = {
      type: "event_callback",
      event_time: Math.floor(this.state.now() / 1000),
      ...(grant.orgWide ? { enterprise_id: grant.id } : { team_id: grant.id, enterprise_id: grant.enterprise }),
      authorizations: [
        {
          enterprise_id: grant.enterprise ?? null,
          team_id: grant.orgWide ? null : grant.id,
          user_id: grant.botUserId,
          is_bot: true,
          is_enterprise_install: grant.orgWide,
        },
      ],
    };
    this.state.oauth.revoke(grant.id);
    // Slack sends both, in no order: https://docs.slack.dev/reference/events/app_uninstalled
    const revoked = { type: "tokens_revoked", tokens: { oauth: [], bot: [grant.botUserId] } };
    for (const event of [revoked, { type: "app_uninstalled" }]) {
      this.deliver("events_api", { ...about, event_id: this.state.id("Ev"), event });
    }
  }

  /** Goes away: no answer, no socket. */
  goOffline(): void {
    this.offline = true;
    this.sockets.cut();
  }

  /** Answers what was to be answered late. */
  answerLate(): void {
    this.#late.resolve();
  }

  /** How many requests wait for an answer that does not come. */
  get held(): number {
    return this.#held.size;
  }

  /** Lets go of what hangs, unanswered, and answers what comes from now on. */
  release(): void {
    this.silent = false;
    for (const request of this.#held) request.socket.destroy();
  }

  /** Everything that Slack would have refused, and every envelope that was not acknowledged in time. */
  complaints(): string[] {
    const late = this.sockets.envelopes.flatMap(({ acknowledgedAfter, type, deliveries }) =>
      deliveries > 0 && (acknowledgedAfter ?? Number.POSITIVE_INFINITY) > ACKNOWLEDGE_MILLIS
        ? [`${type} was not acknowledged in time`]
        : [],
    );
    return [...this.state.violations, ...late];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    this.sockets.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.offline) return void request.socket.destroy();
    const path = new URL(request.url ?? "/", this.origin).pathname;
    const [, area = "", name = ""] = path.split("/");
    const method = area === "api" ? name : area;
    this.begun.push(method);
    const finish = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
      this.requests.push({
        method,
        at: performance.now(),
        outcome: status === 200 ? ((body as { error?: string }).error ?? "ok") : String(status),
      });
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    };
    try {
      const bytes = await buffer(request);
      // Whatever becomes of it: what is sent must be such that Slack takes it.
      this.state.violations.push(...judgeRequest(area, bytes).map((fault) => `${method}: ${fault}`));
      const fault = this.#takeFault(method);
      if (this.silent || fault?.answer === "hang-before") return this.#hold(request);
      if (fault?.answer === "cut-before") return void request.socket.destroy();
      if (fault !== undefined && typeof fault.answer === "object") {
        if ("error" in fault.answer) {
          const { error, messages } = fault.answer;
          const more = messages === undefined ? {} : { response_metadata: { messages } };
          return finish(200, { ok: false, error, ...more });
        }
        const { status, retryAfter } = fault.answer;
        return finish(status, "no", retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
      }
      const answer = this.#answer(area, name, bytes, request);
      if (fault?.answer === "cut-after") return void request.socket.destroy();
      if (fault?.answer === "hang-after") return this.#hold(request);
      if (fault?.answer === "late") await this.#late.promise;
      // Slack names the token's scopes with every answer: https://docs.slack.dev/authentication/installing-with-oauth
      finish(200, answer, { "x-oauth-scopes": [...this.state.scopes].join(",") });
    } catch (error) {
      const failure =
        error instanceof ErrorResponse ? error : new ErrorResponse("internal_error", { why: String(error) });
      if (!this.expected.has(failure.code)) {
        this.state.violations.push(`${method}: ${failure.code} ${JSON.stringify(failure.more)}`);
      }
      if (failure.retryAfter !== undefined) {
        return finish(429, { ok: false, error: failure.code }, { "retry-after": String(failure.retryAfter) });
      }
      const gone = ["used_url", "expired_url"].includes(failure.code);
      finish(gone ? 404 : 200, gone ? failure.code : { ok: false, error: failure.code, ...failure.more });
    }
  }

  #hold(request: IncomingMessage): void {
    this.#held.add(request);
    request.socket.once("close", () => this.#held.delete(request));
  }

  #takeFault(method: string): Fault | undefined {
    const index = this.#faults.findIndex((fault) => fault.method === method);
    return index === -1 ? undefined : this.#faults.splice(index, 1)[0];
  }

  #answer(area: string, name: string, bytes: Buffer, request: IncomingMessage): unknown {
    if (area === "respond") return this.#respond(name, JSON.parse(bytes.toString()) as Record<string, unknown>);
    if (area === "upload") return this.#upload(name, bytes, request);
    const method = area === "api" ? METHODS[name] : undefined;
    if (method === undefined) throw new ErrorResponse("unknown_method", { name });
    const grant = method.token === "none" ? undefined : this.#grantOf(method.token, request.headers.authorization);
    if (method.scope !== undefined && !this.state.scopes.has(method.scope)) {
      throw new ErrorResponse("missing_scope", { needed: method.scope });
    }
    const posted = this.enforceLimits ? this.#posted : undefined;
    return {
      ok: true,
      ...method.call(argumentsOf(bytes), { state: this.state, origin: this.origin, posted, grant }),
    };
  }

  /** The installation of a request's token; undefined for the token of the workspace that every fake has. */
  #grantOf(kind: "app" | undefined, authorization: string | undefined): Grant | undefined {
    const token = authorization?.replace(/^Bearer /u, "") ?? "";
    if (token === (kind === "app" ? this.state.appToken : this.state.botToken)) return undefined;
    if (kind === "app") throw new ErrorResponse("invalid_auth");
    return this.state.oauth.grantOfToken(token);
  }

  #upload(id: string, bytes: Buffer, request: IncomingMessage): string {
    const file = this.state.files.get(id);
    if (file === undefined) throw new ErrorResponse("file_not_found");
    if (request.headers.authorization !== undefined) this.state.violations.push("an upload carries the token");
    if (bytes.byteLength !== file.length)
      throw new ErrorResponse("wrong_length", { said: file.length, got: bytes.byteLength });
    file.bytes = bytes;
    return `OK - ${bytes.byteLength}`;
  }

  /** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses. */
  #respond(id: string, body: Record<string, unknown>): unknown {
    const { state } = this;
    const entry = state.responses.get(id);
    if (entry === undefined) throw new ErrorResponse("invalid_url");
    if (state.now() - entry.since > RESPONSE_MILLIS) throw new ErrorResponse("expired_url");
    if (entry.used >= RESPONSE_USES) throw new ErrorResponse("used_url");
    entry.used += 1;
    const original = state.message(entry.original);
    // A button's message is not one that came of this address.
    const replaces = !this.replacesNothing || (original !== undefined && !entry.produced.includes(original.ts));
    if (body["delete_original"] === true) {
      if (!replaces) return { ok: true };
      if (original !== undefined) original.gone = true;
      entry.original = undefined;
      return { ok: true };
    }
    const faults = judgeMessage(body);
    if (faults.length > 0) throw new ErrorResponse("invalid_blocks", { faults });
    if (unfoldsLinks(body)) throw new ErrorResponse("invalid_arguments", { why: "links would unfold" });
    const blocks = (body["blocks"] ?? []) as readonly Block[];
    if (body["replace_original"] === true && replaces) {
      if (original === undefined) throw new ErrorResponse("message_not_found");
      original.text = String(body["text"]);
      original.blocks = blocks;
      original.edits += 1;
      entry.produced.push(original.ts);
      return { ok: true };
    }
    const message = state.post({
      channel: entry.channel,
      thread: typeof body["thread_ts"] === "string" ? body["thread_ts"] : undefined,
      onlyFor: body["response_type"] === "in_channel" ? undefined : entry.user,
      text: String(body["text"]),
      blocks,
    });
    entry.produced.push(message.ts);
    entry.original ??= message.ts;
    return { ok: true };
  }
}
