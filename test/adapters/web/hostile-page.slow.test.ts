import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { chromiumPath, launch, say } from "../../support/browser.ts";
import { echoBot, startConsole } from "./harness.ts";

const TOKEN = "a-token-of-twenty-four-chars";

/** A foreign page; each test defines what it does. */
async function serveHostilePage(): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>Free coins</title><body>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Every way in which a page can make a browser send a request elsewhere. Each returns its result. */
const ATTACKS: Readonly<Record<string, (target: string) => string>> = {
  "fetches JSON": (target) =>
    `fetch("${target}/api/invocations", {method: "POST", credentials: "include", headers: {"content-type": "application/json"}, body: '{"text":"time"}'}).then((r) => r.text())`,
  "fetches JSON as text, without looking at the answer": (target) =>
    `fetch("${target}/api/invocations", {method: "POST", mode: "no-cors", credentials: "include", headers: {"content-type": "text/plain"}, body: '{"text":"time"}'}).then((r) => r.type === "opaque" ? Promise.reject("opaque") : "read")`,
  "sends a beacon": (target) =>
    `Promise.resolve(navigator.sendBeacon("${target}/api/invocations", new Blob(['{"text":"time"}'], {type: "text/plain"}))).then(() => Promise.reject("sent blindly"))`,
  "reads the commands": (target) => `fetch("${target}/api/console", {credentials: "include"}).then((r) => r.text())`,
  "reads the metrics": (target) => `fetch("${target}/metrics").then((r) => r.text())`,
  "runs a script of the console": (target) =>
    `new Promise((resolve, reject) => { const s = document.createElement("script"); s.type = "module"; s.src = "${target}/page/console.js"; s.onload = () => resolve("ran"); s.onerror = () => reject("refused"); document.body.append(s); })`,
  "shows a picture of the console": (target) =>
    `new Promise((resolve, reject) => { const i = new Image(); i.src = "${target}/page/bellwether.svg"; i.onload = () => resolve("shown"); i.onerror = () => reject("refused"); })`,
  "listens to events": (target) =>
    `new Promise((resolve, reject) => { const e = new EventSource("${target}/api/alerts", {withCredentials: true}); e.onopen = () => resolve("open"); e.onerror = () => reject("refused"); })`,
};

describe.skipIf(chromiumPath === undefined)("a page of somebody else in the same browser", () => {
  let browser: Browser;
  let hostile: Server;
  beforeAll(async () => {
    hostile = await serveHostilePage();
    // As if its owner had pointed the name at this machine (DNS rebinding).
    browser = await launch(["--host-resolver-rules=MAP evil.test 127.0.0.1"]);
  });
  afterAll(async () => {
    await browser?.close();
    hostile?.close();
  });

  const hostileUrl = (host: string): string => `http://${host}:${portOf(hostile)}/`;

  /** Resolves with what the attack got, or undefined when it got nothing. */
  const attack = (page: Page, script: string): Promise<unknown> =>
    page.evaluate(`(${script}).then((got) => got, () => undefined)`);

  async function signIn(page: Page, console: string): Promise<void> {
    await page.goto(`${console}/login`);
    await page.fill("#token", TOKEN);
    await page.press("#token", "Enter");
    await page.waitForSelector("#examples button", { state: "attached" });
  }

  describe.each(["127.0.0.1", "localhost", "evil.test"])("from another port of %s", (host) => {
    test.each(Object.entries(ATTACKS))("that %s gets nothing, even when one is signed in", async (_what, script) => {
      const bot = echoBot();
      await using harness = await startConsole(bot, { token: TOKEN });
      const context = await browser.newContext();
      const page = await context.newPage();
      await signIn(page, harness.url);
      await say(page, "mine");
      await page.goto(hostileUrl(host));
      expect(await attack(page, script(harness.url))).toBeUndefined();
      // A blind request has arrived by the time that the user's next question is answered.
      await page.goto(harness.url);
      await page.waitForSelector("#examples button", { state: "attached" });
      await say(page, "mine again");
      expect(bot.asked.map((asked) => ("line" in asked ? asked.line : asked.command))).toEqual(["mine", "mine again"]);
      await context.close();
    });

    test("a form gets nothing asked", async () => {
      const bot = echoBot();
      await using harness = await startConsole(bot);
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(hostileUrl(host));
      // The trick with which a form of type text/plain sends a body that is JSON.
      const script = `
        const form = Object.assign(document.createElement("form"), { method: "post", enctype: "text/plain", action: "${harness.url}/api/invocations" });
        const input = Object.assign(document.createElement("input"), { name: '{"text":"time","x":"', value: '"}' });
        form.append(input); document.body.append(form); form.submit();`;
      await Promise.all([page.waitForURL(/invocations/u), page.evaluate(script)]);
      expect(JSON.parse((await page.textContent("body")) ?? "")).toEqual({ error: expect.any(String) });
      expect(bot.asked).toHaveLength(0);
      await context.close();
    });

    test("a frame shows nothing", async () => {
      await using harness = await startConsole(echoBot());
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(hostileUrl(host));
      await page.evaluate(
        `new Promise((resolve) => { const f = document.createElement("iframe"); f.src = "${harness.url}/"; f.onload = resolve; document.body.append(f); })`,
      );
      const framed = page.frames().find((frame) => frame !== page.mainFrame());
      expect(await framed?.$("#line")).toBeFalsy();
      await context.close();
    });

    test("a window it opens cannot be reached", async () => {
      await using harness = await startConsole(echoBot());
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(hostileUrl(host));
      const [opened] = await Promise.all([
        page.waitForEvent("popup"),
        page.evaluate(`void (window.opened = window.open("${harness.url}/"))`),
      ]);
      await opened.waitForSelector("#examples button", { state: "attached" });
      expect(await opened.evaluate("window.opener")).toBeNull();
      expect(await page.evaluate("window.opened.closed")).toBe(true);
      await context.close();
    });
  });

  test("a name that points at this machine is not answered", async () => {
    const bot = echoBot();
    await using harness = await startConsole(bot);
    const context = await browser.newContext();
    const page = await context.newPage();
    const rebound = `http://evil.test:${harness.port}`;
    const answer = await page.goto(`${rebound}/`);
    expect(answer?.status()).toBe(421);
    // To the browser that is the page's own origin now, so nothing but the name can tell.
    const got = await page.evaluate(
      `fetch("/api/invocations", {method: "POST", headers: {"content-type": "application/json"}, body: '{"text":"time"}'}).then((r) => r.status)`,
    );
    expect(got).toBe(421);
    expect(bot.asked).toHaveLength(0);
    await context.close();
  });
});
