import { expect, test } from "vitest";

import { renderDiscord } from "../../../../src/adapters/discord/render/render.ts";
import { paragraph } from "../../../../src/reply/block.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { id } from "../../../../src/reply/text.ts";
import { refusals } from "../judge.ts";

const context = { asker: "123456789012345678", ask: { command: "market list", options: {} }, shareable: true };

// A message takes 25 buttons, of which up to three are not the reply's own.
test.each(Array.from({ length: 12 }, (_, index) => index + 18))(
  "of %i actions each is a button or stands in words, whatever buttons come beside them",
  (count) => {
    const labels = Array.from({ length: count }, (_, index) => `Do ${index}.`);
    const message = renderDiscord(
      reply({
        title: "Many",
        blocks: [paragraph(id("ab".repeat(32)))],
        actions: labels.map((label) => ({ label, invocation: { command: "time", options: {} }, effect: "reply" })),
      }),
      context,
    );
    const buttons = message.components.flatMap((row) => row.components);
    const said = [
      ...buttons.map((button) => ("label" in button ? (button.label ?? "") : "")),
      ...(message.embeds[0]?.description ?? "").split("\n"),
    ];
    expect(labels.filter((label) => !said.some((one) => one.includes(label)))).toEqual([]);
    expect(said).toEqual(expect.arrayContaining(["Refresh", "Full id", "Share"]));
    expect(refusals(message)).toEqual([]);
  },
);
