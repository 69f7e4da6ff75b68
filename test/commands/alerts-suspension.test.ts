import { describe, expect, test } from "vitest";

import { SendError } from "../../src/alerts/sender.ts";
import { FakeSender } from "../support/fake-sender.ts";
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
    expect(status).toMatch(/Discord refuses the bot's token since .*: Discord says 401: Unauthorized\./u);
    expect(status).toMatch(/What is owed there waits until .*DISCORD_TOKEN.*npm run doctor/u);
    expect(status).not.toContain("Places that were lost");
    expect(await ask("alerts log token")).toContain("discord: Discord says 401: Unauthorized");
    expect(await ask("alerts list")).toContain("active");
    expect(await ask("alerts add node.lagging to:discord:2222222222222222222")).toContain(
      "Discord refuses the bot's token at the moment: nothing arrives there until it accepts one.",
    );
  });

  test("of a removed bot has ended its subscriptions, each with the reason", async () => {
    const ask = await suspended(new SendError("refused", "Slack says account_inactive", { revoked: true }));
    const status = await ask("alerts status");
    expect(status).toMatch(/Its subscriptions \(1\) have ended; they come back once a token is accepted/u);
    expect(status).not.toContain("Places that were lost");
    expect(await ask("alerts list ended:yes")).toMatch(
      /retired: the bot was removed \(Slack says account_inactive\); .*comes back once a token is accepted/u,
    );
    const log = await ask("alerts log");
    expect(log).toMatch(/platform lost .*subscriptions ended: 1; messages given up: 2/u);
    expect(log).toContain("destination lost");
    expect(log).toMatch(/given up|dead/u);
  });
});
