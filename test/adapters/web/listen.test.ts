import { createServer, type Server } from "node:http";

import { afterEach, expect, test } from "vitest";

import { FIRST_PORT, PORTS_TRIED } from "../../../src/adapters/web/limits.ts";
import { listen } from "../../../src/adapters/web/listen.ts";
import { UserError } from "../../../src/errors.ts";
import { saying } from "../../support/said.ts";
import { echoBot, startConsole } from "./harness.ts";

const servers: Server[] = [];
const server = (): Server => {
  const made = createServer();
  servers.push(made);
  return made;
};

afterEach(async () => {
  const listening = servers.splice(0).filter((one) => one.listening);
  await Promise.all(listening.map((one) => one[Symbol.asyncDispose]()));
});

test("takes 8080 or the next free port above it when none is asked for", async () => {
  const first = await listen(server(), "127.0.0.1", undefined);
  const second = await listen(server(), "127.0.0.1", undefined);
  expect(first).toBeGreaterThanOrEqual(FIRST_PORT);
  expect(second).toBeGreaterThan(first);
  expect(second).toBeLessThan(FIRST_PORT + PORTS_TRIED);
});

test("says so when the port asked for is taken", async () => {
  const taken = await listen(server(), "127.0.0.1", 0);
  const attempt = listen(server(), "127.0.0.1", taken);
  await expect(attempt).rejects.toThrow(UserError);
  await expect(attempt).rejects.toThrow(saying(taken, "127.0.0.1"));
  await expect(attempt).rejects.toHaveProperty("remedy", expect.stringContaining("WEB_PORT"));
});

test("says so when the address is another machine's", async () => {
  // 192.0.2.0/24 is for documentation (RFC 5737) and nobody's.
  const attempt = listen(server(), "192.0.2.1", 0);
  await expect(attempt).rejects.toThrow(UserError);
  await expect(attempt).rejects.toThrow(saying("192.0.2.1"));
  await expect(attempt).rejects.toHaveProperty("remedy", expect.stringContaining("WEB_HOST"));
});

test("beyond this machine it does not start without a token", async () => {
  const attempt = startConsole(echoBot(), { host: "0.0.0.0" });
  await expect(attempt).rejects.toThrow(saying("0.0.0.0"));
  await expect(attempt).rejects.toHaveProperty("remedy", expect.stringContaining("WEB_TOKEN"));
});

test("nor with one that can be guessed", async () => {
  await expect(startConsole(echoBot(), { host: "0.0.0.0", token: "hunter2" })).rejects.toThrow(saying("WEB_TOKEN", 16));
});

test("is up once started, and stops", async () => {
  const harness = await startConsole(echoBot());
  expect(harness.adapter.health).toEqual({ state: "up" });
  expect(harness.adapter.url).toBe(`http://127.0.0.1:${harness.port}/`);
  await harness.adapter.stop();
  await harness.adapter.stop();
  expect(harness.adapter.health.state).toBe("down");
  await expect(harness.send("/healthz")).rejects.toThrow("ECONNREFUSED");
});
