import type { Server } from "node:http";

import { GatewayIntentBits } from "discord-api-types/v10";
import { WebSocketServer, type WebSocket } from "ws";

import type { State } from "./state.ts";

interface Session {
  readonly id: string;
  sequence: number;
  readonly events: { readonly s: number }[];
  socket: WebSocket | undefined;
}

/** What a person wrote, as far as the gateway looks at it. */
interface Written extends Record<string, unknown> {
  readonly guild_id?: string;
  readonly content: string;
  readonly mentions: readonly { readonly id: string }[];
}

/** The gateway: hello, identify, ready, resume with what was missed, heartbeats, and closes of every kind. */
export class Gateway {
  readonly #state: State;
  readonly #server: WebSocketServer;
  readonly #sessions = new Map<string, Session>();
  #url = "";
  #last: { readonly type: string; readonly data: unknown } | undefined;
  /** Counts of what came in, by kind. */
  readonly seen = { identify: 0, resume: 0, heartbeat: 0 };
  intents: number | undefined;
  guilds = 1;
  /** Whether all sessions hear everything, as those of several processes with one token do. */
  toEverySession = false;
  /** How many connections it recommends. */
  shards = 1;
  /** Closes each connection that identifies, with this code. */
  closeOnIdentify: number | undefined;
  /** How many may begin a session at once. */
  concurrency = 1;
  /** So many sessions are begun; further ones wait until there may be more. */
  #admitted = Number.POSITIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];
  /** Takes no connection, as when Discord is gone. */
  refuse = false;

  constructor(state: State, server: Server) {
    this.#state = state;
    this.#server = new WebSocketServer({ server, path: "/gateway" });
    this.#server.on("connection", (socket) => this.#greet(socket));
  }

  set url(url: string) {
    this.#url = url;
  }

  /** Sends to the newest session, or to every one; kept for a resume where its socket is gone. */
  dispatch(type: string, data: unknown): void {
    const all = [...this.#sessions.values()];
    if (all.length === 0) throw new Error("nobody is connected to the gateway");
    this.#last = { type, data };
    for (const session of this.toEverySession ? all : all.slice(-1)) {
      session.sequence += 1;
      const event = { op: 0, t: type, s: session.sequence, d: data };
      session.events.push(event);
      if (session.socket?.readyState === 1) session.socket.send(JSON.stringify(event));
    }
  }

  /**
   * Tells of a message, where the session asked for those of servers or of direct messages: with its content where it
   * is direct or mentions the bot (https://docs.discord.com/developers/events/gateway#message-content-intent).
   */
  tell(message: Written): void {
    const isDirect = message.guild_id === undefined;
    const needed = isDirect ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages;
    if (((this.intents ?? 0) & needed) === 0) return;
    const reads = isDirect || message.mentions.some(({ id }) => id === this.#state.applicationId);
    this.dispatch("MESSAGE_CREATE", reads ? message : { ...message, content: "" });
  }

  /** Sends what it sent last once more. */
  repeat(): void {
    if (this.#last !== undefined) this.dispatch(this.#last.type, this.#last.data);
  }

  admit(sessions: number): void {
    this.#admitted = sessions;
    for (const begin of this.#waiting.splice(0)) begin();
  }

  /** Closes every connection. Sessions can be resumed unless they are forgotten. */
  close(code: number, options: { forget?: boolean } = {}): void {
    if (options.forget === true) this.#sessions.clear();
    for (const socket of this.#server.clients) socket.close(code);
  }

  /** Cuts every connection without a word. */
  cut(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  /** Asks the client to reconnect and resume. */
  askToReconnect(): void {
    for (const socket of this.#server.clients) socket.send(JSON.stringify({ op: 7, d: null }));
  }

  /** How many connections have a session. */
  get connections(): number {
    return [...this.#sessions.values()].filter((session) => session.socket?.readyState === 1).length;
  }

  get connected(): boolean {
    return [...this.#sessions.values()].some((session) => session.socket?.readyState === 1);
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }

  #greet(socket: WebSocket): void {
    socket.on("error", () => undefined);
    if (this.refuse) return socket.terminate();
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 41_250 } }));
    socket.on("message", (raw: Buffer) => {
      const { op, d } = JSON.parse(raw.toString()) as { op: number; d: Record<string, unknown> };
      if (op === 1) {
        this.seen.heartbeat += 1;
        socket.send(JSON.stringify({ op: 11 }));
      } else if (op === 2) {
        const begin = (): unknown =>
          this.#sessions.size < this.#admitted ? this.#identify(socket, d) : this.#waiting.push(begin);
        begin();
      } else if (op === 6) this.#resume(socket, d);
      else this.#state.violations.push(`gateway opcode ${op}`);
    });
  }

  #identify(socket: WebSocket, data: Record<string, unknown>): void {
    this.seen.identify += 1;
    if (data["token"] !== this.#state.token) return socket.close(4004, "Authentication failed.");
    if (this.closeOnIdentify !== undefined) return socket.close(this.closeOnIdentify);
    this.intents = Number(data["intents"]);
    const session: Session = { id: `session-${this.seen.identify}`, sequence: 1, events: [], socket };
    this.#sessions.set(session.id, session);
    const guilds = Array.from({ length: this.guilds }, (_, index) => ({
      id: `8000000000000${index}`,
      unavailable: true,
    }));
    const ready = {
      v: 10,
      user: { id: this.#state.applicationId, username: "Bellwether" },
      guilds,
      session_id: session.id,
      resume_gateway_url: this.#url,
      application: { id: this.#state.applicationId, flags: 0 },
    };
    socket.send(JSON.stringify({ op: 0, t: "READY", s: 1, d: ready }));
  }

  #resume(socket: WebSocket, data: Record<string, unknown>): void {
    this.seen.resume += 1;
    const session = this.#sessions.get(String(data["session_id"]));
    if (data["token"] !== this.#state.token) return socket.close(4004, "Authentication failed.");
    if (session === undefined) return socket.send(JSON.stringify({ op: 9, d: false }));
    session.socket = socket;
    for (const event of session.events) if (event.s > Number(data["seq"])) socket.send(JSON.stringify(event));
    session.sequence += 1;
    socket.send(JSON.stringify({ op: 0, t: "RESUMED", s: session.sequence, d: {} }));
  }
}
