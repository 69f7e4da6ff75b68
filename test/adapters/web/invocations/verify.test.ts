import { expect, test } from "vitest";

import { reply } from "../../../../src/reply/reply.ts";
import { fakeBot, startConsole } from "../harness.ts";

const FILE = "vega_time,quantity\n2026-01-14,5\n";
const headers = { "Content-Type": "application/octet-stream" };

/** A bot that says what it was given. */
function readingBot() {
  return fakeBot(async (invocation) => {
    if (!("command" in invocation)) throw new Error("a line was typed");
    const file = invocation.openFile?.(String(invocation.options["file"]));
    const given = Buffer.concat(await Array.fromAsync(await file!.open(invocation.signal))).toString();
    return reply({ title: `${invocation.command} ${file!.name}: ${given.length} bytes` });
  });
}

test("a file dropped on the page is verified as it comes, whatever its size", async () => {
  await using harness = await startConsole(readingBot());
  const answer = await harness.send("/api/verify?name=ledger.csv", { method: "POST", headers, body: FILE });
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({ headline: `ledger verify ledger.csv: ${FILE.length} bytes` });
  const large = "x".repeat(3_000_000);
  const other = await harness.send("/api/verify?name=a.csv", { method: "POST", headers, body: large });
  expect(other.json()).toMatchObject({ headline: "ledger verify a.csv: 3000000 bytes" });
});

test("a form of another page sends no file", async () => {
  await using harness = await startConsole(readingBot());
  const type = { "Content-Type": "text/plain" };
  expect((await harness.send("/api/verify", { method: "POST", headers: type, body: FILE })).status).toBe(415);
  const foreign = { ...headers, Origin: "https://evil.example" };
  expect((await harness.send("/api/verify", { method: "POST", headers: foreign, body: FILE })).status).toBe(403);
});
