import { describe, expect, test } from "vitest";

import { SendError } from "../../src/alerts/sender.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { saying } from "../support/said.ts";
import { CONSOLE_PAGE, deliver, oneNodeDown } from "./alert-channel.ts";

// Replies about a suspended platform: one that refuses the bot's own token.

async function suspended(error: SendError) {
  const talk = await oneNodeDown();
  const discord = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
  discord.outcome = () => error;
  const checkToken = async (): Promise<void> => {
    throw error;
  };
  await deliver(talk, Object.assign(discord, { checkToken }));
  talk.become({ here: CONSOLE_PAGE });
  // Wherever the terminal breaks its lines.
  return async (line: string): Promise<string> => (await talk.ask(line)).replaceAll(/\s+/gu, " ");
}

describe("a suspended platform", () => {
  test("is in the status, with what to do, and in the log; nothing is lost", async () => {
    const ask = await suspended(new SendError("refused", "Discord says 401: Unauthorized"));
    const status = await ask("alerts status");
    expect(status).toMatch(saying("!", "Discord", "Discord", 401, "Unauthorized"));
    expect(status).toMatch(saying("!", "DISCORD_TOKEN"));
    expect(await ask("alerts log token")).toContain("discord: Discord says 401: Unauthorized");
    expect(await ask("alerts list")).toContain("active");
    expect(await ask("alerts add node.lagging to:discord:2222222222222222222")).toMatch(saying("✓", "Discord"));
  });

  test("of a removed bot has ended its subscriptions, each with the reason", async () => {
    const ask = await suspended(new SendError("refused", "Slack says account_inactive", { revoked: true }));
    const status = await ask("alerts status");
    expect(status).toMatch(saying("!", "Slack", "account_inactive"));
    expect(await ask("alerts list ended:yes")).toMatch(saying("•", "Slack", "account_inactive"));
    const log = await ask("alerts log");
    expect(log).toMatch(saying("•", 1, 2));
    expect(log).toContain("destination lost");
    expect(log).toMatch(/given up|dead/u);
  });
});
