import { describe, expect, test } from "vitest";

import { discordPlatform } from "../../src/adapters/discord/platform.ts";
import { CONSOLE_PAGE, idIn, OPS, talkInOps } from "../commands/alert-channel.ts";
import { saying } from "../support/said.ts";
import { slackPlatform } from "../../src/adapters/slack/platform.ts";

const SERVER = "112233445566778899";
const ROLE = "998877665544332211";

test("the everyone role of a server is refused where it is typed, and in an edit", async () => {
  const talk = await talkInOps();
  talk.become({ here: { ...OPS, workspace: SERVER } });
  expect(await talk.ask(`alerts add node.down mention:<@&${SERVER}>`)).toMatch(saying("!", SERVER));
  expect(await talk.engine.subscriptions()).toEqual([]);
  expect(await talk.ask(`alerts add node.down mention:<@&${ROLE}>`)).toMatch(saying("✓", "node outages", ROLE));
  const id = idIn(talk.lastReply);
  expect(await talk.ask(`alerts edit ${id} mention:${SERVER}`)).toMatch(saying("!", SERVER));
  talk.become({ here: CONSOLE_PAGE });
  expect(await talk.ask(`alerts edit ${id} mention:${SERVER}`)).toMatch(saying("!", SERVER));
});

describe("whom an alert notifies", () => {
  test.each([
    ["a role", `<@&${ROLE}>`, ROLE],
    ["a role by its id", ROLE, ROLE],
    ["a person", `<@${ROLE}>`, `user:${ROLE}`],
    ["everyone, as Discord writes the role", `<@&${SERVER}>`, undefined],
    ["everyone, by the role's id", SERVER, undefined],
    ["everyone", "@everyone", undefined],
    ["everyone who is there", "@here", undefined],
  ])("on Discord: %s", (_name, typed, id) => {
    expect(discordPlatform.parseMention(typed, SERVER)).toBe(id);
  });

  test.each([
    ["a group", "<!subteam^S0123ABCD|@oncall>", "S0123ABCD"],
    ["a person", "<@U0123ABCD>", "user:U0123ABCD"],
    ["everyone", "<!everyone>", undefined],
    ["everyone in the channel", "<!channel>", undefined],
    ["everyone who is there", "<!here|here>", undefined],
    ["everyone, as it is typed", "@channel", undefined],
  ])("on Slack: %s", (_name, typed, id) => {
    expect(slackPlatform.parseMention(typed, "T01")).toBe(id);
  });
});
