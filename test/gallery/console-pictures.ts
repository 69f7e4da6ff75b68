import { mkdirSync } from "node:fs";
import path from "node:path";

import { createSandbox } from "../support/bellwether.ts";
import { launch, say } from "../support/browser.ts";
import { freePort } from "../support/free-port.ts";

/** Longer than a stall lasts until it fires, and than the busiest machine takes to start. */
const PATIENCE_MILLIS = 120_000;

/**
 * Takes the pictures of the console that the README shows, in `FOLDER/console.png` and `FOLDER/incident.png`: the real
 * one, on the embedded simulator, after a question and in the guided incident. Takes a minute.
 */
export async function takeConsole(folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const sandbox = createSandbox();
  const browser = await launch();
  try {
    const running = sandbox.run(["start"], { WEB_PORT: String(await freePort()) });
    const [, url = ""] = await running.printed(/^Bellwether runs: (http:\S+)/mu);
    const page = await browser.newPage({ viewport: { width: 1120, height: 790 }, deviceScaleFactor: 2 });
    page.setDefaultTimeout(PATIENCE_MILLIS);
    const take = (name: string): Promise<unknown> => page.screenshot({ path: path.join(folder, `${name}.png`) });

    await page.goto(url);
    await page.waitForSelector('#watch [data-verdict="healthy"]');
    await page.locator("#watch > li", { hasText: "blocks/s" }).nth(1).waitFor();
    await say(page, "what is the spread of BTC?");
    await page.evaluate("scrollTo(0, 0)");
    await take("console");

    await page.click("#to-alerts");
    await page.click('[data-part="switch"]');
    await page.waitForSelector('#incident[data-stage="firing"]');
    await page.waitForSelector(".told .preview-slack", { state: "attached" });
    await page.evaluate("document.querySelector('#incident').scrollIntoView()");
    await take("incident");
    return 2;
  } finally {
    await browser.close();
    await sandbox.cleanUp();
  }
}
