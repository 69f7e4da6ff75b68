import { request, type IncomingHttpHeaders } from "node:http";

import type { Preview } from "../../../src/adapters/adapter.ts";
import { createWebAdapter, type WebAdapter, type WebAdapterOptions } from "../../../src/adapters/web/index.ts";
import type { Bot } from "../../../src/bot/bot.ts";
import type { Invocation } from "../../../src/bot/invocation.ts";
import { silentLog } from "../../../src/log.ts";
import { reply, type Reply } from "../../../src/reply/reply.ts";
import { code, text } from "../../../src/reply/text.ts";
import { fromMillis, type Nanoseconds } from "../../../src/units/time.ts";

/** A question to the bot, as adapters ask it. */
export type Asked = Omit<Invocation, "command" | "options"> &
  ({ line: string } | Pick<Invocation, "command" | "options">);

/** Completion that offers these lines, each with a label. */
export function completing(offer: (line: string) => readonly string[]): Bot["completions"] {
  return async (line) => offer(line).map((one) => ({ line: one, label: `${one}!` }));
}

/** A bot that answers by a function, and records its questions. */
export function fakeBot(
  answer: (asked: Asked) => Reply | Promise<Reply>,
  more: Partial<Bot> = {},
): Bot & { asked: Asked[] } {
  const asked: Asked[] = [];
  const take = async (question: Asked): Promise<Reply> => {
    asked.push(question);
    return answer(question);
  };
  return {
    asked,
    commands: [
      {
        name: "market list",
        summary: "All markets",
        examples: ["market list"],
        access: "everyone",
        audience: "channel",
        options: {},
        run: async () => reply({ title: "unused" }),
      },
      {
        name: "ask",
        summary: "Ask in plain words",
        examples: ["ask is the network healthy?", "ask subscribe this channel"],
        access: "everyone",
        audience: "caller",
        options: { question: { kind: "text", required: true, description: "In English", example: "how high" } },
        run: async () => reply({ title: "unused" }),
      },
    ],
    networks: ["mainnet", "testnet"],
    audience: () => undefined,
    zoneOf: async () => "UTC",
    isForEverybody: () => true,
    commonButtons: () => ({ refresh: true, share: true }),
    prepare: (invocation) => ({ ok: false, run: () => take(invocation) }),
    submit: async () => ({ ok: false, faults: [] }),
    run: take,
    runLine: (line, rest) => take({ ...rest, line }),
    present: async () => undefined,
    suggest: async () => [],
    completions: completing((line) => ["market list", "market show "].filter((known) => known.startsWith(line))),
    ...more,
  };
}

/** Answers with the question itself. */
export const echoBot = (): ReturnType<typeof fakeBot> =>
  fakeBot((asked) => reply({ title: text`You asked ${code("line" in asked ? asked.line : asked.command)}` }));

/** A clock that only moves when told to. */
export class Clock {
  #at = 1_772_443_800_000;
  now = (): Nanoseconds => fromMillis(this.#at);
  pass(millis: number): void {
    this.#at += millis;
  }
}

export interface Harness extends AsyncDisposable {
  readonly adapter: WebAdapter;
  readonly port: number;
  readonly url: string;
  send(path: string, options?: Sending): Promise<Answered>;
  /** The same with a JSON body. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
}

interface Sending {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  json(): unknown;
}

/** Starts a console on a port that is free, and asks it over the wire with whatever headers a test wants. */
export async function startConsole(
  bot: Bot,
  parts: Partial<WebAdapterOptions> & { previews?: readonly Preview[] } = {},
): Promise<Harness> {
  const adapter = createWebAdapter({
    host: "127.0.0.1",
    port: 0,
    previews: [],
    log: silentLog(),
    ready: async () => ({ ok: true, parts: {} }),
    metrics: async () => ({ contentType: "text/plain; version=0.0.4", body: "bellwether_up 1\n" }),
    now: () => fromMillis(Date.now()),
    ...parts,
  });
  await adapter.start(bot);
  const { port } = adapter;
  const send = (path: string, options: Sending = {}): Promise<Answered> => sendTo(port, path, options);
  return {
    adapter,
    port,
    url: `http://127.0.0.1:${port}`,
    send,
    post: (path, body, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => adapter.stop(),
  };
}

function sendTo(port: number, path: string, options: Sending): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const asking = request(
    { host: "127.0.0.1", port, path, method: options.method ?? "GET", headers: options.headers, agent: false },
    (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body, json: () => JSON.parse(body) });
      });
    },
  );
  asking.on("error", reject);
  asking.end(options.body);
  return promise;
}
