import { expect, it } from "vitest";

import { endpointChecks, examineEndpoint } from "../../../src/main/doctor/endpoints.ts";
import { loopbackNode } from "../../support/loopback-node.ts";
import { saying } from "../../support/said.ts";
import { problemLines } from "./finding-lines.ts";

const signal = AbortSignal.timeout(5000);

it.each<[number, RegExp[]]>([
  [401, []],
  [404, [saying("warning Discord endpoint", 404, 401, "->", "PUBLIC_URL")]],
  [308, [saying("warning Discord endpoint", 308, "->")]],
])("of an endpoint that answers %i", async (status, lines) => {
  await using node = await loopbackNode(() => ({ status }));
  const found = problemLines([await examineEndpoint("Discord endpoint", `${node.url}/discord/interactions`, signal)]);
  expect(found).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(node.requests).toHaveLength(1);
});

it("of an endpoint that cannot be reached, or that no platform posts to", async () => {
  const found = [
    await examineEndpoint("Discord endpoint", "http://127.0.0.1:9/discord/interactions", signal),
    await examineEndpoint("Discord endpoint", "http://bell.example/discord/interactions", signal),
  ];
  expect(problemLines(found)).toEqual([
    expect.stringMatching(saying("warning Discord endpoint", "127.0.0.1:9", "->")),
    expect.stringMatching(saying("fault Discord endpoint", "PUBLIC_URL", "->", "https://")),
  ]);
  expect(problemLines(found)).toMatchSnapshot();
});

const discord = { token: "t", applicationId: undefined, guildId: undefined, apiUrl: undefined };
const web = { host: "127.0.0.1", port: undefined, token: undefined, publicUrl: "https://bell.example", trustProxy: [] };

it.each<[string, Parameters<typeof endpointChecks>[0], string[]]>([
  ["nothing over HTTP", { discord: { ...discord, publicKey: undefined }, web }, []],
  ["Discord over HTTP", { discord: { ...discord, publicKey: "a" }, web }, ["Discord endpoint"]],
  ["no public address", { discord: { ...discord, publicKey: "a" }, web: { ...web, publicUrl: undefined } }, []],
])("asks the endpoints in use: %s", (_what, config, names) => {
  expect(endpointChecks(config).map(({ name }) => name)).toEqual(names);
});
