import { request } from "undici";
import { afterEach, expect, it } from "vitest";

import { platformUrls, watchPlatformLimits } from "../../../src/main/platforms/platform-limits.ts";
import { loopbackNode } from "../../support/loopback-node.ts";

let end: (() => void) | undefined;
afterEach(() => end?.());

it("hears of a platform's 429s, whichever client asked, and of nobody else's", async () => {
  await using slack = await loopbackNode(({ path }) => ({ status: path === "/api/busy" ? 429 : 200 }));
  await using node = await loopbackNode(() => ({ status: 429 }));
  const heard: string[] = [];
  end = watchPlatformLimits({ slack: `${slack.url}/api/` }, (platform) => heard.push(platform));
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
  expect(platformUrls({ discord: undefined, slack: undefined })).toEqual({});
  const set = { discord: { apiUrl: undefined }, slack: { apiUrl: "http://127.0.0.1:1/api/" } };
  expect(platformUrls(set)).toEqual({ discord: "https://discord.com/api", slack: "http://127.0.0.1:1/api/" });
});
