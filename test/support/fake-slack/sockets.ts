import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import { WebSocketServer, type WebSocket } from "ws";

export interface Envelope {
  readonly id: string;
  readonly type: "slash_commands" | "interactive" | "events_api";
  readonly payload: unknown;
  readonly at: number;
  /** What the acknowledgement carried; undefined until it comes. */
  answer: unknown;
  acknowledgedAfter: number | undefined;
  deliveries: number;
}

interface Socket {
  readonly socket: WebSocket;
  /** Slack has requested a new socket: this one gets no more envelopes. */
  leaving: boolean;
}

/** Slack's side of Socket Mode. */
export class Sockets {
  readonly envelopes: Envelope[] = [];
  /** Sent while nobody listened. */
  lost = 0;
  /** Greets only while true. */
  greets = true;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sockets: Socket[] = [];
  #next = 0;
  opened = 0;
  /** Called with the payloads of acknowledgements. */
  onAnswer: (answer: unknown) => void = () => undefined;

  get listening(): number {
    return this.#sockets.filter((one) => !one.leaving && one.socket.readyState === 1).length;
  }

  upgrade(request: IncomingMessage, duplex: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, duplex, head, (socket) => {
      const entry: Socket = { socket, leaving: false };
      this.#sockets.push(entry);
      this.opened += 1;
      socket.on("message", (data: Buffer) => this.#acknowledged(data.toString()));
      socket.on("close", () => {
        this.#sockets.splice(this.#sockets.indexOf(entry), 1);
        this.#redeliver();
      });
      if (this.greets) socket.send(JSON.stringify({ type: "hello", num_connections: this.#sockets.length }));
      this.#redeliver();
    });
  }

  /** Keeps an envelope, for what becomes of it. */
  make(id: string, type: Envelope["type"], payload: unknown): Envelope {
    const envelope: Envelope = {
      id,
      type,
      payload,
      at: performance.now(),
      answer: undefined,
      acknowledgedAfter: undefined,
      deliveries: 0,
    };
    this.envelopes.push(envelope);
    return envelope;
  }

  /** Makes one and sends it. */
  send(id: string, type: Envelope["type"], payload: unknown): Envelope {
    const envelope = this.make(id, type, payload);
    this.deliver(envelope);
    return envelope;
  }

  /** Sends an envelope over one of the sockets, by turns. */
  deliver(envelope: Envelope): void {
    const open = this.#sockets.filter((one) => !one.leaving && one.socket.readyState === 1);
    const chosen = open[this.#next % Math.max(1, open.length)];
    this.#next += 1;
    if (chosen === undefined) {
      this.lost += 1;
      return;
    }
    envelope.deliveries += 1;
    const retry = envelope.deliveries > 1 ? { retry_attempt: envelope.deliveries - 1, retry_reason: "timeout" } : {};
    chosen.socket.send(
      JSON.stringify({
        envelope_id: envelope.id,
        type: envelope.type,
        payload: envelope.payload,
        accepts_response_payload: envelope.type !== "events_api",
        ...retry,
      }),
    );
  }

  /** Sends anything at all over each of the sockets. */
  raw(data: string | Buffer): void {
    for (const { socket } of this.#sockets) socket.send(data);
  }

  /** Asks the longest-standing socket to make way for another. */
  refresh(): void {
    const entry = this.#sockets.find((one) => !one.leaving);
    if (entry === undefined) return;
    entry.leaving = true;
    entry.socket.send(JSON.stringify({ type: "disconnect", reason: "refresh_requested" }));
  }

  /** Cuts all sockets without a word. */
  cut(): void {
    for (const { socket } of this.#sockets.slice()) socket.terminate();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #acknowledged(data: string): void {
    const { envelope_id: id, payload } = JSON.parse(data) as { envelope_id: string; payload?: unknown };
    const envelope = this.envelopes.find((one) => one.id === id);
    if (envelope === undefined) return;
    envelope.acknowledgedAfter ??= performance.now() - envelope.at;
    envelope.answer = payload;
    this.onAnswer(payload);
  }

  /** Events that were not acknowledged when their socket closed come again; commands do not. */
  #redeliver(): void {
    for (const envelope of this.envelopes) {
      if (envelope.type === "events_api" && envelope.acknowledgedAfter === undefined && this.listening > 0) {
        this.deliver(envelope);
      }
    }
  }
}
