import { expect, test } from "vitest";

import { renderText as discord } from "../../src/adapters/discord/render/markdown.ts";
import { renderText as slack } from "../../src/adapters/slack/render/mrkdwn.ts";
import { toSpans } from "../../src/adapters/terminal/render/span.ts";
import { plainOf as web } from "../../src/adapters/web/public/reply/render-text.js";
import type { Episode } from "../../src/alerts/judge/rules/episode.ts";
import { describe } from "../../src/alerts/words/words.ts";
import type { Text } from "../../src/reply/document.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { fromMillis } from "../../src/units/time.ts";
import { anEpisode } from "../alerts/samples.ts";
import { ann, oneNodeDown, OPS } from "../commands/alert-channel.ts";

const ON_DISCORD = { platform: "discord", id: "998877665544332211" };
const ON_SLACK = { platform: "slack", id: "U0123ABCD" };

/** The same text on each surface. */
function everywhere(content: Text): Record<string, string> {
  return {
    discord: discord(content).markdown,
    slack: slack(content, { max: 1000 }).mrkdwn,
    terminal: toSpans(content, { links: false, now: fromMillis(0) })
      .map(({ text }) => text)
      .join(""),
    web: web(content, { now: 0 }),
    plain: plainText(content),
  };
}

const named = { discord: "by ann", slack: "by ann", terminal: "by ann", web: "by ann", plain: "by ann" };

test.each([
  ["on Discord", ON_DISCORD, { ...named, discord: "by <@998877665544332211>" }],
  ["on Slack", ON_SLACK, { ...named, slack: "by <@U0123ABCD>" }],
  ["at the console", { platform: "web", id: "998877665544332211" }, named],
  ["whose id was erased", { platform: "discord", id: "erased" }, named],
  ["whose id was erased", { platform: "slack", id: "erased" }, named],
  ["with the id of another platform", { platform: "slack", id: "998877665544332211" }, named],
])("a person %s is a mention there, and a name elsewhere", (_where, person, shown) => {
  expect(
    everywhere([
      { kind: "text", text: "by " },
      { kind: "person", text: "ann", ...person },
    ]),
  ).toEqual(shown);
});

test("a name that is no mention makes none with the words before it", () => {
  const halves: Text = [
    { kind: "text", text: "@every" },
    { kind: "person", text: "one", platform: "web", id: "1" },
  ];
  expect(discord(halves).markdown).not.toContain("@everyone");
});

/** The line that names who acknowledged. */
function acknowledgedBy({ blocks }: Reply): string[] {
  const paragraphs = blocks.flatMap((block) => (block.kind === "paragraph" ? [block.text] : []));
  return paragraphs.filter((said) => /taken by|took it/u.test(plainText(said))).map((said) => discord(said).markdown);
}

test("the messages of an alert mention who acknowledged it where they are edited, and in no new one", async () => {
  const talk = await oneNodeDown();
  talk.become({ here: OPS, caller: { ...ann, id: ON_DISCORD.id } });
  await talk.ask("alerts ack node.down");
  const [episode] = await talk.engine.openEpisodes();
  const shown = (phase: "state" | "escalation" | "resolve", more: Partial<Episode> = {}): string[] =>
    acknowledgedBy(describe({ type: "condition", phase, episode: { ...episode!, ...more } }));
  const over = { state: "resolved", recovered: episode!.detected, ended: episode!.detected } as const;
  expect(shown("state").join(" ")).toMatch(/taken by <@998877665544332211>/u);
  expect(shown("state", over).join(" ")).toMatch(/taken by <@998877665544332211>/u);
  expect(shown("escalation").join(" ")).toMatch(/taken by ann|ann took it/u);
  expect(shown("resolve", over).join(" ")).toMatch(/taken by ann|ann took it/u);
});

test("an acknowledgement that was stored with a name alone stays a name", () => {
  const episode = anEpisode("network.stalled", { acknowledged: { by: "bob", at: "1700000060000000000" } });
  expect(acknowledgedBy(describe({ type: "condition", phase: "state", episode }))).toEqual([
    expect.stringContaining("taken by bob"),
  ]);
});
