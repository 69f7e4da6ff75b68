import { randomBytes } from "node:crypto";

import { App } from "@slack/bolt";
import { Client } from "discord.js";
import { Agent, setGlobalDispatcher } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";

import { memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { stage, type Stage } from "../stage.ts";

// Slack's library brings undici 8, which takes the process-wide dispatcher that discord.js's own undici 6 uses; uploads
// then fail while everything else goes on working. So both are loaded here, as in production, and bytes are compared.

let on: Stage;
beforeAll(async () => {
  setGlobalDispatcher(new Agent());
  on = await stage();
});
afterAll(() => on[Symbol.asyncDispose]());

test("a file arrives byte for byte with both platforms' libraries loaded", async () => {
  expect([typeof App, typeof Client]).toEqual(["function", "function"]);
  const bytes = randomBytes(3_000_001);
  const files = [
    memoryAttachment("random.bin", "application/octet-stream", bytes),
    memoryAttachment("ünï.csv", "text/csv", "a\r\n--boundary\r\n"),
  ];
  const delivery = { id: "upload-1", destination: { platform: "discord", channel: on.channel } };
  const receipt = await on.adapter.send(
    delivery,
    reply({ title: "Files", attachments: files }),
    AbortSignal.timeout(10_000),
  );
  const stored = on.fake.state.messages.get(receipt.message)?.files ?? [];
  expect(stored.map((file) => file.bytes.length)).toEqual([bytes.length, 15]);
  expect(stored[0]?.bytes.equals(bytes)).toBe(true);
  expect(stored[1]?.bytes.toString()).toBe("a\r\n--boundary\r\n");
});
