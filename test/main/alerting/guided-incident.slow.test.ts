import { writeFileSync } from "node:fs";
import path from "node:path";

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { createSandbox, type Sandbox, type Running } from "../../support/bellwether.ts";
import { chromiumPath, complaintsOf, launch } from "../../support/browser.ts";
import { freePort } from "../../support/free-port.ts";
import { saying } from "../../support/said.ts";

/** A tenth of the usual times. */
const QUICK = {
  poll: { time: "500ms", checkpoints: "2s", rest: "6s" },
  stalled: { for: "6s", criticalFor: "1h" },
  keep: { rounds: 2, for: "1500ms" },
};

describe.skipIf(chromiumPath === undefined)("the guided incident", () => {
  let browser: Browser;
  let sandbox: Sandbox;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
  });
  beforeEach(() => {
    sandbox = createSandbox();
    writeFileSync(path.join(sandbox.folder, "alerts.json"), JSON.stringify(QUICK));
  });
  afterEach(() => sandbox.cleanUp());

  const start = (more: Record<string, string> = {}): Running =>
    sandbox.run(["start"], { ALERTS_CONFIG: "alerts.json", ...more });
  const stage = (page: Page, wanted: string): Promise<unknown> =>
    page.waitForSelector(`#incident[data-stage="${wanted}"]`, { timeout: 60_000 });
  /** Nothing is wider than the page. */
  const fits = async (page: Page): Promise<void> => {
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  };

  test.each([
    { width: 360, colorScheme: "dark" },
    { width: 1200, colorScheme: "light" },
  ] as const)("is watched from the standstill to the log, over a kill, at $width px, $colorScheme", async (look) => {
    // Of its own: the usual one may be taken by another bot while this one is down.
    const port = { WEB_PORT: String(await freePort()) };
    let running = start(port);
    const [, url = ""] = await running.printed(/^Bellwether runs: (http:\S+)/mu);
    const context = await browser.newContext({
      viewport: { width: look.width, height: 800 },
      colorScheme: look.colorScheme,
      timezoneId: "Europe/Berlin",
    });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(url);
    await page.click("#to-alerts");
    await page.waitForSelector('#watch [data-verdict="healthy"]');
    expect(await page.textContent('[data-part="says"]')).toMatch(/about 7 s.* about 2 s/u);
    await fits(page);

    // Other alerts are announced meanwhile, too.
    await page.evaluate(`
      globalThis.announced = [];
      const announcer = document.querySelector("#announcer");
      new MutationObserver(() => announced.push(announcer.textContent)).observe(announcer, {
        childList: true, characterData: true, subtree: true,
      });
    `);
    // By keyboard alone.
    await page.focus('[data-part="switch"]');
    await page.keyboard.press("Enter");
    // The first second of the standstill may pass unseen on a busy machine.
    await page.locator(".witnesses tbody tr").first().waitFor();
    expect(await page.locator(".witnesses tbody tr").count()).toBe(3);
    await stage(page, "pending");
    expect(await page.textContent(".track [aria-current]")).toBe("Pending");
    expect(await page.textContent('[data-part="clock"]')).toMatch(/\d+ s|next/u);
    expect(await page.evaluate("announced")).toContainEqual(expect.stringMatching(/^Pending\./u));
    await fits(page);

    expect(complaints.splice(0)).toEqual([]);
    await running.kill("SIGKILL");
    await page.locator('[data-part="says"]', { hasText: "Start it again" }).waitFor();
    expect(await page.textContent("#alerts-live")).toContain("Bellwether");
    expect(await page.isDisabled('[data-part="switch"]')).toBe(true);
    expect(await page.locator("#watch.gone li").first().textContent()).toMatch(/^mainnet Not known now.*Seen/u);
    running = start(port);
    await stage(page, "firing");
    // While nobody answered, the browser said so.
    complaints.length = 0;

    await page.waitForSelector(".told .preview-discord");
    await page.waitForSelector(".told .preview-slack");
    for (const platform of ["discord", "slack"]) {
      const shown = (await page.textContent(`.told .preview-${platform}`)) ?? "";
      expect(shown).toContain("SIMULATED");
      expect(shown).toMatch(saying("mainnet"));
      expect(shown).not.toMatch(/Only visible to you|Share/u);
    }
    const card = page.locator("#alerts-open .alert").filter({ hasText: "mainnet makes no block" });
    const settles = card.locator('> [data-does="ack"]');
    expect(await settles.isVisible()).toBe(true);
    await page.emulateMedia({ media: "print" });
    expect(await settles.isVisible()).toBe(false);
    await page.emulateMedia({ media: null });
    await card.locator("> details > summary").click();
    // The button goes once it is pressed; whoever pressed it by keyboard stays with the alert.
    await card.locator("> details").getByRole("button", { name: "Acknowledge" }).first().focus();
    await page.keyboard.press("Enter");
    await card.locator(".log .reply").waitFor();
    await card.locator("summary", { hasText: "takes it" }).waitFor();
    await card.locator("summary:focus").waitFor();
    await fits(page);

    await page.getByRole("button", { name: "Recover the network" }).click();
    await stage(page, "recovering");
    await card.locator("> details > summary").focus();
    await stage(page, "resolved");
    await page.waitForSelector('[data-part="story"] .reply table', { state: "attached" });
    // It has moved, and took whoever was there along.
    await page.locator("#alerts-earlier .alert :focus").waitFor();
    const story = (await page.textContent('[data-part="story"]')) ?? "";
    for (const word of ["fired", "acknowledged", "resolved", "console"]) expect(story).toContain(word);
    // One message on each platform, as it stands.
    expect(await page.locator(".told h3:not(figure h3)").allTextContents()).toEqual(["The end of it"]);
    expect(await page.locator(".told figure").count()).toBe(2);
    await page.locator("#alerts-earlier .alert", { hasText: "mainnet made no block" }).waitFor();
    await fits(page);
    expect(complaints).toEqual([]);

    // Who opens the page afterwards is shown what there was.
    await page.reload();
    await page.locator("#alerts-earlier .alert", { hasText: "mainnet made no block" }).waitFor();
    expect(await page.getAttribute("#incident", "data-stage")).toBe("calm");
    await page.focus("#to-alerts");
    await page.keyboard.press("/");
    await page.waitForSelector("#view-ask:not([hidden])", { state: "attached" });
    expect(await page.evaluate("document.activeElement.id")).toBe("line");
    await context.close();
    expect(await running.kill("SIGTERM")).toMatchObject({ code: 0 });
  });
});
