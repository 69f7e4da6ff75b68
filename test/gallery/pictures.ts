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
