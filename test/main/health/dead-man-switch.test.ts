import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createLog, silentLog } from "../../../src/log.ts";
import { type DeadManSwitch, pingOnce, startDeadManSwitch } from "../../../src/main/health/dead-man-switch.ts";
import { settled, VirtualClock } from "../../api/virtual-clock.ts";
import { loopbackNode, type LoopbackNode, type StubResponse } from "../../support/loopback-node.ts";
import { saying } from "../../support/said.ts";

const SECRET = "0d5b8f9c-uuid";

let clock: VirtualClock;
let service: LoopbackNode;
let say: () => StubResponse;
let problem: () => Promise<string | undefined>;
let deadman: DeadManSwitch;
let lines: string[];

beforeEach(async () => {
  underWay.count = 0;
  for (const [channel, listener] of CHANNELS) subscribe(channel, listener);
  clock = new VirtualClock();
  say = () => ({});
  problem = async () => undefined;
  lines = [];
  service = await loopbackNode(() => say());
  const log = createLog("info", { write: (line) => void lines.push(line) });
  deadman = startDeadManSwitch({
    url: `${service.url}/${SECRET}`,
    clock,
    log,
    problem: () => problem(),
  });
});
afterEach(async () => {
  await deadman.stop();
  await service.close();
  for (const [channel, listener] of CHANNELS) unsubscribe(channel, listener);
});

/** Requests of this process that have begun and not ended. */
const underWay = { count: 0 };
const begun = (): void => void (underWay.count += 1);
const ended = (): void => void (underWay.count -= 1);
const CHANNELS = [
  ["undici:request:create", begun],
  ["undici:request:trailers", ended],
  ["undici:request:error", ended],
] as const;

/** Lets virtual seconds pass, one by one; what is asked meanwhile is answered before time goes on. */
async function pass(seconds: number): Promise<number> {
  const before = service.requests.length;
  for (let second = 0; second < seconds; second += 1) {
    await clock.advance(1000);
    while (underWay.count > 0) await sleep(1);
    await settled();
  }
  return service.requests.length - before;
}

/** The events in the log. */
const said = (): string[] => lines.map((line) => (JSON.parse(line) as { event: string }).event);

describe("the dead man's switch", () => {
  it("is pinged soon after the start, then once a minute", async () => {
    expect(await pass(9)).toBe(0);
    expect(await pass(2)).toBe(1);
    expect(await pass(58)).toBe(0);
    expect(await pass(4)).toBe(1);
    expect(await pass(600)).toBeGreaterThanOrEqual(9);
    expect(service.requests[0]).toMatchObject({ method: "GET", path: `/${SECRET}` });
    expect(lines).toEqual([]);
  });

  it.each<[string, () => Promise<string | undefined>]>([
    ["something is wrong", async () => "no watcher has looked yet"],
    ["the database fails", () => Promise.reject(new Error("The store is closed."))],
    ["nobody can say", () => new Promise(() => {})],
  ])("is not pinged while %s, and again once all is well", async (_name, wrong) => {
    problem = wrong;
    expect(await pass(300)).toBe(0);
    problem = async () => undefined;
    expect(await pass(75)).toBeGreaterThanOrEqual(1);
    expect(said()).toEqual(["dead man's switch not pinged", "dead man's switch pinged again"]);
  });

  it("tries three times a minute where the service fails, and says so once", async () => {
    say = () => ({ status: 500 });
    expect(await pass(30)).toBe(3);
    expect(await pass(60)).toBe(3);
    expect(said()).toEqual(["dead man's switch not pinged"]);
    say = () => ({});
    await pass(61);
    expect(said().at(-1)).toBe("dead man's switch pinged again");
    // Whoever reads the log could else say that all is well.
    expect(lines.join("\n")).not.toContain(SECRET);
    expect(lines.join("\n")).not.toContain(new URL(service.url).host);
  });

  it("does not wait for a try that is under way when it stops", async () => {
    await using deaf = await silentServer();
    const log = silentLog();
    const stuck = startDeadManSwitch({ url: deaf.url, clock, log, problem, pingMillis: 60_000 });
    await clock.advance(10_000);
    await deaf.called;
    await stuck.stop();
  });
});

describe("a ping", () => {
  const signal = new AbortController().signal;
  it("follows nobody elsewhere", async () => {
    await using elsewhere = await loopbackNode(() => ({}));
    say = () => ({ status: 302, headers: { Location: elsewhere.url } });
    expect(await pingOnce(service.url, signal)).toMatch(saying("HTTP 302"));
    expect(elsewhere.requests).toEqual([]);
  });

  it("says what is wrong, and keeps the address to itself", async () => {
    say = () => ({ status: 404 });
    await using deaf = await silentServer();
    const said = [
      await pingOnce(`${service.url}/${SECRET}`, signal),
      await pingOnce(`http://127.0.0.1:9/${SECRET}`, signal),
      await pingOnce(`${deaf.url}/${SECRET}`, signal, 30),
    ];
    expect(said).toEqual([expect.stringMatching(saying("HTTP 404")), expect.any(String), expect.any(String)]);
    expect(said.join()).not.toContain(SECRET);
    expect(said).toMatchSnapshot();
  });

  it("carries a user name and a password as they are meant", async () => {
    const url = service.url.replace("http://", "http://ops:p%40ss@");
    expect(await pingOnce(url, signal)).toBeUndefined();
    const [asked] = service.requests.slice(-1);
    expect(asked?.headers.authorization).toBe(`Basic ${Buffer.from("ops:p@ss").toString("base64")}`);
  });
});

/** Takes connections and says nothing. */
async function silentServer() {
  const { promise: called, resolve: call } = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("data", () => call());
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    called,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
