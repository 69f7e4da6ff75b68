import { existsSync } from "node:fs";

import { chromium, type Browser, type Page } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The browser that the slow tests drive; undefined where none is installed, and they are skipped. */
export const chromiumPath = PLACES.find((path) => existsSync(path));
if (chromiumPath === undefined) console.log(`No Chromium at ${PLACES.join(", ")}: the browser tests are skipped.`);

/** Starts it without anything that talks to the outside. */
export function launch(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    ...(chromiumPath === undefined ? {} : { executablePath: chromiumPath }),
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...more,
    ],
  });
}

/** A page's complaints: uncaught errors, refused resources, violations of its policy. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return complaints;
}

/** Types a line, sends it, and waits for its answer. */
export async function say(page: Page, line: string): Promise<void> {
  await page.fill("#line", line);
  await page.press("#line", "Escape");
  await page.press("#line", "Enter");
  await answered(page);
}

export async function answered(page: Page): Promise<void> {
  await page.waitForSelector("#log > li:last-child:not([aria-busy]) :is(.reply, .preview)");
}
