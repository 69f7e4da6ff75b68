import { mkdirSync } from "node:fs";
import path from "node:path";

import { launch } from "../support/browser.ts";
import type { DrawnSample } from "./draw.ts";
import { galleryPage } from "./page.ts";

/** The themes of a picture. */
const THEMES = ["light", "dark"] as const;

/** Takes a picture of each sample on each surface and screen, in both themes: `FOLDER/<sample>/slack-phone-dark.png`. */
export async function takePictures(samples: readonly DrawnSample[], folder: string): Promise<number> {
  const browser = await launch();
  let count = 0;
  try {
    for (const theme of THEMES) {
      const page = await browser.newPage({
        viewport: { width: 1280, height: 900 },
        deviceScaleFactor: 2,
        colorScheme: theme,
      });
      for (const sample of samples) {
        const into = path.join(folder, sample.id);
        mkdirSync(into, { recursive: true });
        await page.setContent(galleryPage([sample]));
        for (const { surface, screen } of sample.drawings) {
          const file = path.join(into, `${surface}-${screen}-${theme}.png`);
          await page.locator(`.${surface}-screen.${screen}-screen .screen`).screenshot({ path: file });
          count += 1;
        }
      }
      await page.close();
    }
  } finally {
    await browser.close();
  }
  return count;
}

/** The samples that the README and docs/ show, each on four phones beside each other, by the name of its picture. */
export const BEST: Readonly<Record<string, { readonly sample: string; readonly theme: (typeof THEMES)[number] }>> = {
  "order-stopped": { sample: "orders-order-stopped", theme: "light" },
  "alert-stalled": { sample: "told-12-03-00-posted", theme: "dark" },
};

/** Takes the pictures of the README and of docs/, in `FOLDER/<name>.png`. @throws RangeError for a sample that is gone. */
export async function takeBest(samples: readonly DrawnSample[], folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const browser = await launch();
  try {
    for (const [name, { sample: id, theme }] of Object.entries(BEST)) {
      const sample = samples.find((one) => one.id === id);
      if (sample === undefined) throw new RangeError(`no sample ${id}`);
      const page = await browser.newPage({ viewport: { width: 1520, height: 900 }, colorScheme: theme });
      await page.setContent(galleryPage([sample]));
      // Four phones side by side take the place of the index, too.
      await page.evaluate("document.body.classList.add('beside')");
      await page
        .locator(".screens")
        .first()
        .screenshot({ path: path.join(folder, `${name}.png`) });
      await page.close();
    }
  } finally {
    await browser.close();
  }
  return Object.keys(BEST).length;
}
