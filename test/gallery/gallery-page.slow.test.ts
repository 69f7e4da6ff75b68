import { describe, expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import { LINES } from "../support/gallery/lines.ts";
import { chromiumPath, launch } from "../support/browser.ts";
import { describePage } from "./describe-page.ts";
import type { DrawnSample } from "./draw.ts";
import { galleryPage } from "./page.ts";
import { samples } from "./samples.ts";
import { drawnForms } from "./views.ts";

describePage("all samples", samples, 5000, ({ drawn, answered }) => {
  test("has an answer of every command, and all lines", () => {
    const missing = commands
      .map(({ name }) => name)
      .filter((name) => ![...answered].some((line) => line === name || line.startsWith(`${name} `)));
    expect(missing).toEqual([]);
    const titles = new Set(drawn.map(({ title }) => title));
    expect(Object.values(LINES).flat()).toSatisfy((lines: string[]) => lines.every((line) => titles.has(line)));
  });

  describe.skipIf(chromiumPath === undefined)("on a phone", () => {
    /** The height of each sample on each surface, in CSS pixels. */
    async function heightsOf(shown: readonly DrawnSample[]): Promise<readonly [string, number][]> {
      const browser = await launch();
      try {
        const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
        await page.setContent(galleryPage(shown));
        return await page.evaluate<[string, number][]>(`[...document.querySelectorAll(".phone-screen")].map(
          (figure) => [
            figure.closest(".sample").id + " " + figure.className,
            figure.querySelector(".screen").getBoundingClientRect().height,
          ])`);
      } finally {
        await browser.close();
      }
    }

    test("is short: nine of ten below 420 px, none above 700", async () => {
      const heights = await heightsOf(drawn.filter(({ group, id }) => group !== "views" || id.startsWith("home-")));
      expect(heights.filter(([, height]) => height > 700)).toEqual([]);
      const sorted = heights.map(([, height]) => height).toSorted((a, b) => a - b);
      expect(sorted[Math.ceil(sorted.length * 0.9) - 1]).toBeLessThan(420);
    });

    // A form scrolls while its buttons stay in sight: an opened heading may add a screen.
    test("every form begins on one screen, also one of what is chosen or there, and a heading adds one", async () => {
      const { begun, opened } = drawnForms();
      const chosen = drawn.filter(({ id }) => /^form-(?!.*-(?:when|all)$)/u.test(id));
      expect((await heightsOf([...begun, ...chosen])).filter(([, height]) => height > 700)).toEqual([]);
      expect((await heightsOf(opened)).filter(([, height]) => height > 1400)).toEqual([]);
    });
  });

  test("has what a channel is told: a node that dies and comes back, a network that stands still until it is critical", () => {
    const told = drawn.filter(({ group }) => group === "told").map(({ id }) => id);
    expect(told.filter((id) => id.includes("posted")).length).toBeGreaterThanOrEqual(5);
    expect(told.filter((id) => id.includes("edited")).length).toBeGreaterThanOrEqual(3);
  });
});
