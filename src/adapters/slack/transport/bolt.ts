import { createRequire } from "node:module";

import type * as Bolt from "@slack/bolt";

const require = createRequire(import.meta.url);

/** The two modules of Bolt that are used: its index loads web servers besides, which cost 5 MB of memory at rest. */
export const App = partOf<typeof Bolt.App>("App");
export const SocketModeReceiver = partOf<typeof Bolt.SocketModeReceiver>("receivers/SocketModeReceiver");

function partOf<T>(name: string): T {
  return (require(`@slack/bolt/dist/${name}`) as { readonly default: T }).default;
}

/** The library's client, which emits each message of its socket and listens to that itself. */
interface SocketMessageEmitter {
  listeners(event: "ws_message"): ((data: unknown, isBinary: unknown) => unknown)[];
  removeAllListeners(event: "ws_message"): unknown;
  on(event: "ws_message", listener: (data: unknown, isBinary: unknown) => void): unknown;
}

/**
 * Passes on only messages that the library can read: it does not check them, and a malformed one would reject a promise
 * that nobody awaits, which ends the process. Call it before any other listener is added.
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
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    return "it is no JSON";
  }
  if (!isObject(message) || typeof message["type"] !== "string") return "it has no type";
  if (message["type"] === "hello" || message["type"] === "disconnect") return undefined;
  const { payload } = message;
  if (typeof message["envelope_id"] !== "string" || !isObject(payload)) return "it is no envelope";
  if (message["type"] !== "events_api") return undefined;
  return isObject(payload["event"]) && typeof payload["event"]["type"] === "string" ? undefined : "it holds no event";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
