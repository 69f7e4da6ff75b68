import { describe, expect, it } from "vitest";

import type { Finding } from "../../../src/adapters/finding.ts";
import { inspectCore, inspectNode } from "../../../src/api/node/inspect-node.ts";
import { judgeClock, judgeCore, judgeNodes, majorityTime } from "../../../src/main/doctor/networks.ts";
import type { Nanoseconds } from "../../../src/units/time.ts";
import { loopbackNode, NO_ROUTE, type StubResponse } from "../../support/loopback-node.ts";
import { saying } from "../../support/said.ts";

const AT = 1_700_000_000_000_000_000n as Nanoseconds;
const seconds = (count: number): bigint => BigInt(count) * 1_000_000_000n;

/** A node that answers as given, by path; without a path, all of them. */
function node(says: Record<string, StubResponse> | StubResponse) {
  return loopbackNode(({ path }) => (isSay(says) ? says : says[path]));
}
const isSay = (says: Record<string, StubResponse> | StubResponse): says is StubResponse =>
  "status" in says || "body" in says;

const time = (at: bigint, more: StubResponse = {}): StubResponse => ({ body: { timestamp: String(at) }, ...more });
const info = (version: string): StubResponse => ({ body: { version, commitHash: "c" } });
const headers = { "X-Block-Height": "42", "RateLimit-Limit": "20", "RateLimit-Remaining": "19" };

const findingLines = (findings: readonly Finding[]): string[] =>
  findings.map((one) => `${one.state}${one.cause === undefined ? "" : ` (${one.cause})`} ${one.check}: ${one.what}`);

describe("the doctor at the data nodes", () => {
  it("says of each node what it speaks, how far it is and what it allows", async () => {
    await using contract = await node({
      "/api/v2/network/time": time(AT, { headers }),
      "/api/v2/info": info("v0.71.6"),
    });
    await using older = await node({ "/api/v2/vega/time": time(AT), "/api/v2/info": info("v0.71.6") });
    const nodes = await Promise.all([contract, older].map(({ url }) => inspectNode(url, { network: "mainnet" })));
    const lines = findingLines(judgeNodes("mainnet", nodes)).map((line) =>
      line.replaceAll(/127[^ :]*:\d+|\d+ ms/gu, "·"),
    );
    expect(lines).toEqual([
      expect.stringMatching(saying("ok mainnet node", "2023-11-14 22:13:20 UTC", 42, "v0.71.6", 20, 19)),
      expect.stringMatching(saying("ok mainnet node", "2023-11-14 22:13:20 UTC", "v0.71.6", "v0.71")),
    ]);
    expect(lines).toMatchSnapshot();
  });

  // What a second node says, beside one that is well: and the line that it makes.
  const banned = { "RateLimit-Retry-After": "600" };
  const problems: [string, Record<string, StubResponse> | StubResponse, RegExp][] = [
    ["lags in time", { "/api/v2/network/time": time(AT - seconds(90)) }, /^fault \(network\) .* 1 min 30 s\b/u],
    [
      "lags in blocks",
      { "/api/v2/network/time": time(AT, { headers: { "X-Block-Height": "31208909" } }) },
      /^fault \(network\) .*\b199 blocks/u,
    ],
    [
      "began its history anew",
      { "/api/v2/network/time": time(AT, { headers: { "X-Block-Height": "12" } }) },
      /^fault \(network\) .*\b12\b.*\b31209108\b/u,
    ],
    ["has no block", { "/api/v2/network/time": { body: { timestamp: "0" } } }, /^fault \(network\) node-2: /u],
    ["fails", { status: 500, body: { code: 13, message: "Internal error" } }, /^fault \(network\) .*Internal error/u],
    ["bans", { status: 403, headers: banned, body: {} }, /^fault \(network\) .*\b10 min\b/u],
    ["is short of patience", { status: 429, body: {} }, /^fault \(network\) node-2: .*429/u],
    ["wants a password", { status: 401, body: {} }, /^fault node-2: .*HTTP 401/u],
    ["is a web page", { body: "<html><title>Parked</title></html>" }, /^fault node-2: .*JSON/u],
    ["is another service", { "/": { body: {} } }, /^fault node-2: .*404/u],
    [
      "has little left to give",
      { "/api/v2/network/time": time(AT, { headers: { "RateLimit-Limit": "20", "RateLimit-Remaining": "1" } }) },
      /^warning node-2: 1 .*\b20\b/u,
    ],
    [
      "is of another version",
      { "/api/v2/network/time": time(AT), "/api/v2/info": info("v0.71.4") },
      /^warning mainnet versions: v0\.71\.6 .*node-1.* v0\.71\.4 .*node-2/u,
    ],
  ];
  it.each(problems)("one that %s", async (_name, says, line) => {
    await using good = await node({
      "/api/v2/network/time": time(AT, { headers: { "X-Block-Height": "31209108" } }),
      "/api/v2/info": info("v0.71.6"),
    });
    await using bad = await node(says);
    const nodes = await Promise.all([good, bad].map(({ url }) => inspectNode(url, { network: "mainnet" })));
    const named = [good, bad].map(({ url }) => new URL(url).host);
    const lines = findingLines(judgeNodes("mainnet", nodes)).map((text) =>
      named.reduce(
        (rest, host, index) => rest.replaceAll(`mainnet node ${host}`, host).replaceAll(host, `node-${index + 1}`),
        text,
      ),
    );
    const wrong = lines.filter((text) => !text.startsWith("ok"));
    expect(wrong).toEqual([expect.stringMatching(line)]);
    expect(wrong).toMatchSnapshot();
  });

  it("tells a node that is not there from an address that is none, and keeps its password", async () => {
    const gone = await inspectNode("http://ops:hunter2@127.0.0.1:9/key", { network: "mainnet" });
    const found = judgeNodes("mainnet", [gone]);
    expect(found).toMatchObject([
      { state: "fault", cause: "network", check: "mainnet node 127.0.0.1:9/key" },
      { state: "warning", check: "mainnet nodes" },
    ]);
    expect(JSON.stringify(found)).not.toContain("hunter2");
    expect(findingLines(found)).toMatchSnapshot();
  });

  it("gives a node that says nothing no more than its time", async () => {
    await using silent = await loopbackNode(() => ({ ...NO_ROUTE, headers: { "Content-Length": "100" } }));
    const said = await inspectNode(silent.url, { network: "mainnet", timeoutMillis: 50 });
    expect(findingLines(judgeNodes("mainnet", [said, said]))[0]).toMatch(/^fault \(network\) .*\b50 ms\b/u);
  });

  it("asks a core node for the stake of nobody", async () => {
    await using core = await node({ "/parties/stake": { body: { partiesStake: [] } } });
    await using data = await node({ "/": { body: {} } });
    expect(judgeCore("mainnet", await inspectCore(core.url, { network: "mainnet" }))).toMatchObject({ state: "ok" });
    expect(core.requests[0]?.query["party"]).toMatch(/^0{64}$/u);
    expect(judgeCore("mainnet", await inspectCore(data.url, { network: "mainnet" }))).toMatchObject({
      state: "fault",
      remedy: expect.stringContaining("MAINNET_CORE_URL"),
    });
  });
});

describe("the doctor at the clock", () => {
  const said = (...behind: (number | undefined)[]) =>
    behind.map((count, index) => ({
      node: `n${index}`,
      ...(count === undefined ? {} : { time: (AT - seconds(count)) as Nanoseconds, at: AT }),
    }));
  it.each<[string, (number | undefined)[], number | undefined]>([
    ["all agree", [1, 2, 1], 1],
    ["one lags", [1, 90, 2], 2],
    ["one lies", [1, -900, 2], 1],
    ["one is silent", [1, undefined, 2], 1],
    ["two of three are silent", [1, undefined, undefined], undefined],
    ["nobody agrees", [1, 100, 200], undefined],
    ["two of two disagree", [1, 100], undefined],
    ["nobody is there", [], undefined],
  ])("takes the time of the majority: %s", (_name, behind, expected) => {
    const found = majorityTime(said(...behind));
    expect(found?.time).toBe(expected === undefined ? undefined : AT - seconds(expected));
  });

  // How far the network is behind the clock at a first reading and a second one 2 s later.
  it.each<[number, number, RegExp]>([
    [0, 0, /^ok clock: .*mainnet/u],
    [9, 9, /^ok clock/u],
    [-10, -10, /^warning clock: .*\b10 s behind mainnet/u],
    [-60, -60, /^fault clock: .*\b1 min behind mainnet/u],
    [20, 20, /^warning clock: .*\b20 s ahead of mainnet/u],
    [60, 60, /^fault clock: .*\b1 min ahead/u],
    [60, 62, /^warning clock: mainnet .*\b1 min 2 s behind/u],
  ])("is %i s behind, then %i s", (first, second, line) => {
    const later = (AT + seconds(2)) as Nanoseconds;
    const finding = judgeClock(
      "mainnet",
      { time: (AT - seconds(first)) as Nanoseconds, at: AT },
      { time: (later - seconds(second)) as Nanoseconds, at: later },
      30_000,
    );
    expect(findingLines([finding])).toEqual([expect.stringMatching(line)]);
    expect(findingLines([finding])).toMatchSnapshot();
  });
});
