import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { createDiscordPreview } from "../../../src/adapters/discord/preview.ts";
import { createSlackPreview } from "../../../src/adapters/slack/preview.ts";
import type { OpenAlert, WatchedNetwork, WatchState } from "../../../src/adapters/web/alerts/watch.ts";
import { createAlertFeed } from "../../../src/alerts/service/feed.ts";
import { stalled } from "../../alerts/readings.ts";
import { aSubscription } from "../../alerts/samples.ts";
import { Stage } from "../../alerts/stage.ts";
import { chromiumPath, complaintsOf, launch, say } from "../../support/browser.ts";
import { FakeSender } from "../../support/fake-sender.ts";
import { gallery } from "../../support/gallery.ts";
import { completing, fakeBot, startConsole } from "./harness.ts";
import { answer } from "./page-answers.ts";
import { PLATFORMS } from "../../support/platforms.ts";

const TOKEN = "a-token-of-more-than-sixteen";
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 800 } };

const LOOKS: readonly [string, BrowserContextOptions][] = [
  ["a light phone", { ...PHONE, colorScheme: "light" }],
  ["a dark phone", { ...PHONE, colorScheme: "dark" }],
  ["a phone with forced colours", { ...PHONE, forcedColors: "active" }],
  ["a light desktop", { ...DESKTOP, colorScheme: "light" }],
  ["a dark desktop", { ...DESKTOP, colorScheme: "dark" }],
  ["a desktop with forced colours", { ...DESKTOP, forcedColors: "active" }],
];

const at = (): string => `${BigInt(Date.now())}000000`;

/** A network for each verdict, with alerts and a silence. */
function everyState(): WatchState {
  const states = ["healthy", "stalled", "contested", "unconfirmed", "syncing", "blind"] as const;
  const networks = states.map((state): WatchedNetwork => ({
    network: state === "healthy" ? "mainnet" : `net-${state}`,
    nodes: [{ node: "a:1", state: "lagging", vote: "stands", why: "is 200 blocks behind", height: "12" }],
    verdict: { state, why: "a reason in a few words", at: at(), height: "175188841", time: at() },
    stalled: { phase: "firing", episode: "network.stalled|mainnet||1" },
    incident: { since: at() },
  }));
  const open = { kind: "node.down", network: "mainnet", subject: "a:1", state: "firing", began: at() } as const;
  return {
    networks: [...networks, { network: "net-unseen", nodes: [], stalled: { phase: "ok" } }],
    open: [
      { ...open, episode: "network.stalled|mainnet||1", kind: "network.stalled", subject: "", severity: "critical" },
      { ...open, episode: "e2", severity: "warning", acknowledged: { by: "ada", at: at() }, silenced: true },
    ] satisfies readonly OpenAlert[],
    silences: [{ id: "s1", what: "everything", where: "in all places", by: "ada", leftMillis: 5_430_000 }],
    timing: { everyMillis: 5000, suspiciousMillis: 10_000, firesMillis: 30_000, keepMillis: 15_000 },
  };
}

describe.skipIf(chromiumPath === undefined)("axe finds nothing, and nothing runs out of the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** A console with all that it can show. */
  async function open(look: BrowserContextOptions, more: Parameters<typeof startConsole>[1] = {}) {
    const stage = await Stage.open({
      console: PLATFORMS.console,
      senders: (now) => [new FakeSender({ platform: "web", now })],
    });
    onTestFinished(() => stage.close());
    const kinds = ["network.stalled"] as const;
    await stage.engine.putSubscriptions([aSubscription({ destination: PLATFORMS.console, kinds: [...kinds] })], "ada");
    await stage.rounds(2, [stalled("good")]);
    await stage.rounds(9, [stalled("bad")]);
    const feed = createAlertFeed({ read: (work) => stage.store.read(work) }, PLATFORMS);
    const bot = fakeBot(answer, {
      completions: completing((line) => (line === "m" ? ["market list", "market show "] : [])),
    });
    const harness = await startConsole(bot, {
      alerts: { feed, onChange: () => () => undefined },
      watch: async () => everyState(),
      incident: { set: async () => undefined },
      previews: [createDiscordPreview([]), createSlackPreview()],
      simulated: true,
      ...more,
    });
    onTestFinished(() => harness.adapter.stop());
    const context = await browser.newContext({ timezoneId: "Europe/Berlin", ...look });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(harness.url);
    return { page, complaints };
  }

  async function judge(page: Page, what: string): Promise<void> {
    await page.evaluate(`globalThis.axe ?? (() => { ${axe.source} })()`);
    const found = await page.evaluate<unknown>(
      `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary])))`,
    );
    expect([what, found]).toEqual([what, []]);
    const over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect([what, over]).toEqual([what, 0]);
  }

  test.each(LOOKS)("on %s", async (_name, look) => {
    const { page, complaints } = await open(look);
    await page.waitForSelector('#watch [data-verdict="blind"]');
    await page.waitForSelector("#alerts-open .alert", { state: "attached" });
    expect(await page.title()).toBe("(2) Bellwether");
    await judge(page, "the first screen");

    await page.keyboard.type("m");
    await page.waitForSelector("#completions li");
    await page.keyboard.press("ArrowDown");
    await judge(page, "completions");
    await page.keyboard.press("Escape");
    await page.fill("#line", "");

    if (look.isMobile === true) {
      await page.getByRole("button", { name: "All commands" }).tap();
      await judge(page, "the menu of commands");
      await page.keyboard.press("Escape");
    }

    await say(page, "silence");
    await page.getByRole("button", { name: "Silence", exact: true }).click();
    await judge(page, "a question before something is destroyed");
    await page.keyboard.press("Escape");

    for (const { name } of gallery) await say(page, name);
    await page.evaluate('for (const one of document.querySelectorAll("#log details")) one.open = true');
    await judge(page, "the conversation");

    await say(page, "market-show");
    for (const name of ["Discord", "Slack"]) {
      await page.getByRole("tab", { name }).last().click();
      await page.waitForSelector(`.preview-${name.toLowerCase()}`);
    }
    await judge(page, "a preview");

    await page.click("#to-alerts");
    await page.locator("#alerts-open .alert summary").first().click();
    await page.waitForSelector("#alerts-open .alert .reply");
    await page.waitForSelector(".told .preview-slack");
    await judge(page, "the view of alerts");
    expect(complaints).toEqual([]);
  });

  test("the guided incident is switched, and a button of its alert is answered below it", async () => {
    const switched: unknown[] = [];
    const incident = { set: async (...given: unknown[]) => void switched.push(given) };
    const { page, complaints } = await open({}, { incident });
    await page.click("#to-alerts");
    await page.getByRole("button", { name: /^(?:Stall|Recover) the network$/u }).click();
    await expect.poll(() => switched.length).toBe(1);
    await page.locator(".told .preview-discord").getByRole("button", { name: "Details" }).first().click();
    await page.waitForSelector("#incident .exchange .reply");
    expect(complaints).toEqual([]);
  });

  test("what is open stands before the guided incident, to which the first screen leads", async () => {
    const { page } = await open(PHONE);
    await page.getByRole("link", { name: "stall the simulated network" }).click();
    await page.waitForSelector("#alerts-open .alert");
    await expect
      .poll(() => page.evaluate("document.querySelector('#incident').getBoundingClientRect().top"))
      .toBeLessThan(200);
    const [list, incident] = await Promise.all(
      ["#alerts-open", "#incident"].map(async (one) => page.locator(one).boundingBox()),
    );
    expect(list?.y).toBeLessThan(incident?.y ?? 0);
  });

  test("with forced colours, what is chosen looks unlike the rest, and the bar of a tone has its colour", async () => {
    const { page } = await open({ ...DESKTOP, forcedColors: "active" });
    const looks = (selector: string): Promise<readonly string[]> =>
      page.evaluate(`[...document.querySelectorAll("${selector}")].map((one) => {
        const { borderBottomColor, outlineStyle, outlineWidth } = getComputedStyle(one);
        return [borderBottomColor, outlineStyle, outlineWidth].join(" ");
      })`);
    await page.waitForSelector("#views a[aria-current]");
    expect(new Set(await looks("#views a")).size).toBe(2);

    await page.keyboard.type("m");
    await page.waitForSelector("#completions li");
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector("#completions li[aria-selected=true]");
    expect(new Set(await looks("#completions li")).size).toBe(2);
    await page.keyboard.press("Escape");

    await say(page, "market-show");
    expect(new Set(await looks(".tabs button")).size).toBe(2);
    const bar = "getComputedStyle(document.querySelector('#log .reply'), '::before').backgroundColor";
    const canvas = "rgb(255, 255, 255)";
    expect(await page.evaluate(bar)).not.toBe(canvas);
    const composer = "getComputedStyle(document.querySelector('#composer')).backgroundColor";
    expect(await page.evaluate(composer)).toBe(canvas);
  });

  test.each(LOOKS)("before one has signed in, on %s", async (_name, look) => {
    const { page } = await open(look, { token: TOKEN });
    await page.fill("#token", "wrong");
    await page.press("#token", "Enter");
    await page.waitForSelector("#fault");
    await judge(page, "the login");
  });
});
