import { describe, expect, test } from "vitest";

import type { SendErrorKind } from "../../../../src/alerts/sender.ts";
import { FakeSlack, type Fault } from "../../../support/fake-slack/fake-slack.ts";
import { titled } from "../probe-commands.ts";
import { delivery, refused, senderOn, signal } from "../sending.ts";

/** Only what hangs is given up soon: on a busy machine anything else may take a while. */
function patienceWith(answer: Fault["answer"]): { callMillis?: number } {
  return typeof answer === "string" && answer.startsWith("hang") ? { callMillis: 100 } : {};
}

describe("the send error of a message that failed", () => {
  const codes: Record<Exclude<SendErrorKind, "unsendable" | "deleted">, string[]> = {
    gone: [
      "channel_not_found",
      "not_in_channel",
      "is_archived",
      "user_disabled",
      "user_not_found",
      "users_not_found",
      "cannot_dm_bot",
      "messages_tab_disabled",
      "restricted_action",
      "restricted_action_read_only_channel",
      "restricted_action_thread_only_channel",
      "team_access_not_granted",
      "missing_scope",
      "no_permission",
      "ekm_access_denied",
      "org_login_required",
    ],
    content: [
      "invalid_blocks",
      "invalid_blocks_format",
      "msg_too_long",
      "msg_blocks_too_long",
      "no_text",
      "too_many_attachments",
      "invalid_arguments",
      "metadata_too_large",
      "invalid_metadata_schema",
      "attachment_payload_limit_exceeded",
      "slack_connect_file_link_sharing_blocked",
    ],
    permanent: ["never_heard_of", "as_user_not_supported"],
    refused: ["invalid_auth", "not_authed", "token_expired", "account_inactive", "token_revoked"],
    retry: ["message_limit_exceeded", "rate_limited", "request_timeout"],
    "maybe-sent": ["internal_error", "fatal_error", "service_unavailable", "<html>Maintenance</html>"],
  };

  test.each(Object.entries(codes).flatMap(([kind, all]) => all.map((code) => [code, kind] as const)))(
    "%s: %s",
    async (code, kind) => {
      await using fake = await FakeSlack.start();
      const sender = senderOn(fake.apiUrl);
      const channel = fake.channel();
      // A limit that is told with a 200 is waited for a little, by the sender itself.
      const times = code === "rate_limited" ? 30 : 1;
      for (let count = 0; count < times; count += 1) fake.fail({ method: "chat.postMessage", answer: { error: code } });
      const patience = AbortSignal.timeout(code === "rate_limited" ? 500 : 15_000);
      const error = await refused(sender.send(delivery("d", channel), titled("x"), patience));
      expect(error.kind).toBe(kind);
      expect(error.operator).toBe(/scope|no_permission|ekm|org_login/u.test(code));
      expect(error.revoked).toBe(code === "account_inactive" || code === "token_revoked");
      expect(error.message).not.toMatch(/xoxb|<html/u);
    },
  );

  test("a refused token keeps further messages from asking until it is accepted", async () => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl);
    const calls = (): number => fake.requests.length;
    const { botToken } = fake.state;
    fake.state.botToken = "xoxb-another";
    expect(await refused(sender.send(delivery("d1", fake.channel()), titled("x"), signal))).toMatchObject({
      kind: "refused",
      message: "Slack says invalid_auth",
    });
    const before = calls();
    expect((await refused(sender.send(delivery("d2", fake.channel()), titled("x"), signal))).kind).toBe("refused");
    expect(calls()).toBe(before);
    expect((await refused(sender.checkToken(signal))).kind).toBe("refused");
    fake.state.botToken = botToken;
    await sender.checkToken(signal);
    await sender.send(delivery("d3", fake.channel()), titled("Mended"), signal);
  });

  test.each([
    ["not_in_channel", "Slack says not_in_channel: type `/invite @bellwether` in the channel"],
    ["is_archived", "Slack says is_archived"],
  ])("%s is said with what to do", async (code, words) => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl);
    const channel = fake.channel();
    fake.fail({ method: "chat.postMessage", answer: { error: code } });
    const error = await refused(sender.send(delivery("d", channel), titled("x"), signal));
    expect(error.message).toBe(words);
  });

  test.each<[string, Fault["answer"], SendErrorKind, number | undefined]>([
    ["500", { status: 500 }, "maybe-sent", undefined],
    ["502", { status: 502 }, "maybe-sent", undefined],
    ["503", { status: 503 }, "retry", undefined],
    ["a proxy's 403", { status: 403 }, "retry", undefined],
    ["a 429 without Retry-After", { status: 429 }, "retry", undefined],
    ["a long limit", { status: 429, retryAfter: 90 }, "retry", 90_000],
    ["a page instead of an answer", { status: 200 }, "maybe-sent", undefined],
    ["a line that breaks before", "cut-before", "maybe-sent", undefined],
    ["a line that breaks after", "cut-after", "maybe-sent", undefined],
    ["no answer", "hang-before", "maybe-sent", undefined],
    ["no answer, though it arrived", "hang-after", "maybe-sent", undefined],
  ])("%s: %s", async (name, answer, kind, retryAfterMillis) => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl, patienceWith(answer));
    const channel = fake.channel();
    const patience = AbortSignal.timeout(name.includes("without") ? 500 : 15_000);
    fake.fail({ method: "chat.postMessage", answer });
    const error = await refused(sender.send(delivery("d", channel), titled("x"), patience));
    expect(error.kind).toBe(kind);
    expect(error.retryAfterMillis).toBe(retryAfterMillis);
    fake.release();
  });

  test.each<[string, Fault["answer"], SendErrorKind]>([
    ["cannot be opened for the moment", { error: "internal_error" }, "retry"],
    ["hang", "hang-before", "retry"],
    ["answer with 500", { status: 500 }, "retry"],
    ["are those of somebody who has left", { error: "user_disabled" }, "gone"],
    ["lack a permission", { error: "missing_scope" }, "gone"],
  ])("direct messages that %s: nothing was sent", async (_name, answer, kind) => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl, patienceWith(answer));
    fake.fail({ method: "conversations.open", answer });
    const error = await refused(sender.send(delivery("d", "user:U0123ABCD"), titled("x"), signal));
    expect(error.kind).toBe(kind);
    fake.release();
  });

  test("what is broken off may have been sent; what cannot begin was not", async () => {
    await using fake = await FakeSlack.start();
    const sender = senderOn(fake.apiUrl);
    const channel = fake.channel();
    fake.fail({ method: "chat.postMessage", answer: "cut-after" });
    expect((await refused(sender.send(delivery("d1", channel), titled("x"), signal))).kind).toBe("maybe-sent");
    fake.fail({ method: "chat.postMessage", answer: { status: 503 } });
    expect((await refused(sender.send(delivery("d2", channel), titled("x"), signal))).kind).toBe("retry");
    fake.fail({ method: "chat.postMessage", answer: { status: 500 } });
    expect((await refused(sender.send(delivery("d3", channel), titled("x"), signal))).kind).toBe("maybe-sent");
    const aborted = AbortSignal.abort(new Error("given up"));
    expect((await refused(sender.send(delivery("d4", channel), titled("x"), aborted))).kind).toBe("retry");
    // Where nothing listens any more.
    const ended = await FakeSlack.start();
    const { apiUrl } = ended;
    await ended.stop();
    const nobody = senderOn(apiUrl);
    expect((await refused(nobody.send(delivery("d5", channel), titled("x"), signal))).kind).toBe("retry");
  });
});
