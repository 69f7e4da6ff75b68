import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { alertsAdd } from "../../../commands/alerts-add.ts";
import { alertsEdit } from "../../../commands/alerts-edit.ts";
import { alertsTry } from "../../../commands/alerts-try.ts";
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
import { reply } from "../../../src/reply/reply.ts";
import { completing, fakeBot, startConsole } from "./harness.ts";
import { answer } from "./page-answers.ts";
import { NOTHING_KEPT, pastUntilNow, someLook } from "./past-looks.ts";
import { PLATFORMS } from "../../support/platforms.ts";

const TOKEN = "a-token-of-more-than-sixteen";
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
const DESKTOP = { viewport: { width: 1280, height: 800 } };

/** The same screens at a zoom of 200 %: half as many CSS pixels, of twice the size. */
const ZOOMED_PHONE = { ...PHONE, viewport: { width: 180, height: 370 }, deviceScaleFactor: 2 };
const ZOOMED_DESKTOP = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 };

/** How the page is looked at; with large letters, the reader chose a size of 200 % in the browser's settings. */
type Look = BrowserContextOptions & { readonly hasLargeLetters?: true };
const LARGE_LETTERS = "--blink-settings=defaultFontSize=32";
const SCREENS: readonly [string, Look][] = [
  ["a phone", PHONE],
  ["a phone at 200 %", ZOOMED_PHONE],
  ["a phone with letters of 200 %", { ...PHONE, hasLargeLetters: true }],
  ["a desktop", DESKTOP],
  ["a desktop at 200 %", ZOOMED_DESKTOP],
  ["a desktop with letters of 200 %", { ...DESKTOP, hasLargeLetters: true }],
];
const LOOKS: readonly [string, Look][] = [
  ...(["light", "dark"] as const).flatMap((colorScheme) =>
    SCREENS.map(([name, look]): [string, Look] => [`${name}, ${colorScheme}`, { ...look, colorScheme }]),
  ),
  ["a phone with forced colours", { ...PHONE, forcedColors: "active" }],
  ["a desktop with forced colours", { ...DESKTOP, forcedColors: "active" }],
];

/** What one presses and is smaller than 24 px, but for words within a sentence and drawings of other platforms. */
const SMALL_TARGETS = `[...document.querySelectorAll("a[href], button, input, summary, [role=option]")]
  .filter((one) => one.checkVisibility() && one.closest(".preview, .unseen, .skip") === null)
  .filter((one) => getComputedStyle(one).display !== "inline" && one.closest("p, td, dd, h2") === null)
  .filter((one) => one.getBoundingClientRect().width < 24 || one.getBoundingClientRect().height < 24)
  .map((one) => one.outerHTML.slice(0, 200))`;

/** What one presses and no key reaches; of tabs and of a list's options, arrows reach the others. */
const PRESSED = "a[href], button, input, summary, select, textarea, label";
const WITHOUT_KEYS = `[...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && one.closest("[role=tab], [role=option], .preview") === null)
  .filter((one) => one.matches("${PRESSED}")
    ? one.tabIndex < 0 && !one.matches("label")
    : getComputedStyle(one).cursor === "pointer" && one.closest("${PRESSED}") === null)
  .map((one) => one.outerHTML.slice(0, 200))`;

const NO_FIELD = { sentence: "This is wrong for no single field." };

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
    silences: [{ id: "s1", what: "everything", where: "in all channels", by: "ada", leftMillis: 5_430_000 }],
    timing: { everyMillis: 5000, suspiciousMillis: 10_000, firesMillis: 30_000, keepMillis: 15_000 },
  };
}

describe.skipIf(chromiumPath === undefined)("axe finds nothing, and nothing runs out of the page", () => {
  let browser: Browser;
  let large: Browser;
  beforeAll(async () => {
    [browser, large] = await Promise.all([launch(), launch([LARGE_LETTERS])]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), large?.close()]);
  });

  /** A console with all that it can show. */
  async function open({ hasLargeLetters, ...look }: Look, more: Parameters<typeof startConsole>[1] = {}) {
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
      commands: [...fakeBot(answer).commands, alertsAdd, alertsEdit, alertsTry],
      submit: async () => ({ ok: false, faults: [{ option: "high", sentence: "“Above” is a number." }, NO_FIELD] }),
      completions: completing((line) => (line === "m" ? ["market list", "market show "] : [])),
    });
    const harness = await startConsole(bot, {
      alerts: { feed, onChange: () => () => undefined },
      watch: async () => everyState(),
      looks: {
        past: async ({ last }) => (last === "all" ? NOTHING_KEPT : pastUntilNow()),
        at: async (question) => someLook(Number(question.at)),
      },
      incident: { set: async () => undefined },
      previews: [createDiscordPreview([]), createSlackPreview()],
      simulated: true,
      ...more,
    });
    onTestFinished(() => harness.adapter.stop());
    const context = await (hasLargeLetters === true ? large : browser).newContext({
      timezoneId: "Europe/Berlin",
      ...look,
    });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(harness.url);
    return { page, complaints, bot };
  }

  /** What is hard to read while a pointer or the focus is on it; on a phone a tap leaves a button so. */
  async function pointedAt(page: Page): Promise<unknown> {
    // Colours are the same at each size.
    if ((await page.evaluate("devicePixelRatio")) !== 1) return [];
    // Axe reads the page's own colour of the letters there, which nobody sees.
    if (await page.evaluate("matchMedia('(forced-colors: active)').matches")) return [];
    const tools = await page.context().newCDPSession(page);
    for (const domain of ["DOM", "CSS"] as const) await tools.send(`${domain}.enable`);
    const { root } = await tools.send("DOM.getDocument");
    const { nodeIds } = await tools.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector: PRESSED });
    const forcedPseudoClasses = ["hover", "focus", "focus-visible", "active"];
    // What the page draws anew meanwhile is gone.
    const set = nodeIds.map((nodeId) => tools.send("CSS.forcePseudoState", { nodeId, forcedPseudoClasses }));
    await Promise.allSettled(set);
    const found = await page.evaluate<unknown>(
      `axe.run(document, { runOnly: ["color-contrast"] }).then(({ violations, incomplete }) => [
        ...violations.flatMap(({ nodes }) => nodes),
        // Words in the colour of their ground may be hidden on purpose, says axe: of what one presses they are not.
        ...incomplete.flatMap(({ nodes }) => nodes).filter(({ any: [check] }) => check?.data?.messageKey === "equalRatio"),
      ].map(({ html, failureSummary }) => [html, failureSummary]))`,
    );
    await tools.detach();
    return found;
  }

  async function judge(page: Page, what: string): Promise<void> {
    await page.evaluate(`globalThis.axe ?? (() => { ${axe.source} })()`);
    // The bar of a tone lies beside the words of a reply: axe would leave them all undecided for it.
    await page.evaluate('axe._audit.checks["color-contrast"].options.ignorePseudo = true');
    // What lies under the bar and the command line is scrolled out of there before it is pressed.
    const pin = (position: string): Promise<unknown> =>
      page.evaluate(
        `for (const one of document.querySelectorAll(".bar, .composer")) one.style.position = "${position}"`,
      );
    await pin("static");
    const found = await page.evaluate<unknown>(
      `axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary])))`,
    );
    const pointed = await pointedAt(page);
    await pin("");
    expect([what, found, pointed]).toEqual([what, [], []]);
    const over = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect([what, over]).toEqual([what, 0]);
    expect([what, await page.evaluate<unknown>(SMALL_TARGETS)]).toEqual([what, []]);
    expect([what, await page.evaluate<unknown>(WITHOUT_KEYS)]).toEqual([what, []]);
  }

  test.each(LOOKS)("on %s", async (_name, look) => {
    const { page, complaints } = await open(look);
    await page.waitForSelector('#watch [data-verdict="blind"]');
    await page.waitForSelector("#alerts-open .alert", { state: "attached" });
    expect(await page.title()).toBe("(2) Bellwether");
    const size = await page.evaluate("getComputedStyle(document.documentElement).fontSize");
    expect(size).toBe(look.hasLargeLetters === true ? "30px" : "15px");
    await judge(page, "the first screen");

    await page.keyboard.type("m");
    await page.waitForSelector("#completions li");
    await page.keyboard.press("ArrowDown");
    await judge(page, "completions");
    await page.keyboard.press("Escape");
    await page.fill("#line", "");

    await page.keyboard.press("Control+k");
    await judge(page, "the palette");
    await page.keyboard.type("market");
    await page.waitForSelector("#found [aria-selected=true]");
    await judge(page, "what the palette finds");
    await page.keyboard.type(" nothing such");
    await judge(page, "what the palette does not find");
    await page.keyboard.press("Escape");

    await say(page, "silence");
    await page.getByRole("button", { name: "Silence", exact: true }).click();
    await judge(page, "a question before something is destroyed");
    await page.keyboard.press("Escape");

    await say(page, "price");
    await page.getByRole("button", { name: "Tell me" }).click();
    const form = page.getByRole("dialog", { name: "Subscribe to alerts" });
    await form.waitFor();
    await judge(page, "a form");
    await page.waitForSelector("#form-tried:not(:empty)");
    await judge(page, "a form with its count");
    await form.getByRole("button", { name: "Subscribe" }).click();
    await page.waitForSelector("#form-fault:not([hidden])");
    await judge(page, "a form with what is wrong");
    await page.keyboard.press("Escape");

    await say(page, "noise");
    for (const [button, title] of [
      ["Change…", "Change a subscription"],
      ["Try…", "Try an alert"],
    ] as const) {
      await page.getByRole("button", { name: button }).click();
      await page.getByRole("dialog", { name: title }).waitFor();
      await page.waitForSelector("#form-tried:not(:empty)");
      await judge(page, `${title}, with its count`);
      await page.keyboard.press("Escape");
    }
    await page.fill("#line", "alerts try node.lagging behind:2m");
    await page.waitForSelector("#tried:not(:empty)");
    await judge(page, "a typed line with its count");
    await page.fill("#line", "");

    await say(page, "offer");
    for (const { name } of gallery) await say(page, name);
    await page.evaluate('for (const one of document.querySelectorAll("#log details")) one.open = true');
    await judge(page, "the conversation");

    await say(page, "market-show");
    const last = page.locator("#log > li").last();
    if (!(await last.getByRole("tablist").isVisible())) await last.locator(".shown-as summary").click();
    for (const name of ["Discord", "Slack"]) {
      await last.getByRole("tab", { name }).click();
      await last.locator(`.preview-${name.toLowerCase()}`).waitFor();
    }
    await judge(page, "a preview");

    await page.click("#to-alerts");
    await judge(page, "open alerts");
    await page.check("#choose-all");
    await page.locator("#chosen").getByRole("button", { name: "Acknowledge" }).click();
    await page.waitForSelector("#settled[data-tone]");
    await judge(page, "several alerts acknowledged");
    await page.locator("#alerts-open .alert summary").first().click();
    await page.waitForSelector("#alerts-open .alert .reply");
    await page.waitForSelector(".told .preview-slack");
    await judge(page, "the view of alerts");

    await page.click("#to-network");
    await page.waitForSelector("#network-picture svg");
    await judge(page, "the view of a network");
    await page.locator("#network-look").press("Home");
    await page.waitForSelector("#network-exact table");
    await page.locator("#network-alerts button").press("Enter");
    await page.waitForSelector("#network-told :is(.reply, .preview)");
    await page.fill("#network-after", "90s");
    await page.waitForSelector("#network-tried:not(:empty)");
    await judge(page, "a look, a story and a threshold");
    await page.fill("#network-after", "90");
    await judge(page, "a threshold that is none");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await page.waitForSelector("#network-shown[hidden]", { state: "attached" });
    await judge(page, "a network of which nothing is kept");
    expect(complaints).toEqual([]);
  });

  test("alerts are shown from their top, and the conversation where it was left", async () => {
    const { page } = await open(PHONE);
    for (const line of ["market-list", "stake", "market-show"]) await say(page, line);
    await page.evaluate("scrollTo(0, 600)");
    // A press of the driver would scroll by itself.
    const follow = (link: string): Promise<unknown> => page.evaluate(`document.querySelector("${link}").click()`);
    await follow("#to-alerts");
    await page.waitForSelector("#view-alerts:not([hidden])");
    expect(await page.evaluate("scrollY")).toBe(0);
    await follow("#to-ask");
    await page.waitForSelector("#view-ask:not([hidden])");
    await expect.poll(() => page.evaluate("scrollY")).toBe(600);
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

  test("open alerts are acknowledged and silenced by keyboard, one or several, and it is said what was not", async () => {
    const { page, bot, complaints } = await open(DESKTOP);
    await page.waitForSelector("#alerts-open .alert");
    const asked = (): unknown[] => bot.asked.splice(0).map((one) => "command" in one && [one.command, one.options]);
    const ack = (episode: string): unknown => ["alerts ack", { episode }];
    const settled = page.locator("#settled");

    await page
      .getByRole("button", { name: /^Acknowledge: / })
      .first()
      .press("Enter");
    await expect.poll(() => settled.textContent()).toBe("Acknowledged 1 alert.");
    expect(asked()).toEqual([ack("network.stalled|mainnet||1")]);

    await page.click("#to-alerts");
    await page.focus("#choose-all");
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => settled.textContent()).toBe("Acknowledged 2 alerts.");
    expect(asked()).toEqual([ack("network.stalled|mainnet||1"), ack("e2")]);

    await page.locator("#alerts-open input").last().press("Space");
    expect(await page.textContent("#chosen-count")).toBe("1 of 2");
    bot.run = async () => reply({ title: "Somebody else must do that", failure: "caller" });
    await page.locator("#chosen").getByRole("button", { name: "Silence 1 h" }).press("Enter");
    await expect.poll(() => settled.textContent()).toBe("Somebody else must do that");
    expect(await page.textContent("#chosen-count")).toBe("1 of 2");
    expect(complaints).toEqual([]);
  });

  test("above all else stands what is wrong, three alerts at most, then the state in a line each", async () => {
    const { page } = await open(PHONE);
    await page.waitForSelector("#alerts-open .alert");
    await page.waitForSelector('#watch [data-verdict="unwatched"]');
    const tops = (last: string): Promise<readonly number[]> =>
      Promise.all(
        ["#alerts-open", "#watch", "#silences", last].map(async (one) => {
          const box = await page.locator(one).first().boundingBox();
          return box?.y ?? 0;
        }),
      );
    const onAsk = await tops("#welcome");
    expect(onAsk).toEqual(onAsk.toSorted((a, b) => a - b));
    const unseen = await page.locator('#watch [data-verdict="unwatched"]').boundingBox();
    expect(unseen?.height).toBeLessThan(45);
    await page.click("#to-alerts");
    const onAlerts = await tops("#alerts-earlier");
    expect(onAlerts).toEqual(onAlerts.toSorted((a, b) => a - b));
  });

  test("what is open stands before the guided incident, to which the first screen leads", async () => {
    const { page } = await open(PHONE);
    await page.getByRole("link", { name: "the simulated network" }).click();
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
