import { createRequire } from "node:module";

import type * as Bolt from "@slack/bolt";

import { parseJson } from "../../chat/parse-json.ts";

const require = createRequire(import.meta.url);

/** The two modules of Bolt in use: its index also loads web servers, which cost 5 MB of memory. */
export const App = partOf<typeof Bolt.App>("App");
export const SocketModeReceiver = partOf<typeof Bolt.SocketModeReceiver>("receivers/SocketModeReceiver");

function partOf<T>(name: string): T {
  return (require(`@slack/bolt/dist/${name}`) as { readonly default: T }).default;
}

/** The library's client, which emits its socket's messages and listens to them itself. */
interface SocketMessageEmitter {
  listeners(event: "ws_message"): ((data: unknown, isBinary: unknown) => unknown)[];
  removeAllListeners(event: "ws_message"): unknown;
  on(event: "ws_message", listener: (data: unknown, isBinary: unknown) => void): unknown;
}

/**
 * Drops malformed messages: the library does not validate them, and one would reject a promise that nobody awaits,
 * which ends the process. Must be called before any other listener is added.
 */
export function guardSocketMessages(client: SocketMessageEmitter, onMalformed: (why: string) => void): void {
  const readers = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  client.on("ws_message", (data, isBinary) => {
    const malformation = malformationOf(data);
    if (malformation !== undefined) {
      onMalformed(malformation);
      return;
    }
    for (const read of readers) {
      Promise.resolve(read(data, isBinary)).catch((error: unknown) => onMalformed(String(error)));
    }
  });
}

/** Why a message cannot be one of Slack's; undefined for one that can. */
function malformationOf(data: unknown): string | undefined {
  if (typeof data !== "string") return "it is no text";
  const message = parseJson(data);
  if (message === undefined) return "it is no JSON";
  if (!isObject(message) || typeof message["type"] !== "string") return "it has no type";
  if (message["type"] === "hello" || message["type"] === "disconnect") return undefined;
  const { payload } = message;
  if (typeof message["envelope_id"] !== "string" || !isObject(payload)) return "it is no envelope";
  if (message["type"] !== "events_api") return undefined;
  return isObject(payload["event"]) && typeof payload["event"]["type"] === "string" ? undefined : "it holds no event";
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
