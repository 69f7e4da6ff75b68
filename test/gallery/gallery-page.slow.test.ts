import { expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import { LINES } from "../support/gallery/lines.ts";
import { describePage } from "./describe-page.ts";
import { samples } from "./samples.ts";

describePage("all samples", samples, 5000, ({ drawn, answered }) => {
  test("has an answer of every command, and all lines", () => {
    const missing = commands
      .map(({ name }) => name)
      .filter((name) => ![...answered].some((line) => line === name || line.startsWith(`${name} `)));
    expect(missing).toEqual([]);
    const titles = new Set(drawn.map(({ title }) => title));
    expect(Object.values(LINES).flat()).toSatisfy((lines: string[]) => lines.every((line) => titles.has(line)));
  });

  test("has what a channel is told: a node that dies and comes back, a network that stands still until it is critical", () => {
    const told = drawn.filter(({ group }) => group === "told").map(({ id }) => id);
    expect(told.filter((id) => id.includes("posted")).length).toBeGreaterThanOrEqual(5);
    expect(told.filter((id) => id.includes("edited")).length).toBeGreaterThanOrEqual(3);
  });
});
