import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { slackPreview } from "../../../src/adapters/slack/preview.ts";
import { draw } from "../../../src/adapters/web/public/preview-slack.js";
import type { VNode } from "../../../src/adapters/web/public/vnode.js";
import { gallery } from "../../support/gallery.ts";
import { chromiumPath, launch } from "../../support/browser.ts";

// The gallery as a phone held upright shows it; the pictures lie in out/slack to be looked at.

const PHONE_WIDTH = 360;
const FOLDER = path.resolve(import.meta.dirname, "../../../out/slack");
const css = ["base.css", "preview.css", "preview-slack.css"]
  .map((name) => readFileSync(path.resolve(import.meta.dirname, "../../../src/adapters/web/public", name), "utf8"))
  .join("\n");

describe.skipIf(chromiumPath === undefined)("at 360 px", () => {
  let browser: Browser;
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true });
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.each(gallery.map((entry) => [entry.name, entry.reply] as const))(
    "%s stands within the screen",
    async (name, reply) => {
      const page = await browser.newPage({ viewport: { width: PHONE_WIDTH, height: 640 }, deviceScaleFactor: 2 });
      const tree = draw(
        JSON.parse(JSON.stringify(slackPreview.render(reply, { visibility: "caller", isDefault: true }))),
        Date.now(),
      );
      await page.setContent(`<style>${css}</style><div class="preview preview-slack">${html(tree)}</div>`);
      await page.screenshot({ path: path.join(FOLDER, `${name}.png`), fullPage: true });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(PHONE_WIDTH);
      await page.close();
    },
  );
});

function html(node: VNode): string {
  const escape = (text: string): string =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  if (typeof node === "string") return escape(node);
  const attrs = Object.entries(node.attrs).map(([name, value]) => ` ${name}="${escape(value)}"`);
  return `<${node.tag}${attrs.join("")}>${node.children.map(html).join("")}</${node.tag}>`;
}
