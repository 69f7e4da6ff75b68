import { request } from "undici";
import { afterEach, expect, it } from "vitest";

import { watchPlatformLimits } from "../../../src/main/platforms/platform-limits.ts";
import { loopbackNode } from "../../support/loopback-node.ts";
import { configuredChats } from "../../../src/main/platforms/platforms.ts";
import { examineConfig, parseConfig } from "../../support/platforms.ts";

let end: (() => void) | undefined;
afterEach(() => end?.());

it("hears of a platform's 429s, whichever client asked, and of nobody else's", async () => {
  await using slack = await loopbackNode(({ path }) => ({ status: path === "/api/busy" ? 429 : 200 }));
  await using node = await loopbackNode(() => ({ status: 429 }));
  const env = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1", SLACK_API_URL: `${slack.url}/api/` };
  const chats = configuredChats(parseConfig({ ...env, ALLOW_SIMULATOR: "1" }));
  const heard: string[] = [];
  end = watchPlatformLimits(chats, (platform) => heard.push(platform));
  await fetch(`${slack.url}/api/busy`);
  await request(`${slack.url}/api/busy`);
  await fetch(`${slack.url}/api/idle`);
  await fetch(node.url);
  expect(heard).toEqual(["slack", "slack"]);
  end();
  await fetch(`${slack.url}/api/busy`);
  expect(heard).toHaveLength(2);
});

it("knows where the platforms are that are set up", () => {
  const urls = (env: Record<string, string>) =>
    configuredChats(examineConfig(env).config).map(({ service }) => service.url);
  expect(urls({})).toEqual([]);
  const slack = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_API_URL: "http://127.0.0.1:1/api/" };
  expect(urls({ DISCORD_TOKEN: "t", ...slack })).toEqual(["https://discord.com/api", "http://127.0.0.1:1/api/"]);
});
