import { request } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

import { createFileCache } from "../../../src/adapters/file-cache.ts";
import { closeServer } from "../../../src/adapters/web/listen.ts";
import { createSocketServer } from "../../../src/adapters/web/socket.ts";
import { silentLog } from "../../../src/log.ts";
import { replyToJson } from "../../../src/reply/json.ts";
import { reply, type Reply } from "../../../src/reply/reply.ts";
import { nanoseconds } from "../../../src/units/time.ts";

test("a stream over the socket has a line while its command is silent, so that its reader knows the holder lives", async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "bellwether-socket-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const answer = Promise.withResolvers<Reply>();
  const log = silentLog();
  const files = createFileCache({ maxFiles: 1, ttlMillis: 1000, log, now: () => nanoseconds(0n) });
  const server = createSocketServer(
    {
      question: z.object({ text: z.string() }),
      usage: "",
      run: () => answer.promise,
      complete: async () => [],
      render: (said) => replyToJson(said),
      aliveMillis: 5,
      log,
      stopping: new AbortController().signal,
    },
    files,
  );
  const socketPath = path.join(folder, "s.sock");
  await new Promise<void>((resolve) => {
    server.listen(socketPath, resolve);
  });
  onTestFinished(() => closeServer(server));
  onTestFinished(() => files.close());
  const lines: string[] = [];
  const headers = { Accept: "application/x-ndjson" };
  const asked = request({ socketPath, method: "POST", path: "/invocations", headers, agent: false });
  const ended = new Promise((resolve) => {
    asked.once("response", (response) => {
      createInterface(response)
        .on("line", (line) => lines.push(line))
        .once("close", resolve);
    });
  });
  asked.end('{"text":"time"}');
  await expect.poll(() => lines.slice(0, 2)).toEqual(['{"alive":true}', '{"alive":true}']);
  answer.resolve(reply({ title: "done" }));
  await ended;
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ reply: { headline: "done" } });
});
