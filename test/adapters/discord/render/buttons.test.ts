import type { ComponentType } from "discord-api-types/v10";
import { expect, test } from "vitest";

import { renderDiscord } from "../../../../src/adapters/discord/render/render.ts";
import { paragraph } from "../../../../src/reply/block.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { id } from "../../../../src/reply/text.ts";
import { componentsIn, refusals, textsIn } from "../judge.ts";

const context = {
  keeps: true,
  asker: "123456789012345678",
  ask: { command: "market list", options: {} },
  shareable: true,
} as const;

// A message takes 40 components, of which up to three are buttons that are not the reply's own.
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
      "whole",
    );
    const parts = componentsIn(message.components) as { type: ComponentType; label?: string }[];
    const said = [
      ...parts.flatMap(({ label }) => label ?? []),
      ...textsIn(message.components).flatMap((text) => text.split("\n")),
    ];
    expect(labels.filter((label) => !said.some((one) => one.includes(label)))).toEqual([]);
    expect(said).toEqual(expect.arrayContaining(["Refresh", "Less", "Share"]));
    expect(refusals({ ...message, files: [] })).toEqual([]);
  },
);
