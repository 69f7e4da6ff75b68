import { expect, it } from "vitest";

import { endpointChecks, examineEndpoint } from "../../../src/main/doctor/doctor.ts";
import { loopbackNode } from "../../support/loopback-node.ts";
import { saying } from "../../support/said.ts";
import { problemLines } from "./finding-lines.ts";
import { examineConfig, parseConfig } from "../../support/platforms.ts";

const signal = AbortSignal.timeout(5000);
const discordEndpoint = (url: string) => examineEndpoint({ name: "Discord endpoint", url }, "Discord", signal);

it.each<[number, RegExp[]]>([
  [401, []],
  [404, [saying("warning Discord endpoint", 404, 401, "->", "PUBLIC_URL")]],
  [308, [saying("warning Discord endpoint", 308, "->")]],
])("of an endpoint that answers %i", async (status, lines) => {
  await using node = await loopbackNode(() => ({ status }));
  const found = problemLines([await discordEndpoint(`${node.url}/discord/interactions`)]);
  expect(found).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(node.requests).toHaveLength(1);
});

it("of an endpoint that cannot be reached, or that no platform posts to", async () => {
  const found = [
    await discordEndpoint("http://127.0.0.1:9/discord/interactions"),
    await discordEndpoint("http://bell.example/discord/interactions"),
  ];
  expect(problemLines(found)).toEqual([
    expect.stringMatching(saying("warning Discord endpoint", "127.0.0.1:9", "->")),
    expect.stringMatching(saying("fault Discord endpoint", "PUBLIC_URL", "->", "https://")),
  ]);
  expect(problemLines(found)).toMatchSnapshot();
});

const base = { MAINNET_URLS: "https://node.example", PUBLIC_URL: "https://bell.example" };
const discord = { DISCORD_TOKEN: "t", DISCORD_PUBLIC_KEY: "ab".repeat(32) };
const slack = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "s" };

const many = {
  SLACK_CLIENT_ID: "1.2",
  SLACK_CLIENT_SECRET: "s",
  SECRET_KEY: Buffer.alloc(32).toString("base64"),
};

it.each<[string, Record<string, string>, string[]]>([
  ["nothing over HTTP", { DISCORD_TOKEN: "t", SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-1" }, []],
  ["Discord", discord, ["Discord endpoint"]],
  ["both", { ...discord, ...slack }, ["Discord endpoint", "Slack endpoint"]],
  ["many workspaces over Socket Mode", { ...many, SLACK_APP_TOKEN: "xapp-1" }, ["Slack install page"]],
  ["Socket Mode in the place of HTTP", { ...slack, SLACK_APP_TOKEN: "xapp-1" }, []],
])("asks the endpoints in use: %s", (_what, env, names) => {
  expect(endpointChecks(parseConfig({ ...base, ...env })).map(({ name }) => name)).toEqual(names);
});

it.each<[number, RegExp[]]>([
  [302, []],
  [404, [saying("warning Slack install page", 404, 302, "->", "PUBLIC_URL")]],
])("of an install page that answers %i", async (status, lines) => {
  await using node = await loopbackNode(() => ({ status }));
  const found = problemLines([
    await examineEndpoint(
      { name: "Slack install page", url: `${node.url}/slack/install`, method: "GET" },
      "Slack",
      signal,
    ),
  ]);
  expect(found).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(found).toMatchSnapshot();
});

it("asks none without a public address", () => {
  const { PUBLIC_URL: _, ...local } = base;
  expect(endpointChecks(examineConfig({ ...local, ...discord, ...slack }).config)).toEqual([]);
});
