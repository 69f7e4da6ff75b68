import { readFile } from "node:fs/promises";

import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { alertsAdd } from "../../../commands/alerts-add.ts";
import { ledgerVerify } from "../../../commands/ledger-verify.ts";
import type { Bot } from "../../../src/bot/bot.ts";
import type { Preview } from "../../../src/adapters/adapter.ts";
import { createDiscordPreview } from "../../../src/adapters/discord/preview.ts";
import { createSlackPreview } from "../../../src/adapters/slack/preview.ts";
import { reply } from "../../../src/reply/reply.ts";
import { gallery } from "../../support/gallery.ts";
import { hex } from "../../support/gallery/parts.ts";
import { answered, chromiumPath, complaintsOf, launch, say } from "../../support/browser.ts";
import { completing, fakeBot, startConsole, type Harness } from "./harness.ts";
import { answer } from "./page-answers.ts";

const COMMANDS = ["market list", "market show BTC/USD", "market show ETH/USD", "time"];

const discord: Preview = { platform: "discord", name: "Discord", render: (given) => ({ title: given.title }) };

const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

describe.skipIf(chromiumPath === undefined)("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
  });

  interface Visit extends AsyncDisposable {
    readonly page: Page;
    readonly bot: ReturnType<typeof fakeBot>;
    readonly harness: Harness;
    readonly complaints: string[];
  }

  async function visit(
    options: BrowserContextOptions = {},
    previews: readonly Preview[] = [],
    more: Partial<Bot> = {},
    simulated = false,
  ): Promise<Visit> {
    const bot = fakeBot(answer, {
      ...more,
      completions: completing((line) => COMMANDS.filter((known) => known.startsWith(line) && known !== line)),
    });
    const harness = await startConsole(bot, { previews, simulated });
    const context = await browser.newContext({ timezoneId: "Europe/Berlin", ...options });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(harness.adapter.url ?? "");
    await page.waitForSelector("#commands button", { state: "attached" });
    return {
      page,
      bot,
      harness,
      complaints,
      [Symbol.asyncDispose]: async () => {
        await context.close();
        await harness.adapter.stop();
      },
    };
  }

  const titles = (page: Page): Promise<string[]> => page.locator("#log h2").allTextContents();
  const focused = (page: Page): Promise<string> =>
    page.evaluate("document.activeElement.id || document.activeElement.textContent");

  test("a whole session by keyboard alone", async () => {
    await using visitor = await visit();
    const { page, complaints } = visitor;
    expect(await focused(page)).toBe("line");

    await page.keyboard.type("market s");
    await page.waitForSelector("#completions li");
    expect(await page.getAttribute("#line", "aria-expanded")).toBe("true");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const active = await page.getAttribute("#line", "aria-activedescendant");
    expect(await page.textContent(`#${active}`)).toMatch(/^market show ETH\/USD/u);
    expect(await page.getAttribute(`#${active}`, "aria-selected")).toBe("true");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    expect(await page.inputValue("#line")).toBe("market show BTC/USD ");
    await page.keyboard.press("Enter");
    await answered(page);
    expect(await titles(page)).toEqual(["You asked market show BTC/USD"]);
    expect(await page.textContent("#announcer")).toBe("You asked market show BTC/USD");
    expect(await focused(page)).toBe("line");

    // At once: its completions are still awaited.
    await page.keyboard.type("market l");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.inputValue("#line")).toBe("market list ");
    await page.keyboard.press("Enter");
    await answered(page);

    await page.keyboard.press("ArrowUp");
    expect(await page.inputValue("#line")).toBe("market list");
    await page.keyboard.press("ArrowUp");
    expect(await page.inputValue("#line")).toBe("market show BTC/USD");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.inputValue("#line")).toBe("");

    await page.keyboard.press("Shift+Tab");
    expect(await focused(page)).toBe("open-palette");
    await page.keyboard.press("Shift+Tab");
    expect(await focused(page)).toBe("About");
    await page.keyboard.press("Shift+Tab");
    expect(await focused(page)).toBe("Next page");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#log > li:last-child h2:text-is('Markets, page 2')");
    expect(await titles(page)).toEqual(["You asked market show BTC/USD", "Markets, page 2"]);
    expect(await focused(page)).toBe("Next page");

    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("#log h2").nth(2).waitFor();
    expect(await titles(page)).toContain("You asked about {}");
    await page.waitForSelector("#log > li:last-child:focus");
    await page.keyboard.press("/");
    expect(await focused(page)).toBe("line");
    expect(await page.inputValue("#line")).toBe("");
    expect(complaints).toEqual([]);
  });

  test("Tab leaves the command line when there is nothing to complete", async () => {
    await using visitor = await visit();
    await visitor.page.keyboard.press("Tab");
    expect(await focused(visitor.page)).toBe("Ask");
  });

  test("what is asked before survives a reload", async () => {
    await using visitor = await visit();
    await say(visitor.page, "time");
    await visitor.page.reload();
    await visitor.page.press("#line", "ArrowUp");
    expect(await visitor.page.inputValue("#line")).toBe("time");
  });

  test("an address of former versions names an episode, whose story is then asked for", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await page.evaluate(`location.hash = "#episode=" + encodeURIComponent("node.down|mainnet|a:1|1")`);
    await page.waitForSelector("#log h2");
    const options = { episode: "node.down|mainnet|a:1|1" };
    expect(bot.asked).toMatchObject([{ command: "alerts why", options, again: true }]);
    expect(page.url()).toBe(`${visitor.harness.url}/?episode=node.down%7Cmainnet%7Ca%3A1%7C1`);
    await page.evaluate(`location.hash = "#episode=%E0%A4%A"`);
    expect(bot.asked).toHaveLength(1);
    expect(visitor.complaints).toEqual([]);
  });

  test("the conversation survives a reload, with its buttons, until it is cleared", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await say(page, "time");
    await say(page, "market list");
    await page.reload();
    await answered(page);
    expect(await titles(page)).toEqual(["You asked time", "Markets, page 1"]);
    expect(bot.asked).toHaveLength(2);
    await page.getByRole("button", { name: "Next page" }).click();
    await page.waitForSelector("#log h2:text-is('Markets, page 2')");
    await page.reload();
    await answered(page);
    expect(await titles(page)).toEqual(["You asked time", "Markets, page 2"]);
    await page.getByRole("button", { name: "Clear" }).click();
    expect(await focused(page)).toBe("line");
    await page.reload();
    await page.waitForSelector("#examples button");
    expect(await titles(page)).toEqual([]);
  });

  test("a question that was under way at a reload is there to be asked again", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await page.fill("#line", "slow");
    await page.press("#line", "Enter");
    await page.waitForSelector("#log h2:text('1 row so far')");
    await page.reload();
    await answered(page);
    expect(await page.locator("#log .badge").count()).toBe(0);
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.waitForSelector("#log h2:text('1 row so far')");
    expect(bot.asked).toHaveLength(2);
  });

  test("an export goes on while its page is loaded again, which finds it by its code", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await page.fill("#line", "export");
    await page.press("#line", "Enter");
    await page.waitForSelector("#log h2:text('12 rows so far')");
    await page.reload();
    await answered(page);
    expect(await page.locator("#log .badge").count()).toBe(0);
    await page.getByRole("button", { name: "Show this export" }).click();
    await page.waitForSelector("#log h2:has-text('ledger fetch')");
    expect(bot.asked.at(-1)).toMatchObject({ command: "ledger fetch", options: { code: "7k2m9xqd" } });
    expect(bot.asked).toHaveLength(2);
  });

  test("an export is cancelled by its code, and says so where it was asked for", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await page.fill("#line", "export");
    await page.press("#line", "Enter");
    await page.waitForSelector("#log h2:text('12 rows so far')");
    await page.press("#line", "Escape");
    await page.waitForSelector("#log h2:text('Cancelled by its code')");
    expect(bot.asked).toMatchObject([{ line: "export" }, { command: "ledger cancel", options: { code: "7k2m9xqd" } }]);
    expect(await titles(page)).toEqual(["Cancelled by its code"]);
  });

  test("what failed on the way is asked again by a button", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await page.context().setOffline(true);
    await say(page, "time");
    expect(bot.asked).toHaveLength(0);
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Ask again" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#log h2:text('You asked')");
    expect(await page.locator("#log > li").count()).toBe(1);
  });

  test("an address asks once, and is told from what was typed: it may not change anything", async () => {
    await using visitor = await visit();
    const { page, bot, harness } = visitor;
    await page.goto(`${harness.url}/?q=market+list`);
    await answered(page);
    await page.reload();
    await page.waitForSelector("#log h2");
    expect(bot.asked).toMatchObject([{ line: "market list", again: true }]);
    await page.goto(`${harness.url}/?market=BTC%2FUSDT`);
    await expect.poll(() => titles(page)).toHaveLength(2);
    expect(bot.asked.at(-1)).toMatchObject({ command: "market show", options: { market: "BTC/USDT" }, again: true });
    await say(page, "time");
    expect(bot.asked.at(-1)).toMatchObject({ line: "time" });
    expect(bot.asked.at(-1)).not.toHaveProperty("again");
    expect(visitor.complaints).toEqual([]);
  });

  test("each question has an address; the back button leads to its answer, which is not asked for again", async () => {
    await using visitor = await visit();
    const { page, bot, harness } = visitor;
    const reading = (): Promise<string> => page.evaluate("document.activeElement.querySelector('h2')?.textContent");
    await say(page, "time");
    await say(page, "slower");
    expect(page.url()).toBe(`${harness.url}/?q=slower`);
    await page.goBack();
    expect(page.url()).toBe(`${harness.url}/?q=time`);
    await expect.poll(reading).toBe("You asked time");
    await page.goForward();
    await expect.poll(reading).toBe("You asked slower");
    await page.goBack();
    await page.goBack();
    expect(page.url()).toBe(`${harness.url}/`);
    expect(bot.asked).toHaveLength(2);
    await page.goForward();
    await page.click("#clear");
    expect(page.url()).toBe(`${harness.url}/`);
    expect(visitor.complaints).toEqual([]);
  });

  test("what takes the place of an answer has an address; the back button brings the answer before it back", async () => {
    await using visitor = await visit();
    const { page, bot, harness } = visitor;
    const heading = () => page.locator(".asked code").textContent();
    await say(page, "market list");
    await page.getByRole("button", { name: "Next" }).click();
    await expect.poll(() => titles(page)).toEqual(["Markets, page 2"]);
    expect(page.url()).toBe(`${harness.url}/?q=market+list+page%3A2`);
    expect(await heading()).toBe("market list page:2");
    await page.goBack();
    await expect.poll(() => titles(page)).toEqual(["Markets, page 1"]);
    expect(page.url()).toBe(`${harness.url}/?q=market+list`);
    expect(await heading()).toBe("market list");
    await page.goForward();
    await expect.poll(() => titles(page)).toEqual(["Markets, page 2"]);
    await page.goBack();
    await page.getByRole("button", { name: "Next" }).click();
    await expect.poll(() => titles(page)).toEqual(["Markets, page 2"]);
    expect(bot.asked).toHaveLength(3);
    await page.reload();
    await expect.poll(() => titles(page)).toEqual(["Markets, page 2"]);
    expect(bot.asked).toHaveLength(3);
    expect(await heading()).toBe("market list page:2");
    expect(visitor.complaints).toEqual([]);
  });

  test("on paper an answer stands unfolded, in the colours of day, without what one presses", async () => {
    await using visitor = await visit({ colorScheme: "dark" });
    const { page } = visitor;
    const folding = gallery.find(({ reply }) => reply.actions.length > 0 && reply.blocks.some(({ detail }) => detail));
    await say(page, folding?.name ?? "");
    const height = async (): Promise<number> => (await page.locator("#log details").first().boundingBox())?.height ?? 0;
    const shown = (): Promise<boolean[]> =>
      Promise.all(["#composer", "#log .actions", ".bar"].map((one) => page.locator(one).first().isVisible()));
    expect(await shown()).toEqual([true, true, true]);
    const folded = await height();
    await page.emulateMedia({ media: "print" });
    expect(await shown()).toEqual([false, false, false]);
    expect(await height()).toBeGreaterThan(folded + 40);
    const paper = "getComputedStyle(document.documentElement).backgroundColor";
    expect(await page.evaluate(paper)).toBe("rgb(255, 255, 255)");
  });

  test("Ctrl-K finds commands and markets by keyboard, and gives the focus back", async () => {
    const lines = ["market show BTC/USD", "market show BTC/EUR"];
    await using visitor = await visit();
    const { page, bot, complaints } = visitor;
    bot.completions = completing((line) => (line === "market show btc" ? lines : []));
    await page.keyboard.press("Control+k");
    expect(await focused(page)).toBe("find");
    expect(await page.getByRole("dialog").getAttribute("aria-label")).toContain("Find");
    await page.keyboard.type("btc");
    await page.waitForSelector("#found li >> nth=1");
    await page.keyboard.press("ArrowDown");
    const active = await page.getAttribute("#find", "aria-activedescendant");
    expect(await page.textContent(`#${active}`)).toContain("BTC/EUR");
    await page.keyboard.press("Enter");
    await answered(page);
    expect(bot.asked).toMatchObject([{ line: "market show BTC/EUR" }]);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.press("Meta+k");
    await page.keyboard.type("nothing such");
    await page.waitForSelector("#found li:only-child");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("line");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("is all well");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#log > li:nth-child(2) h2");
    expect(bot.asked.at(-1)).toMatchObject({ line: "is all well", again: true });
    expect(complaints).toEqual([]);
  });

  test("on a phone a button lists all commands, and a press asks or begins one", async () => {
    await using visitor = await visit(PHONE);
    const { page, bot } = visitor;
    await page.getByRole("button", { name: "Find anything" }).tap();
    const command = page.getByRole("option", { name: "market list" });
    expect(await command.textContent()).toContain("All markets");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("open-palette");
    await page.keyboard.press("Enter");
    await command.tap();
    await answered(page);
    expect(bot.asked).toMatchObject([{ line: "market list" }]);
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("a table on a phone says which columns and rows it leaves out, and shows them when asked", async () => {
    await using visitor = await visit({ viewport: { width: 360, height: 740 }, permissions: ["clipboard-read"] });
    const { page } = visitor;
    await say(page, "market-list");
    const shown = page.locator("#log th:visible");
    expect(await shown.allTextContents()).toEqual(["MarketState", "Mark"]);
    expect(await page.textContent("#log .count")).toBe("15 of 84 rows");
    expect(await page.locator("#log .below").allTextContents()).toHaveLength(85);
    const below = page.locator("#log td .below").first();
    expect(await below.textContent()).toBe("active");
    // A number says what it is a number of.
    await page.setViewportSize({ width: 240, height: 740 });
    await expect.poll(() => below.textContent()).toMatch(/^activeMark [\d,.]+$/u);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => below.textContent()).toBe("active");
    await page.getByRole("button", { name: "69 more rows" }).click();
    expect(await page.locator("#log tbody tr:visible").count()).toBe(84);
    await page.getByRole("button", { name: "all columns" }).click();
    expect(await shown.count()).toBe(7);
    await page.getByRole("button", { name: "CSV" }).click();
    await page.waitForSelector("#log [data-copied]");
    const csv = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(csv.trim().split("\n")).toHaveLength(85);
  });

  test("a file is chosen or dropped to be verified, on a phone, too", async () => {
    await using visitor = await visit({ viewport: { width: 360, height: 740 } }, [], { commands: [ledgerVerify] });
    const { page, bot } = visitor;
    const file = { name: "ledger.csv", mimeType: "text/csv", buffer: Buffer.from("vega_time,quantity\n") };
    const choose = async (button: Locator): Promise<void> => {
      const [picker] = await Promise.all([page.waitForEvent("filechooser"), button.click()]);
      await picker.setFiles(file);
    };
    await page.fill("#line", "time");
    expect(await page.isVisible("#choose-file")).toBe(false);
    await page.fill("#line", "ledger verify ");
    await choose(page.locator("#choose-file"));
    await page.waitForSelector("#log h2:text('ledger.csv has 19 bytes')");
    expect([await page.inputValue("#line"), await page.isVisible("#choose-file")]).toEqual(["", false]);
    // A line without a file is a mistake with the same button.
    await page.fill("#line", "ledger verify other.csv");
    await page.press("#line", "Enter");
    await page.waitForSelector("#log li:nth-child(2) pre");
    const wider = await page.evaluate(
      '[...document.querySelectorAll("#log pre")].map((one) => one.scrollWidth - one.clientWidth)',
    );
    expect(wider).toEqual([0]);
    await choose(page.locator("#log > li").nth(1).getByRole("button", { name: "Choose file" }));
    await page.waitForSelector("#log li:nth-child(3) h2:text('ledger.csv has 19 bytes')");
    await page.evaluate(
      `const dropped = new DataTransfer();
       dropped.items.add(new File(["vega_time,"], "dropped.csv"));
       document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: dropped }))`,
    );
    await page.waitForSelector("#log li:nth-child(4) h2:text('dropped.csv has 10 bytes')");
    // Below an export one press chooses it.
    await say(page, "exported");
    await choose(page.getByRole("button", { name: "Check it" }));
    await page.waitForSelector("#log li:nth-child(6) h2:text('ledger.csv has 19 bytes')");
    expect(bot.asked.filter((asked) => "command" in asked)).toHaveLength(4);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    expect(visitor.complaints).toEqual([]);
  });

  test("a destructive button asks first, and Escape means no", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await say(page, "silence");
    await page.getByRole("button", { name: "Silence" }).click();
    expect(await page.textContent("#confirm-question")).toBe("Silence all alerts?");
    await page.keyboard.press("Escape");
    expect(await focused(page)).toBe("Silence");
    expect(bot.asked).toHaveLength(1);
    await page.keyboard.press("Enter");
    await page.locator("#confirm-yes").click();
    await page.locator("#log h2").nth(1).waitFor();
    expect(bot.asked[1]).toMatchObject({ command: "alerts silence", options: {} });
  });

  test("a button that is to be filled in opens a form, which keeps what is wrong until it is right", async () => {
    const submit: Bot["submit"] = async ({ options }) =>
      options["high"] === "lots"
        ? { ok: false, faults: [{ option: "high", sentence: "“Above” is a number." }] }
        : { ok: true, visibility: "channel", run: async () => ({ reply: reply({ title: "Subscribed" }), faults: [] }) };
    await using visitor = await visit(PHONE, [], { commands: [alertsAdd], submit });
    const { page } = visitor;
    await say(page, "price");
    await page.getByRole("button", { name: "Tell me" }).click();
    const dialog = page.getByRole("dialog", { name: "Subscribe to alerts" });
    const above = dialog.getByLabel("Above");
    await expect.poll(() => focused(page)).toBe("form-field-high");
    await page.keyboard.type("lots");
    await page.keyboard.press("Enter");
    await dialog.getByText("“Above” is a number.").waitFor();
    expect(await above.inputValue()).toBe("lots");
    expect(await above.getAttribute("aria-invalid")).toBe("true");
    await above.fill("75000");
    await dialog.getByRole("button", { name: "Subscribe" }).click();
    await expect.poll(() => titles(page)).toEqual(["A price", "Subscribed"]);
    expect(await dialog.isVisible()).toBe(false);
    expect(page.url()).toContain("high%3A75000");
    expect(await page.locator(".asked code").last().textContent()).toBe("Subscribe to alerts: Above 75000");

    await page.getByRole("button", { name: "Tell me" }).click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await titles(page)).toHaveLength(2);
    expect(visitor.complaints).toEqual([]);
  });

  test("a button without a form puts its line into the input, with the value to be changed chosen", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await say(page, "price");
    await page.getByRole("button", { name: "Tell me" }).click();
    await expect.poll(() => focused(page)).toBe("line");
    await page.keyboard.type("75000");
    expect(await page.inputValue("#line")).toBe("alerts add to:me high:75000");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await page.locator("#log h2").nth(1).waitFor();
    expect(bot.asked[1]).toMatchObject({ line: "alerts add to:me high:75000" });
    expect(visitor.complaints).toEqual([]);
  });

  test("what a button makes out of date is asked again, or gives way to the answer", async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await say(page, "silences");
    await page.getByRole("button", { name: "End", exact: true }).click();
    await page.getByRole("button", { name: "End it" }).waitFor();
    expect(await titles(page)).toEqual(["One silence", "Ended"]);
    await page.getByRole("button", { name: "End it" }).click();
    await page.getByRole("button", { name: "End it" }).waitFor({ state: "detached" });
    expect(await titles(page)).toEqual(["Ended", "Ended"]);
    expect(visitor.complaints).toEqual([]);
  });

  test("Escape cancels the running question, and the bot stops", async () => {
    await using visitor = await visit();
    const { page, bot } = visitor;
    await page.fill("#line", "slow");
    await page.press("#line", "Enter");
    await page.waitForSelector("#log h2:text('1 row so far')");
    await page.press("#line", "Escape");
    await answered(page);
    await page.waitForSelector("#log h2:text('Cancelled')");
    while (bot.asked[0]?.signal.aborted === false) await new Promise((resolve) => setImmediate(resolve));
    expect(await focused(page)).toBe("line");
  });

  test("an id is copied whole and shown whole when pressed", async () => {
    await using visitor = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = visitor;
    await say(page, "id");
    const button = page.locator("#log .id");
    expect(await button.innerText()).toMatch(/^[0-9a-f]{8}…[0-9a-f]{4}$/u);
    await button.click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(hex("party"));
    expect((await button.innerText()).trim()).toContain(hex("party"));
    expect(await page.textContent("#announcer")).toBe("Copied");
  });

  test("a file is downloaded", async () => {
    await using visitor = await visit();
    const { page } = visitor;
    await say(page, "file");
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("a.file").click()]);
    expect(download.suggestedFilename()).toBe("ledger.csv");
    expect(await readFile(await download.path(), "utf8")).toBe("a,b\n1,2\n");
  });

  test.each([true, false])(
    "where all networks are simulated (%s), the page says it once, else the answer",
    async (all) => {
      await using visitor = await visit({}, [], {}, all);
      const { page } = visitor;
      await say(page, "simulated");
      const marks = page.locator(".badge.simulated").filter({ visible: true });
      expect(await marks.count()).toBe(1);
      expect(await page.isVisible("#simulated")).toBe(all);
      expect(await page.isVisible("#log .badge.simulated")).toBe(!all);
      await page.emulateMedia({ media: "print" });
      expect(await page.isVisible("#log .badge.simulated")).toBe(true);
    },
  );

  test("it begins with questions as people ask them: a press asks, and all commands are another one", async () => {
    await using visitor = await visit(PHONE);
    const { page, bot } = visitor;
    expect(await page.locator("#examples button").allTextContents()).toEqual([
      "Is the network healthy?",
      "Subscribe this channel",
    ]);
    await page.getByRole("button", { name: "All commands" }).tap();
    await page.waitForSelector("#found [role=option]");
    await page.keyboard.press("Escape");
    await page.locator("#examples button").first().tap();
    await answered(page);
    expect(bot.asked).toMatchObject([{ line: "is the network healthy?" }]);
  });

  test("on a phone the previews of an answer take no line of their own until they are asked for", async () => {
    await using visitor = await visit(PHONE, [discord]);
    const { page } = visitor;
    await say(page, "time");
    const tabs = page.getByRole("tab", { name: "Discord" });
    expect(await tabs.isVisible()).toBe(false);
    const head = async () => (await page.locator("#log .asked").boundingBox())?.height ?? 0;
    expect(await head()).toBeLessThan(36);
    await page.locator("#log .shown-as summary").focus();
    await page.keyboard.press("Enter");
    expect(await tabs.isVisible()).toBe(true);
  });

  test("a reply can be switched to how another platform shows it, by arrows", async () => {
    await using visitor = await visit({}, [discord]);
    const { page, bot } = visitor;
    const drawer =
      'import { h } from "/page/vnode/vnode.js"; export const draw = (payload) => h("p", {}, JSON.stringify(payload));';
    await page.route("**/page/discord/page/page.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: drawer }),
    );
    await page.route("**/page/discord/page/page.css", (route) => route.fulfill({ contentType: "text/css", body: "" }));
    await say(page, "time");
    const tabs = page.getByRole("tab");
    expect(await tabs.allTextContents()).toEqual(["Bellwether", "Discord"]);
    await tabs.first().focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector(".preview-discord");
    expect(await focused(page)).toContain("discord");
    expect(await page.textContent(".preview-discord")).toContain('{"title":[{"kind":"text","text":"You asked "}');
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("#log .reply");
    // The same answer is shown in both ways; the question ran once.
    expect(bot.asked).toHaveLength(1);
  });

  test.each([
    ["Discord", createDiscordPreview([])],
    ["Slack", createSlackPreview()],
  ])("the buttons of a preview of %s ask the bot, and Details folds", async (name, preview) => {
    await using visitor = await visit({}, [preview]);
    const { page, bot, complaints } = visitor;
    const shown = page.locator(".preview").last();
    await say(page, "market list");
    await page.getByRole("tab", { name }).last().click();
    await shown.getByRole("button", { name: "Next" }).click();
    await expect.poll(() => shown.textContent()).toContain("Markets, page 2");
    expect(bot.asked.at(-1)).toMatchObject({ command: "market list", options: { page: 2 } });
    // What is typed next is shown in the preview that was chosen last.
    await say(page, "silence");
    const chosen = page.locator("#log > li").last().getByRole("tab", { selected: true });
    await expect.poll(() => chosen.textContent()).toBe(name);
    const asked = bot.asked.length;
    await shown.getByRole("button", { name: "Share" }).click({ force: true });
    await shown.getByRole("button", { name: "Silence" }).click();
    await page.locator("#confirm-yes").click();
    await expect.poll(() => bot.asked.slice(asked)).toMatchObject([{ command: "alerts silence" }]);
    // What is pressed in a preview is answered in one, also where the answer is a new message.
    await expect.poll(() => chosen.textContent()).toBe(name);
    await say(page, "market-show");
    await expect.poll(() => shown.textContent()).toContain("BTC");
    const folded = await shown.textContent();
    await shown.getByRole("button", { name: "Details" }).click();
    expect((await shown.textContent())?.length).toBeGreaterThan(folded?.length ?? 0);
    await shown.getByRole("button", { name: "Less" }).click();
    expect(await shown.textContent()).toBe(folded);
    expect(complaints).toEqual([]);
  });

  test("without previews there are no tabs", async () => {
    await using visitor = await visit();
    await say(visitor.page, "time");
    expect(await visitor.page.getByRole("tab").count()).toBe(0);
  });

  test.each<[string, BrowserContextOptions]>([
    ["a phone of 360 px", PHONE],
    ["a dark desktop", { colorScheme: "dark" }],
  ])("on %s every reply fits and keeps the page's policy", async (_what, options) => {
    await using visitor = await visit(options);
    const { page, complaints } = visitor;
    for (const line of [...gallery.map((entry) => entry.name), "nasty"]) {
      await say(page, line);
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([line, overflow]).toEqual([line, 0]);
    }
    expect(complaints).toEqual([]);
  });

  test.each([
    ["#alerts", "#alerts", ""],
    ["#episode=network.stalled|mainnet||1", "?episode=network.stalled%7Cmainnet%7C%7C1", "alerts why"],
    ["?q=market+list", "?q=market+list", "market list"],
  ])(
    "after signing in, %s is shown, also after a wrong token; after signing out nothing that was typed",
    async (asked, shown, log) => {
      const token = "a-token-of-more-than-sixteen";
      await using harness = await startConsole(fakeBot(answer), { token });
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${harness.url}/${asked}`);
      for (const typed of ["wrong", token]) {
        await page.fill("#token", typed);
        await page.press("#token", "Enter");
        await page.waitForSelector(typed === token ? "#line" : "#fault");
      }
      await expect.poll(() => page.url()).toBe(`${harness.url}/${shown}`);
      await expect.poll(() => page.textContent("#log")).toContain(log);
      await page.goto(`${harness.url}/#ask`);
      await say(page, "time");
      await page.fill("#line", "half a question");
      await page.click("#sign-out button");
      await page.waitForSelector("#token");
      expect(await page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
      await page.goBack();
      await page.waitForSelector("#token");
      await context.close();
    },
  );

  test("a table's rows stay low on a phone, where words stand behind the edge", async () => {
    await using visitor = await visit({ viewport: { width: 360, height: 740 }, isMobile: true });
    await say(visitor.page, "wordy");
    const heights = await visitor.page.evaluate(
      '[...document.querySelectorAll("#log tbody tr")].map((row) => row.offsetHeight)',
    );
    expect(Math.max(...(heights as number[]))).toBeLessThan(130);
  });

  test("words with a time in them do not run over the next cell", async () => {
    await using visitor = await visit({ viewport: { width: 1280, height: 740 } });
    await say(visitor.page, "timed");
    const spills = await visitor.page.evaluate(
      '[...document.querySelectorAll("#log tbody td")].map((cell) => cell.scrollWidth - cell.clientWidth)',
    );
    expect(spills).toEqual([0, 0]);
  });

  test.each([360, 320])("at %i pixels nothing runs out of the page, with a badge for each thing", async (width) => {
    await using visitor = await visit({ viewport: { width, height: 640 } });
    await say(visitor.page, "simulated");
    await visitor.page.evaluate(
      'for (const one of ["views", "open-count", "simulated", "sign-out"]) document.getElementById(one).hidden = false;' +
        'document.getElementById("open-count").textContent = "12"',
    );
    expect(await visitor.page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(await visitor.page.getByRole("heading", { level: 1 }).textContent()).toBe("Bellwether");
  });

  test("when the bot is gone, the page says so and goes on", async () => {
    await using visitor = await visit();
    const { page, harness } = visitor;
    await harness.adapter.stop();
    await say(page, "time");
    expect(await titles(page)).toEqual([expect.stringContaining("Bellwether")]);
    expect(await page.isEnabled("#line")).toBe(true);
  });
});
