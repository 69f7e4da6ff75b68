import { type IncomingMessage, request } from "node:http";

import type { AlertJson } from "../../../../src/adapters/web/alerts/alert-json.ts";

/** One server-sent event, as it stood on the wire. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
  readonly comment?: string;
}

export interface EventReader {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** All that came so far. */
  readonly frames: readonly Frame[];
  /** The deliveries among them. */
  alerts(): readonly AlertJson[];
  /** Resolves once this many deliveries have come; rejects when the stream ends before. */
  until(enough: (reader: EventReader) => boolean): Promise<void>;
  /** Resolves once the stream is over. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Reads a stream of alerts as a program would, without a browser's help. */
export async function readEvents(
  url: string | URL,
  headers: Readonly<Record<string, string>> = {},
): Promise<EventReader> {
  const { promise: responded, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asking = request(new URL("/api/alerts", url), { headers: { ...headers }, agent: false }, resolve);
  asking.on("error", reject);
  asking.end();
  const response = await responded;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const check = (): void => {
    for (const one of waiting) one();
  };
  let over = false;
  let rest = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    const blocks = (rest + chunk).split("\n\n");
    rest = blocks.pop() ?? "";
    frames.push(...blocks.map(parse));
    check();
  });
  response.on("error", () => undefined);
  response.on("close", () => {
    over = true;
    end();
    check();
  });
  const reader: EventReader = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    frames,
    alerts: () =>
      frames.flatMap(({ data, event }) =>
        data === undefined || event !== undefined ? [] : [JSON.parse(data) as AlertJson],
      ),
    async until(enough) {
      const { promise, resolve: done, reject: fail } = Promise.withResolvers<void>();
      const look = (): void => {
        if (enough(reader)) done();
        else if (over) fail(new Error(`the stream ended after ${JSON.stringify(frames).slice(0, 2000)}`));
      };
      waiting.add(look);
      look();
      try {
        await promise;
      } finally {
        waiting.delete(look);
      }
    },
    ended,
    close: () => asking.destroy(),
  };
  return reader;
}

function parse(block: string): Frame {
  return Object.fromEntries(
    block.split("\n").map((line) => {
      const cut = line.indexOf(":");
      return [cut === 0 ? "comment" : line.slice(0, cut), line.slice(cut + 1).trim()];
    }),
  );
}
