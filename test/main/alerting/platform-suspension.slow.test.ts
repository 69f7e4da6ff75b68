import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, expect, test } from "vitest";

import { readEvents } from "../../adapters/web/alerts/event-reader.ts";
import { askWeb, type Connected, createSandbox, type Sandbox, startOn } from "../../support/bellwether.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { textOf } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { saying } from "../../support/said.ts";

// The process that `npm start` runs, while a platform refuses its token: nothing is lost, and the others hear of it.

const PATIENCE = { timeout: 20_000 };

let sandbox: Sandbox;
let discord: FakeDiscord;
let slack: FakeSlack;
beforeEach(async () => {
  sandbox = createSandbox();
  [discord, slack] = await Promise.all([FakeDiscord.start(), FakeSlack.start()]);
});
afterEach(async () => {
  await sandbox.cleanUp();
  await Promise.all([discord.stop(), slack.stop()]);
});

function start(platform: "discord" | "slack", token = discord.state.token): Promise<Connected> {
  return startOn(platform, sandbox, {
    ALLOW_SIMULATOR: "1",
    DISCORD_TOKEN: token,
    DISCORD_API_URL: discord.apiUrl,
    SLACK_BOT_TOKEN: slack.state.botToken,
    SLACK_APP_TOKEN: slack.state.appToken,
    SLACK_API_URL: slack.apiUrl,
  });
}

/** The console's messages about a platform: its name, and whether the trouble is bad or over. */
async function consoleTitles(url: string): Promise<string[]> {
  const reader = await readEvents(url);
  await sleep(1000);
  reader.close();
  return reader.alerts().flatMap(({ reply: { title, tone } }) => {
    const words = title.map((one) => ("text" in one ? one.text : "")).join("");
    const platform = /^(?:Discord|Slack)\b/u.exec(words)?.[0];
    return platform === undefined ? [] : [`${platform}: ${tone}`];
  });
}

async function deliveryWords(url: string): Promise<string> {
  const { parts } = (await (await fetch(new URL("/readyz", url))).json()) as {
    parts: { delivery: { ok: boolean; why?: string } };
  };
  return parts.delivery.why ?? "well";
}

test("what Discord is owed waits for a token that it accepts, whatever becomes of the process", async () => {
  const channel = discord.channel();
  const { token } = discord.state;
  const running = await start("discord");
  discord.state.token = "another";
  await askWeb(running.url, `alerts add node.down to:discord:${channel}`);
  await expect
    .poll(() => deliveryWords(running.url), PATIENCE)
    .toMatch(saying("Discord", "Discord says 401: Unauthorized"));
  await expect.poll(() => consoleTitles(running.url), PATIENCE).toEqual(["Discord: bad"]);
  await running.kill("SIGKILL");

  const again = await start("slack", token);
  await expect.poll(() => deliveryWords(again.url), PATIENCE).toMatch(saying("Discord", 401));
  await expect.poll(() => consoleTitles(again.url), PATIENCE).toEqual(["Discord: bad"]);
  await again.kill("SIGKILL");

  discord.state.token = token;
  const mended = await start("discord");
  await until(() => discord.state.messages.size > 0, "what was owed", 20_000);
  expect([...discord.state.messages.values()].map((one) => textOf(one))).toEqual([
    expect.stringMatching(saying("node outages")),
  ]);
  await expect.poll(() => deliveryWords(mended.url), PATIENCE).toBe("well");
  await expect.poll(() => consoleTitles(mended.url), PATIENCE).toEqual(["Discord: bad", "Discord: good"]);
}, 120_000);

test("where Slack removed the app all ends at once, and comes back with the app", async () => {
  const channel = slack.channel();
  const running = await start("slack");
  await askWeb(running.url, `alerts add node.down to:slack:${channel}`);
  const posted = (): number => slack.requests.filter(({ method }) => method === "chat.postMessage").length;
  await until(() => posted() === 1, "the subscription's word", 20_000);
  slack.fail({ method: "chat.postMessage", answer: { error: "account_inactive" } });
  await askWeb(running.url, `alerts add node.lagging to:slack:${channel}`);
  await expect.poll(() => deliveryWords(running.url), PATIENCE).toMatch(saying("Slack", "subscriptions"));
  await expect.poll(() => consoleTitles(running.url), PATIENCE).toEqual(["Slack: bad"]);
  const states = async (url: string): Promise<number> => {
    const metrics = await (await fetch(new URL("/metrics", url))).text();
    return Number(/^bellwether_subscriptions\{state="retired"\} (\d+)$/mu.exec(metrics)?.[1]);
  };
  expect(await states(running.url)).toBe(2);
  await running.kill("SIGKILL");

  // The token of another installation.
  slack.state.botToken = "xoxb-another-token";
  const mended = await start("slack");
  await expect.poll(() => states(mended.url), PATIENCE).toBe(0);
  await expect.poll(() => consoleTitles(mended.url), PATIENCE).toEqual(["Slack: bad", "Slack: good"]);
}, 120_000);
