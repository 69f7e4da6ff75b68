import { once } from "node:events";
import { connect } from "node:net";

import { describe, expect, test } from "vitest";

import type { Preview } from "../../../../src/adapters/adapter.ts";
import { runQuestion } from "../../../../src/adapters/web/invocations/question.ts";
import { MAX_RUNNING } from "../../../../src/adapters/web/limits.ts";
import { amended, memoryAttachment, reply, type Reply } from "../../../../src/reply/reply.ts";
import { ReplyJson } from "../../../../src/reply/document.ts";
import { text, time } from "../../../../src/reply/text.ts";
import { nanoseconds } from "../../../../src/units/time.ts";
import { saying } from "../../../support/said.ts";
import { echoBot, fakeBot, startConsole } from "../harness.ts";

const titleOf = (json: unknown): string =>
  ReplyJson.parse(json)
    .title.map((part) => ("text" in part ? part.text : ""))
    .join("");

describe("POST /api/invocations", () => {
  test("answers a typed line with the reply as JSON", async () => {
    const bot = echoBot();
    await using harness = await startConsole(bot);
    const answer = await harness.post("/api/invocations", { text: "market list" });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(titleOf(answer.json())).toBe("You asked market list");
    expect(bot.asked[0]).toMatchObject({ here: { platform: "web" }, caller: { mayManageChannel: true } });
  });

  test("hands the browser's time zone on, and asks for no more than that", async () => {
    const bot = echoBot();
    await using harness = await startConsole(bot);
    await harness.post("/api/invocations", { text: "market list", zone: "Europe/Zurich" });
    await harness.post("/api/invocations", { command: "order", options: { id: "f8" }, zone: "Asia/Tokyo" });
    await harness.post("/api/invocations", { text: "market list" });
    const zones = await Promise.all(bot.asked.map(async (asked) => asked.zone?.()));
    expect(zones).toEqual(["Europe/Zurich", "Asia/Tokyo", undefined]);
  });

  test("answers a button's question", async () => {
    const bot = echoBot();
    await using harness = await startConsole(bot);
    const answer = await harness.post("/api/invocations", {
      command: "order",
      options: { id: "f8", version: 2, private: true },
    });
    expect(titleOf(answer.json())).toBe("You asked order");
    expect(bot.asked[0]).toMatchObject({ command: "order", options: { id: "f8", version: 2, private: true } });
  });

  test("a failure is an answer, too: the reply says whose it is", async () => {
    const failing = fakeBot(() => reply({ title: "No data node answers", tone: "bad", failure: "network" }));
    await using harness = await startConsole(failing);
    const answer = await harness.post("/api/invocations", { text: "time" });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ failure: "network" });
  });

  test("keeps every digit of a time", async () => {
    const at = nanoseconds(9_223_372_036_854_775_807n);
    await using harness = await startConsole(fakeBot(() => reply({ title: text`${time(at)}` })));
    const answer = await harness.post("/api/invocations", { text: "time" });
    expect(answer.body).toContain('"9223372036854775807"');
  });

  test.each([
    ["not JSON", "{"],
    ["nothing", "{}"],
    ["a number for a line", '{"text":7}'],
    ["something unknown beside it", '{"text":"time","token":"x"}'],
    ["both kinds at once", '{"text":"time","command":"time"}'],
    ["an option that is a list", '{"command":"time","options":{"network":["a"]}}'],
    ["null", "null"],
  ])("%s gets a sentence that shows what is right", async (_what, body) => {
    const bot = echoBot();
    await using harness = await startConsole(bot);
    const headers = { "content-type": "application/json" };
    const answer = await harness.send("/api/invocations", { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('{\\"text\\":\\"market list\\"}');
    expect(bot.asked).toHaveLength(0);
  });

  test("shows progress line by line, the newest of several reports at once, then the answer", async () => {
    const seen = Promise.withResolvers<undefined>();
    const bot = fakeBot(async (asked) => {
      asked.progress?.(reply({ title: "1 row" }));
      asked.progress?.(reply({ title: "2 rows" }));
      await seen.promise;
      asked.progress?.(reply({ title: "overtaken by the answer" }));
      return reply({ title: "3 rows", tone: "good" });
    });
    await using harness = await startConsole(bot);
    const answer = await fetch(`${harness.url}/api/invocations`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/x-ndjson" },
      body: JSON.stringify({ text: "export" }),
    });
    expect(answer.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    let body = "";
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      body += chunk;
      seen.resolve(undefined);
    }
    const lines = body
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => [Object.keys(line)[0], titleOf(Object.values(line)[0])])).toEqual([
      ["progress", "2 rows"],
      ["reply", "3 rows"],
    ]);
  });

  test("sends what is added to the answer as a further line, and to JSON not at all", async () => {
    const given = reply({ title: "Subscribed" });
    const coming = Promise.withResolvers<Reply>();
    await using harness = await startConsole(fakeBot(() => ({ ...given, later: () => coming.promise })));
    expect((await harness.post("/api/invocations", { text: "alerts add" })).json()).not.toHaveProperty("later");
    const answer = await fetch(`${harness.url}/api/invocations`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/x-ndjson" },
      body: JSON.stringify({ text: "alerts add" }),
    });
    const lines: unknown[] = [];
    for await (const line of answer.body!.pipeThrough(new TextDecoderStream())) {
      lines.push(JSON.parse(line));
      coming.resolve(amended(given, text`It would have told you twice.`));
    }
    expect(lines).toMatchObject([
      { reply: { headline: "Subscribed", blocks: [] } },
      {
        reply: { headline: "Subscribed", added: text`It would have told you twice.`, blocks: [{ kind: "paragraph" }] },
      },
    ]);
  });

  test.each(["application/json", "application/x-ndjson"])(
    "a client that hangs up stops the question (%s)",
    async (accept) => {
      const stopped = Promise.withResolvers<unknown>();
      const begun = Promise.withResolvers<undefined>();
      const file = { ...memoryAttachment("x.csv", "text/csv", "x"), dispose: async () => disposed.resolve(undefined) };
      const disposed = Promise.withResolvers<undefined>();
      const bot = fakeBot(async (asked) => {
        begun.resolve(undefined);
        asked.signal.addEventListener("abort", () => stopped.resolve(asked.signal.reason));
        await stopped.promise;
        return reply({ title: "nobody reads this", attachments: [file] });
      });
      await using harness = await startConsole(bot);
      const socket = connect(harness.port, "127.0.0.1");
      const body = JSON.stringify({ text: "export" });
      socket.write(
        `POST /api/invocations HTTP/1.1\r\nHost: 127.0.0.1:${harness.port}\r\nAccept: ${accept}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      await begun.promise;
      socket.destroy();
      await once(socket, "close");
      await stopped.promise;
      await disposed.promise;
    },
  );

  test("answers a hundred questions at one time", async () => {
    const gate = Promise.withResolvers<undefined>();
    const bot = fakeBot(async () => {
      await gate.promise;
      return reply({ title: "done" });
    });
    await using harness = await startConsole(bot);
    const asking = Array.from({ length: 100 }, () => harness.post("/api/invocations", { text: "time" }));
    setTimeout(() => gate.resolve(undefined), 200);
    const answers = await Promise.all(asking);
    expect(answers.filter((answer) => answer.status !== 200)).toEqual([]);
  });

  test("refuses questions beyond the limit, and serves again when one is done", async () => {
    const gate = Promise.withResolvers<undefined>();
    const bot = fakeBot(async () => {
      await gate.promise;
      return reply({ title: "done" });
    });
    await using harness = await startConsole(bot, { trustProxy: ["127.0.0.1"] });
    const running = Array.from({ length: MAX_RUNNING }, () => harness.post("/api/invocations", { text: "slow" }));
    while (bot.asked.length < MAX_RUNNING) await new Promise((resolve) => setImmediate(resolve));
    const refused = await harness.post("/api/invocations", { text: "one more" });
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBe("5");
    gate.resolve(undefined);
    expect((await Promise.all(running)).every((answer) => answer.status === 200)).toBe(true);
    expect((await harness.post("/api/invocations", { text: "again" })).status).toBe(200);
  });

  test("a stop ends the running questions", async () => {
    const bot = fakeBot(async (asked) => {
      await new Promise((resolve) => asked.signal.addEventListener("abort", resolve));
      return reply({ title: "Cancelled", failure: "caller" });
    });
    const harness = await startConsole(bot);
    const asking = harness.post("/api/invocations", { text: "slow" });
    while (bot.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await harness.adapter.stop();
    expect(titleOf((await asking).json())).toBe("Cancelled");
  });
});

describe("a command that ignores its abort", () => {
  const timeouts = { totalMillis: 1, graceMillis: 1 };

  test("is abandoned, and its late answer is disposed of", async () => {
    const late = Promise.withResolvers<ReturnType<typeof reply>>();
    const disposed = Promise.withResolvers<undefined>();
    const bot = fakeBot(() => late.promise);
    const answer = await runQuestion(bot, { text: "slow" }, { gone: new AbortController().signal, timeouts });
    expect(answer).toMatchObject({ tone: "warning", failure: "network" });
    const file = { ...memoryAttachment("x", "text/csv", "x"), dispose: async () => disposed.resolve(undefined) };
    late.resolve(reply({ title: "late", attachments: [file] }));
    await disposed.promise;
  });

  test("answers a client that aborts, too", async () => {
    const bot = fakeBot(() => new Promise(() => undefined));
    const answer = await runQuestion(
      bot,
      { text: "slow" },
      { gone: AbortSignal.abort(), timeouts: { totalMillis: 60_000, graceMillis: 1 } },
    );
    expect(answer).toMatchObject({ tone: "warning", failure: "caller" });
  });
});

describe("previews", () => {
  const shown: unknown[] = [];
  const discord: Preview = {
    platform: "discord",
    name: "Discord",
    render: (given) => {
      shown.push(given);
      return { embeds: [{ title: "a" }] };
    },
  };
  const broken: Preview = {
    platform: "slack",
    name: "Slack",
    render: () => {
      throw new Error("not total");
    },
  };

  test("come with the answer when asked for, made from the very same reply", async () => {
    const given = reply({ title: "one reply" });
    const bot = fakeBot(() => given);
    await using harness = await startConsole(bot, { previews: [discord, broken] });
    const plain = await harness.post("/api/invocations", { text: "time" });
    expect(plain.json()).not.toHaveProperty("previews");
    const answer = await harness.post("/api/invocations?previews=1", { text: "time" });
    expect(answer.json()).toMatchObject({ previews: { discord: { embeds: [{ title: "a" }] }, slack: null } });
    expect(shown).toEqual([given]);
    expect(bot.asked).toHaveLength(2);
    expect((await harness.send("/api/console")).json()).toMatchObject({
      previews: ["discord", "slack"],
      previewNames: { discord: "Discord", slack: "Slack" },
    });
  });
});

describe("attachments", () => {
  test("can be downloaded from where the answer says", async () => {
    const csv = memoryAttachment("ledger 2026.csv", "text/csv", "a,b\n1,2\n");
    const page = memoryAttachment("evil.html", "text/html", "<script>alert(1)</script>");
    const bot = fakeBot(() => reply({ title: "Two files", attachments: [csv, page] }));
    await using harness = await startConsole(bot);
    const { attachments } = ReplyJson.parse((await harness.post("/api/invocations", { text: "export" })).json());
    const [first, second] = await Promise.all(attachments.map((file) => harness.send(file.href ?? "")));
    expect(first).toMatchObject({ status: 200, body: "a,b\n1,2\n" });
    expect(first?.headers).toMatchObject({
      "content-type": "text/csv",
      "content-length": "8",
      "content-disposition": 'attachment; filename="ledger-2026.csv"',
    });
    expect(second?.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="evil.html"',
    });
    const head = await harness.send(attachments[0]?.href ?? "", { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: "" });
  });

  test("that are gone get a sentence", async () => {
    await using harness = await startConsole(echoBot());
    const answer = await harness.send(`/api/files/${"a".repeat(32)}`);
    expect(answer.status).toBe(404);
    expect(answer.json()).toEqual({ error: expect.stringMatching(saying("file")) });
  });
});

test("POST /api/completions gives whole lines", async () => {
  await using harness = await startConsole(echoBot());
  expect((await harness.post("/api/completions", { text: "market l" })).json()).toEqual({
    lines: ["market list"],
    labels: ["market list!"],
  });
  expect((await harness.post("/api/completions", { line: "market l" })).status).toBe(400);
});
