import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, expect, test } from "vitest";

import { trustedProxies } from "../../../../src/adapters/web/access/client-address.ts";
import { MAX_CONNECTIONS_PER_CLIENT } from "../../../../src/adapters/web/limits.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { echoBot, fakeBot, startConsole } from "../harness.ts";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection on which something was typed; `closed` resolves with what came back. */
function typed(port: number, text: string): { readonly socket: Socket; readonly closed: Promise<string> } {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  let answer = "";
  socket.setEncoding("utf8").on("data", (data: string) => {
    answer += data;
  });
  socket.on("error", () => undefined);
  socket.write(text);
  return { socket, closed: once(socket, "close").then(() => answer) };
}

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

test("headers that do not end are given up in time", async () => {
  await using harness = await startConsole(echoBot(), { headersMillis: 200 });
  const answer = await typed(harness.port, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ").closed;
  expect(answer).toContain(" 408 ");
});

test.each([
  ["a question that comes in pieces", "/api/invocations", "application/json", 60, "cut"],
  ["a file whose upload stands still", "/api/verify?name=a.csv", "application/octet-stream", 700, "cut"],
  ["a file that takes long, and goes on", "/api/verify?name=a.csv", "application/octet-stream", 60, "answered"],
])("%s", async (_what, path, type, pauseMillis, expected) => {
  const bot = fakeBot(async (asked) => {
    const file = asked.openFile?.("given");
    for await (const _chunk of await file!.open(asked.signal));
    return reply({ title: "You asked" });
  });
  await using harness = await startConsole(bot, { bodyMillis: 200 });
  const pieces = Array.from({ length: 8 }, () => "12");
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${harness.port}\r\nContent-Type: ${type}\r\nContent-Length: 16\r\n\r\n`;
  const { socket, closed } = typed(harness.port, head);
  // Bytes that come after the end reset the connection.
  const outcome = closed.then(
    (answer) => (answer.includes("You asked") ? "answered" : "cut"),
    () => "cut",
  );
  for (const piece of pieces) {
    if (socket.closed) break;
    socket.write(piece);
    await sleep(pauseMillis);
  }
  socket.end();
  expect(await outcome).toBe(expected);
});

/** Opens as many connections as one client may have; resolves once each was answered. */
async function openAll(port: number, count: number): Promise<readonly Socket[]> {
  const opened = Array.from({ length: count }, () => typed(port, HEALTH).socket);
  await Promise.all(opened.map((socket) => once(socket, "data")));
  return opened;
}

test("one client has so many connections and no more, and a new one for each that it closes", async () => {
  await using harness = await startConsole(echoBot());
  const [first] = await openAll(harness.port, MAX_CONNECTIONS_PER_CLIENT);
  expect(await typed(harness.port, HEALTH).closed).toBe("");
  first!.destroy();
  const answered = (): Promise<boolean> => {
    const { socket, closed } = typed(harness.port, HEALTH);
    return Promise.race([once(socket, "data").then(() => true), closed.then(() => false)]);
  };
  await expect.poll(answered).toBe(true);
});

test("a trusted proxy may have more: they are many clients'", async () => {
  await using harness = await startConsole(echoBot(), { trustProxy: ["127.0.0.0/8"] });
  await openAll(harness.port, MAX_CONNECTIONS_PER_CLIENT + 10);
});

test.each([
  ["a peer that is no proxy", "192.0.2.1", "1.1.1.1", "192.0.2.1"],
  ["no header", "10.0.0.1", undefined, "10.0.0.1"],
  ["one proxy", "10.0.0.1", "1.1.1.1", "1.1.1.1"],
  ["two proxies", "10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2", "1.1.1.1"],
  ["proxies alone", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["an IPv4 peer on both families", "::ffff:10.0.0.1", "::ffff:1.1.1.1", "1.1.1.1"],
  ["IPv6", "2001:db8::1", "2001:db9::7", "2001:db9::7"],
  ["ports", "10.0.0.1", "[2001:db9::7]:443, 10.0.0.2:80", "2001:db9::7"],
  ["an entry that is no address", "10.0.0.1", "1.1.1.1, unknown", "10.0.0.1"],
  ["a peer without an address", "unknown", "1.1.1.1", "unknown"],
])("the client behind %s", (_name, peer, header, client) => {
  expect(trustedProxies(["10.0.0.0/8", "2001:db8::/32"]).clientOf(peer, header)).toBe(client);
});
