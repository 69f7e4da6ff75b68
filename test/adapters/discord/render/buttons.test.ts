import type { ComponentType } from "discord-api-types/v10";
import { expect, test } from "vitest";

import { renderEmbed } from "../../../../src/adapters/discord/render/embed.ts";
import { renderDiscord } from "../../../../src/adapters/discord/render/render.ts";
import { paragraph } from "../../../../src/reply/block.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { id, text } from "../../../../src/reply/text.ts";
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

test.each([
  ["an alert whose Details tell it", "alerts why", []],
  ["an alert without Details", "alerts log", ["Full id"]],
])("a shortened id has a button of its own on %s: %s", (_what, command, more) => {
  const actions = [{ label: "Details", invocation: { command, options: {} }, effect: "reply" as const }];
  const said = reply({ title: "Told", blocks: [paragraph(text`Of ${id("ab".repeat(32))}`)], actions });
  const { components } = renderEmbed(said);
  expect(components.flatMap((row) => row.components.map((one) => "label" in one && one.label))).toEqual([
    "Details",
    ...more,
  ]);
});
