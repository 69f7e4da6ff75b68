import { expect, test } from "vitest";

import { withPicture } from "../../src/bot/setup.ts";
import type { Draw } from "../../src/chart/png.ts";
import { memoryAttachment, reply, type Reply } from "../../src/reply/reply.ts";
import { paragraph } from "../../src/reply/block.ts";
import { fullText } from "../../src/reply/full-text.ts";
import { SCENES } from "../chart/scenes.ts";
import { PLATFORMS } from "../support/platforms.ts";

const CHART = { kind: "chart", scene: SCENES["halt"]!, alt: "A halt of 14 min." } as const;
const ANSWER = reply({ title: "A halt", blocks: [CHART, paragraph("More.")] });

/** The answer on a platform, and how many pictures were drawn. */
async function answerOn(
  platform: string,
  draw: Draw | undefined,
): Promise<{ readonly answer: Reply; readonly drawn: number }> {
  let drawn = 0;
  const counted: Draw | undefined = draw && ((scene, alt) => ((drawn += 1), draw(scene, alt)));
  const answer = await withPicture(ANSWER, { platform }, { draw: counted, platforms: PLATFORMS });
  return { answer, drawn };
}

const draw: Draw = async (_, alt) => memoryAttachment("chart.png", "image/png", "PNG", { alt });
const fails: Draw = async () => ({ failed: "too many others wait for theirs" });
const chats = PLATFORMS.chats.map(({ id }) => id);

test.each(chats)("%s gets a picture with its alt text in place of the chart", async (platform) => {
  const { answer } = await answerOn(platform, draw);
  expect(answer.picture).toMatchObject({ name: "chart.png", alt: "A halt of 14 min." });
  expect(answer.blocks).toEqual([paragraph("More.")]);
});

test.each(chats)("%s gets the words where there is no picture, and why", async (platform) => {
  const { answer } = await answerOn(platform, fails);
  expect(answer.picture).toBeUndefined();
  expect(fullText(answer)).toMatch(/A halt of 14 min\. There is no picture: too many others wait/u);
});

test.each(["terminal", "console"])("%s draws by itself", async (platform) => {
  expect(await answerOn(platform, draw)).toEqual({ answer: ANSWER, drawn: 0 });
});
