import { expect, test } from "vitest";

import { commands } from "../../../commands/index.ts";
import { terminalPlatform } from "../../../src/adapters/terminal/platform.ts";
import { consolePlatform } from "../../../src/adapters/web/platform.ts";
import { createPlatforms } from "../../../src/alerts/destination.ts";
import { describe } from "../../../src/alerts/words/words.ts";
import { withCommonOptions } from "../../../src/bot/command.ts";
import type { Target } from "../../../src/bot/invocation.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { down } from "../../alerts/readings.ts";
import { deliver, see, shown } from "../../commands/alert-channel.ts";
import { talkToSimulator } from "../../commands/conversation.ts";
import { FakeSender } from "../../support/fake-sender.ts";
import { stub } from "../../support/made-up/platform.ts";

const platforms = createPlatforms([stub, consolePlatform, terminalPlatform]);

const files = { maxBytes: 1e6, maxCount: 5 };
const DEN: Target = { platform: "stub", workspace: "y1", channel: "!den", files };
const DIRECT: Target = { platform: "stub", workspace: "y1", channel: "@ann", files };
const TERMINAL: Target = { platform: "terminal", files };
const ann = { id: "ann", name: "ann", mayManageChannel: true };
const bob = { id: "bob", name: "bob", mayManageChannel: false };

/** Where a line is typed, by whom, and what the answer says. */
const LINES: [here: Target, caller: typeof ann, line: string, says: string][] = [
  [DEN, ann, "alerts add node.down mention:%night style:plain", "this channel"],
  [DEN, ann, "alerts add checkpoint.new mention:night", "Give the crew's name, as in %night."],
  [DEN, ann, "alerts list", "this channel"],
  [DEN, bob, "alerts add checkpoint.new", "yard administrator"],
  [DIRECT, bob, "alerts add checkpoint.new", "your direct messages"],
  [DEN, ann, "alerts add checkpoint.new to:!den", "subscribe this channel"],
  [DEN, ann, "answers set everyone", "this yard"],
  [TERMINAL, ann, "answers show", "a yard on Stub Chat"],
  [TERMINAL, ann, "alerts add checkpoint.new to:stub:!lair", "channel !lair on Stub Chat"],
  [TERMINAL, ann, "alerts add checkpoint.new to:stub:@bob", "direct messages of @bob on Stub Chat"],
  [TERMINAL, ann, "alerts add checkpoint.new to:chat:1", "stub:<channel id>"],
  [TERMINAL, ann, "alerts add node.down mention:%night", "Stub Chat"],
  [TERMINAL, ann, "alerts list", "channel !lair on Stub Chat"],
  [TERMINAL, ann, "help alerts add", "stub:<channel id>"],
  [TERMINAL, ann, "help alerts edit", "a crew (%night)"],
];

test("a new platform is called by its own words, in its own syntax", async () => {
  const talk = await talkToSimulator({ platforms });
  const said: string[] = [];
  for (const [here, caller, line, says] of LINES) {
    talk.become({ here, caller });
    const answer = shown(await talk.askFor(line));
    expect.soft(answer, line).toContain(says);
    said.push(answer);
  }
  await see(talk, 4, [down("bad")]);
  const sender = new FakeSender({ platform: "stub", now: () => Number(talk.now()) });
  await deliver(talk, sender);
  expect(new Set(sender.posts.map(({ channel }) => channel))).toEqual(
    new Set(["!den", "!lair", "user:bob", "user:@bob"]),
  );
  expect((await talk.engine.subscriptions()).flatMap(({ mention }) => mention ?? [])).toEqual(["%night"]);
  const at = "1700000000000000000";
  const refused = { what: "refused", waiting: 0, until: at } as const;
  const token = describe({ type: "token", platform: "stub", why: "no", since: at, at, change: refused }, {}, platforms);
  said.push(shown(token), ...sender.posts.map(({ reply }) => shown(reply)));
  expect(plainText(token.title)).toContain("Stub Chat");
  expect(said.join("\n")).not.toMatch(/discord|slack/iu);
});

test("descriptions of options stay short enough for a menu, however many platforms there are", () => {
  const many = [1, 2, 3, 4].map((number) => ({ ...stub, id: `stub${number}` }));
  const all = createPlatforms([...many, consolePlatform]);
  const options = commands.flatMap((command) => Object.values(withCommonOptions(command, all).options));
  expect(options.filter(({ description }) => description.length > 100)).toEqual([]);
});
