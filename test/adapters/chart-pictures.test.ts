import { describe, expect, test } from "vitest";

import { command } from "../../src/bot/command.ts";
import type { Draw } from "../../src/chart/png.ts";
import { memoryAttachment, reply } from "../../src/reply/reply.ts";
import { details, table } from "../../src/reply/block.ts";
import { SCENES } from "../chart/scenes.ts";
import { textOf } from "../support/fake-discord/person.ts";
import { chartPicture } from "../support/gallery/parts.ts";
import { stage as discordStage } from "./discord/stage.ts";
import { said } from "./slack/shown.ts";
import { stage as slackStage } from "./slack/stage.ts";

const ALT = "mainnet stood still for 14 min. api1 stood still for 14 min from 2026-05-01 22:00.";

/** An answer with a picture, and a button that draws it anew in its place. */
const pictured = command({
  name: "probe",
  summary: "A picture",
  audience: "channel",
  run: async () =>
    reply({
      title: "A halt",
      blocks: [
        { kind: "chart", scene: SCENES["halt"]!, alt: ALT },
        ...details([table({ name: "numbers", rows: [1, 2], columns: [["Number", (one: number) => one]] })]),
      ],
      actions: [{ label: "7d", invocation: { command: "probe", options: {} }, effect: "replace" }],
    }),
});

/** Draws, and then no more. */
function drawing(times: number): Draw {
  let drawn = 0;
  return async ({ simulated }, alt) => {
    expect(simulated).toBe(true);
    drawn += 1;
    return drawn > times
      ? { failed: "too many others wait for theirs" }
      : memoryAttachment("SIMULATED-chart.png", "image/png", chartPicture(), { alt });
  };
}

describe("a chart in a chat", () => {
  test("on Discord is one picture with its words, also after it was drawn anew in its place; without one, words alone", async () => {
    await using scene = await discordStage({ extra: [pictured], draw: drawing(6) });
    const ann = scene.fake.person("Ann");
    let shown = await ann.run(scene.channel, "probe");
    for (let count = 0; count < 6; count += 1) {
      const { files, components } = shown.last;
      expect(files.map(({ name, description }) => [name, description])).toEqual([
        ["SIMULATED-chart.png", expect.stringContaining(ALT)],
      ]);
      expect(JSON.stringify(components).match(/attachment:\/\/|cdn/gu)).toHaveLength(1);
      if (count < 5) shown = await ann.press(shown.last, "7d");
    }
    expect(textOf(shown.last)).not.toContain(ALT);
    shown = await ann.press(shown.last, "7d");
    expect([shown.last.files, textOf(shown.last)]).toEqual([
      [],
      expect.stringMatching(/stood still[\s\S]*no picture: too many/u),
    ]);
    expect(scene.fake.complaints()).toEqual([]);
  });

  test("on Slack is one picture with its words; without one, words alone", async () => {
    await using scene = await slackStage({ extra: [pictured], draw: drawing(1) });
    const ann = scene.fake.person("ann");
    await ann.run(scene.channel, "probe");
    // Slack has no file for one person alone: it comes by direct message.
    const files = ann.directMessages().flatMap((one) => one.files);
    expect(files.map(({ name, alt }) => [name, alt])).toEqual([["SIMULATED-chart.png", expect.stringContaining(ALT)]]);
    const again = await ann.run(scene.channel, "probe");
    expect(said(again.last)).toMatch(/stood still[\s\S]*no picture: too many/u);
    expect(scene.fake.complaints()).toEqual([]);
  });
});
