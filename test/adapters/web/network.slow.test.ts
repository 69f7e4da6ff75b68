import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import type { WatchState } from "../../../src/adapters/web/alerts/watch.ts";
import type { LooksQuestion } from "../../../src/adapters/web/looks.ts";
import { reply } from "../../../src/reply/reply.ts";
import { fromMillis } from "../../../src/units/time.ts";
import { chromiumPath, complaintsOf, launch } from "../../support/browser.ts";
import { HOUR } from "../../support/kept-looks.ts";
import { fakeBot, startConsole } from "./harness.ts";
import { NOTHING_KEPT, pastUntilNow, someLook } from "./past-looks.ts";

describe.skipIf(chromiumPath === undefined)("the page of a network", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => browser?.close());

  async function open(hash = "#network", first?: number) {
    const asked: LooksQuestion[] = [];
    let seen: [at: number, state?: "healthy" | "stalled"] = [Date.now() - HOUR];
    const bot = fakeBot(async (question) => {
      const line = "line" in question ? question.line : question.command;
      // Only the count of what nobody typed over is awaited.
      if (line.includes("20s")) await new Promise((_, reject) => question.signal.addEventListener("abort", reject));
      return reply({ title: line.startsWith("alerts try") ? `Counted: ${line}` : "What happened" });
    });
    const harness = await startConsole(bot, {
      alerts: { feed: NO_ALERTS, onChange: () => () => undefined },
      watch: async () => watchState(...seen),
      looks: {
        past: async (question) => {
          asked.push(question);
          return question.network === "testnet" ? NOTHING_KEPT : { ...pastUntilNow(), ...(first && { first }) };
        },
        at: async ({ at }) => someLook(Number(at)),
      },
    });
    onTestFinished(() => harness.adapter.stop());
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: "Europe/Berlin" });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${harness.url}/${hash}`);
    return { page, bot, asked, complaints, see: (...now: typeof seen) => void (seen = now) };
  }

  const focused = (page: Page): Promise<string> =>
    page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.id");
  const drawn = (page: Page): Promise<unknown> => page.waitForSelector("#network-picture svg");

  test("keys alone reach all of it, move and zoom; the address keeps the place, and Back leads to the one before", async () => {
    const { page, asked, complaints } = await open();
    await drawn(page);
    await page.focus("#to-network");
    const reached: string[] = [];
    for (let times = 0; times < 40 && !reached.includes("network-subscribe"); times += 1) {
      await page.keyboard.press("Tab");
      reached.push(await focused(page));
    }
    const parts = ["mainnet", "1 h", "All", "Earlier", "Zoom out", "Picture of the network", "network-look"];
    expect(reached).toEqual(expect.arrayContaining([...parts, "network-after", "network-subscribe"]));

    await page.getByRole("button", { name: "7 d" }).press("Enter");
    await expect.poll(() => asked.at(-1)).toEqual({ last: "7d" });
    expect(page.url()).toMatch(/#network\?last=7d$/u);
    expect(await page.getByRole("button", { name: "7 d" }).getAttribute("aria-pressed")).toBe("true");
    await page.waitForTimeout(1600);
    await page.focus("#network-picture");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => asked.at(-1)?.last).toBe("84h");
    expect(asked.at(-1)?.until).toMatch(/Z$/u);
    await page.goBack();
    await expect.poll(() => page.url()).toMatch(/#network\?last=7d$/u);
    await expect.poll(() => asked.at(-1)).toEqual({ last: "7d" });
    await page.goBack();
    await expect.poll(() => asked.at(-1)).toEqual({ last: "1h" });
    expect(complaints).toEqual([]);
  });

  test("an address leads to its place, and a network of which nothing is kept to a sentence", async () => {
    const { page, asked } = await open("#network?last=6h&until=2026-05-01T12:00:00Z");
    await drawn(page);
    expect(asked).toEqual([{ last: "6h", until: "2026-05-01T12:00:00.000Z" }]);
    await page.getByRole("button", { name: "testnet" }).click();
    await expect.poll(() => page.textContent("#network-says")).toBe(NOTHING_KEPT.nothing);
    expect(await page.isVisible("#network-picture")).toBe(false);
  });

  test("ranges that show no more than a shorter one are not offered, and nothing leads to before the first look", async () => {
    const { page } = await open("#network?last=7d", Date.now() - 2 * HOUR);
    await drawn(page);
    await page.focus("#network-picture");
    await page.keyboard.press("ArrowLeft");
    expect([page.url().split("#")[1], await focused(page)]).toEqual(["network?last=7d", "Picture of the network"]);
    const shown = page.locator("#network-ranges button:visible");
    await expect.poll(() => shown.allTextContents()).toEqual(["1 h", "24 h", "7 d", "All"]);
    await page.getByRole("button", { name: "1 h", exact: true }).press("Enter");
    await expect.poll(() => shown.allTextContents()).toEqual(["1 h", "24 h", "All"]);
  });

  test("a look has its exact values, by pointing and by keys", async () => {
    const { page, complaints } = await open();
    await drawn(page);
    await page.focus("#network-look");
    await page.keyboard.press("Home");
    await expect.poll(() => page.textContent("#network-at")).toMatch(/\.\d{3} CES?T: network time was 1\.234 s old$/u);
    await page.waitForSelector("#network-exact table");
    expect(await page.textContent("#network-exact")).toContain("9,007,199,254,740,993");
    const first = await page.textContent("#network-at");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.textContent("#network-at")).not.toBe(first);
    await page.hover("#network-picture svg", { position: { x: 300, y: 150 } });
    expect(await page.getAttribute("#network-look", "aria-valuetext")).toBe(await page.textContent("#network-at"));
    expect(await page.locator("#network-picture .cursor").count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("an alert's band and its row open its story beside the picture", async () => {
    const { page, bot } = await open();
    await drawn(page);
    const box = await page.locator("#network-picture svg").boundingBox();
    const band = await page.locator("#network-picture svg rect[opacity]").first().boundingBox();
    await page.mouse.click((band?.x ?? 0) + (band?.width ?? 0) / 2, (box?.y ?? 0) + 150);
    await page.waitForSelector("#network-told .reply");
    expect(bot.asked.at(-1)).toMatchObject({
      command: "alerts why",
      options: { episode: "network.stalled|mainnet||1" },
    });
    await page.getByRole("button", { name: "Close" }).click();
    expect(await page.isVisible("#network-story")).toBe(false);
    await page.locator("#network-alerts button").press("Enter");
    await page.waitForSelector("#network-told .reply");
    expect(await page.evaluate("document.activeElement.closest('#network-story') !== null")).toBe(true);
  });

  test("a threshold that is typed moves its line, and what it would have told is counted once nobody types", async () => {
    const { page, bot } = await open();
    await drawn(page);
    expect(await page.inputValue("#network-after")).toBe("30s");
    const line = (): Promise<unknown> => page.getAttribute("#network-picture path[stroke='var(--chart-limit)']", "d");
    const before = await line();
    await page.fill("#network-after", "20s");
    await expect.poll(line).not.toBe(before);
    await expect.poll(() => bot.asked.length).toBe(1);
    await page.fill("#network-after", "90s");
    await expect
      .poll(() => page.textContent("#network-tried"))
      .toBe("Counted: alerts try kinds:network.stalled for:90s network:mainnet");
    expect(bot.asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(await page.textContent("#network-picture svg")).toContain("told after 1 min 30 s");
    await page.fill("#network-after", "90");
    expect(await page.isVisible("#network-after-fault")).toBe(true);
    expect(await page.textContent("#network-tried")).toBe("");
  });

  test("what is seen now is read once it has a part of the time, or once something stands otherwise", async () => {
    const { page, asked, see } = await open("#network?last=1h");
    await drawn(page);
    await page.waitForTimeout(8000);
    expect(asked).toHaveLength(1);
    see(Date.now() + HOUR);
    await expect.poll(() => asked.length, { timeout: 12_000 }).toBe(2);
    see(Date.now() - HOUR, "stalled");
    await expect.poll(() => asked.length, { timeout: 12_000 }).toBe(3);
    expect(new Set(asked.map(({ last }) => last))).toEqual(new Set(["1h"]));
  });
});

const NO_ALERTS = {
  get: async () => undefined,
  placeOf: async () => undefined,
  placeBefore: async () => ({ place: 0, at: 0 }),
  openEpisodes: async () => [],
  after: async (place: number) => ({ alerts: [], place, more: false }),
  grownSince: async () => [],
} as never;

function watchState(at: number, state: "healthy" | "stalled" = "healthy"): WatchState {
  const time = `${fromMillis(at - 800)}`;
  const node = { node: "node-1", state: "ok", vote: "moves", time } as const;
  const network = { network: "mainnet", nodes: [node], stalled: { phase: "ok" } } as const;
  return {
    networks: [{ ...network, verdict: { state, why: "", at: `${fromMillis(at)}` } }],
    open: [],
    silences: [],
    timing: { everyMillis: 5000, suspiciousMillis: 10_000, firesMillis: 30_000, keepMillis: 15_000 },
  };
}
