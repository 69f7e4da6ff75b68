import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Preview } from "../../src/adapters/adapter.ts";
import type { VNode } from "../../src/adapters/web/public/vnode/vnode.js";
import type { Reply } from "../../src/reply/reply.ts";
import { chromiumPath, launch } from "./browser.ts";
import { gallery } from "./gallery.ts";
import { html } from "./html.ts";

/** A phone held upright. */
const PHONE_WIDTH = 360;
const PUBLIC = path.resolve(import.meta.dirname, "../../src/adapters/web/public");

/**
 * The gallery in a platform's preview on a phone: each entry fits the screen. The pictures are in out/.
 */
export function pictures(preview: Preview, draw: (payload: unknown, now: number) => VNode): void {
  const { platform } = preview;
  const folder = path.resolve(import.meta.dirname, "../../out", platform);
  const css = ["base.css", "preview/preview.css", `../../${platform}/page/page.css`]
    .map((name) => readFileSync(path.join(PUBLIC, name), "utf8"))
    .join("\n");

  describe.skipIf(chromiumPath === undefined)(`${platform} at ${PHONE_WIDTH} px`, () => {
    let browser: Browser;
    beforeAll(async () => {
      mkdirSync(folder, { recursive: true });
      browser = await launch();
    });
    afterAll(() => browser.close());

    const entries = gallery.map(({ name, reply }): [string, Reply] => [name, reply]);
    test.each(entries)("%s stands within the screen", async (name, reply) => {
      const page = await browser.newPage({ viewport: { width: PHONE_WIDTH, height: 640 }, deviceScaleFactor: 2 });
      const payload: unknown = JSON.parse(
        JSON.stringify(preview.render(reply, { visibility: "caller", isDefault: true })),
      );
      const tree = html(draw(payload, Date.now()));
      await page.setContent(`<style>${css}</style><div class="preview preview-${platform}">${tree}</div>`);
      await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(PHONE_WIDTH);
      const wide = await page.evaluate(
        "[...document.querySelectorAll('pre')].filter((one) => one.scrollWidth > one.clientWidth).length",
      );
      expect(wide).toBe(0);
      await page.close();
    });
  });
}
