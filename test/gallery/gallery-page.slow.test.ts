import { expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import { LINES } from "../support/gallery/lines.ts";
import { chromiumPath, launch } from "../support/browser.ts";
import { describePage } from "./describe-page.ts";
import { galleryPage } from "./page.ts";
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

  test.skipIf(chromiumPath === undefined)("is short on a phone: nine of ten below 420 px, none above 700", async () => {
    const browser = await launch();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      await page.setContent(galleryPage(drawn.filter(({ group, id }) => group !== "views" || id.startsWith("home-"))));
      const heights = await page.evaluate<[string, number][]>(`[...document.querySelectorAll(".phone-screen")].map(
        (figure) => [
          figure.closest(".sample").id + " " + figure.className,
          figure.querySelector(".screen").getBoundingClientRect().height,
        ])`);
      expect(heights.filter(([, height]) => height > 700)).toEqual([]);
      const sorted = heights.map(([, height]) => height).toSorted((a, b) => a - b);
      expect(sorted[Math.ceil(sorted.length * 0.9) - 1]).toBeLessThan(420);
    } finally {
      await browser.close();
    }
  });

  test("has what a channel is told: a node that dies and comes back, a network that stands still until it is critical", () => {
    const told = drawn.filter(({ group }) => group === "told").map(({ id }) => id);
    expect(told.filter((id) => id.includes("posted")).length).toBeGreaterThanOrEqual(5);
    expect(told.filter((id) => id.includes("edited")).length).toBeGreaterThanOrEqual(3);
  });
});
