import { describe, expect, test } from "vitest";

import { memoryAttachment } from "../../../../src/reply/reply.ts";
import { alert, Sending, signal } from "./sending.ts";

const at = new Sending();

describe("a failure says what to do next", () => {
  const path = /messages$/u;
  test.each<[string, () => void, object]>([
    ["the channel is deleted", () => set("deleted", 10_003), { kind: "gone" }],
    ["the bot was removed", () => set("no-access", 50_001), { kind: "gone" }],
    ["a 500", () => at.on.fake.fail({ path, answer: { status: 500 } }), { kind: "maybe-sent" }],
    ["a 503", () => at.on.fake.fail({ path, answer: { status: 503 } }), { kind: "retry" }],
    ["no answer", () => at.on.fake.fail({ path, answer: "cut-after" }), { kind: "maybe-sent" }],
    [
      "a 400",
      () => at.on.fake.fail({ path, answer: { status: 400, body: { code: 50_035, message: "Invalid Form Body" } } }),
      { kind: "content" },
    ],
    [
      "a 404 of something else",
      () => at.on.fake.fail({ path, answer: { status: 404, body: { code: 10_008, message: "Unknown Message" } } }),
      { kind: "permanent" },
    ],
    [
      "a long 429",
      () =>
        at.on.fake.fail({
          path,
          answer: {
            status: 429,
            headers: { "retry-after": "120" },
            body: { message: "slow", retry_after: 120, global: false },
          },
        }),
      { kind: "retry", retryAfterMillis: expect.closeTo(120_000, -3) },
    ],
    [
      "a refused token",
      () => at.on.fake.fail({ path, answer: { status: 401, body: { code: 0, message: "401: Unauthorized" } } }),
      { kind: "refused", message: "Discord says 401: Unauthorized" },
    ],
  ])("%s", async (_what, arrange, expected) => {
    arrange();
    await expect(at.on.adapter.send(at.delivery(), alert("x"), signal)).rejects.toMatchObject({
      name: "SendError",
      ...expected,
    });
  });

  test("after a refused token, no further request is sent for a while", async () => {
    at.later(60_000);
    at.on.fake.fail({ path, answer: { status: 401, body: { code: 0, message: "401: Unauthorized" } } });
    await expect(at.on.adapter.send(at.delivery(), alert("x"), signal)).rejects.toMatchObject({ kind: "refused" });
    const before = at.on.fake.requests.length;
    await expect(at.on.adapter.send(at.delivery(), alert("x"), signal)).rejects.toMatchObject({ kind: "refused" });
    expect(at.on.fake.requests.length).toBe(before);
    at.later(60_000);
    await at.on.adapter.send(at.delivery(), alert("Mended"), signal);
    expect(at.posts()).toEqual(["Mended"]);
  });

  test("a token that is asked about and accepted lets messages go at once", async () => {
    at.later(60_000);
    const { token } = at.on.fake.state;
    at.on.fake.expected.add(0);
    at.on.fake.state.token = "reset";
    await expect(at.on.adapter.send(at.delivery(), alert("x"), signal)).rejects.toMatchObject({ kind: "refused" });
    await expect(at.on.adapter.checkToken?.(signal)).rejects.toMatchObject({
      kind: "refused",
      revoked: false,
      message: "Discord says 401: Unauthorized",
    });
    at.on.fake.state.token = token;
    await expect(at.on.adapter.send(at.delivery(), alert("x"), signal)).rejects.toMatchObject({ kind: "refused" });
    await at.on.adapter.checkToken?.(signal);
    await at.on.adapter.send(at.delivery(), alert("Mended"), signal);
    expect(at.posts()).toEqual(["Mended"]);
  });

  test("without an answer from Discord, the token is not judged", async () => {
    at.on.fake.fail({ path: /^\/users\/@me$/u, answer: { status: 503 } });
    await expect(at.on.adapter.checkToken?.(signal)).rejects.toMatchObject({ kind: "retry" });
  });

  test("and the next one of another channel is not held up", async () => {
    at.later(60_000);
    const other = at.on.fake.channel();
    await at.on.adapter.send(
      at.delivery({ destination: { platform: "discord", channel: other } }),
      alert("Still here"),
      signal,
    );
    expect(at.posts(other)).toEqual(["Still here"]);
  });

  test("a user who takes no messages", async () => {
    at.on.fake.expected.add(50_007);
    const ann = at.on.fake.person("Ann");
    at.on.fake.state.channels.get(at.on.fake.direct(ann))!.gone = "no-access";
    const sending = at.on.adapter.send(
      at.delivery({ destination: { platform: "discord", channel: `user:${ann.id}` } }),
      alert("x"),
      signal,
    );
    await expect(sending).rejects.toMatchObject({ kind: "gone" });
  });

  test.each([10_013, 50_033, 50_278])("a user who cannot be messaged any more (%i)", async (code) => {
    const answer = { status: 400, body: { code, message: "Cannot send messages to this user" } };
    at.on.fake.fail({ path: /^\/users\/@me\/channels$/u, answer });
    const destination = { platform: "discord", channel: `user:${at.on.fake.state.snowflake()}` };
    await expect(at.on.adapter.send(at.delivery({ destination }), alert("x"), signal)).rejects.toMatchObject({
      kind: "gone",
    });
  });

  test("a file that breaks off while it is read is not waited for", async () => {
    at.on.fake.expected.add(0);
    const broken = {
      ...memoryAttachment("broken.csv", "text/csv", "a\n1\n"),
      open: () => {
        throw new Error("the disk is gone");
      },
    };
    const sending = at.on.adapter.send(at.delivery(), { ...alert("x"), attachments: [broken] }, signal);
    await expect(sending).rejects.toMatchObject({ name: "SendError" });
  });

  test("a message that is deleted loses only itself", async () => {
    at.on.fake.expected.add(10_008);
    const receipt = await at.on.adapter.send(at.delivery(), alert("x"), signal);
    at.on.fake.state.messages.delete(receipt.message);
    await expect(at.on.adapter.update(receipt, alert("y"), signal)).rejects.toMatchObject({ kind: "deleted" });
    const below = at.on.adapter.send(at.delivery({ threadOf: receipt }), alert("z"), signal);
    await expect(below).rejects.toMatchObject({ kind: "deleted" });
  });

  test("a delivery aborted before its request is certainly unsent", async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(at.on.adapter.send(at.delivery(), alert("x"), controller.signal)).rejects.toMatchObject({
      kind: "retry",
    });
    expect(at.posts()).toEqual([]);
  });

  test("a repeat after an unknown outcome is not a second message", async () => {
    at.on.fake.fail({ path, answer: "cut-after" });
    const owed = at.delivery();
    await expect(at.on.adapter.send(owed, alert("Owed"), signal)).rejects.toMatchObject({ kind: "maybe-sent" });
    await at.on.adapter.send(owed, alert("Owed"), signal);
    expect(at.posts()).toEqual(["Owed"]);
  });

  function set(gone: "deleted" | "no-access", code: number): void {
    at.on.fake.expected.add(code);
    at.on.fake.state.channels.get(at.channel)!.gone = gone;
  }
});
