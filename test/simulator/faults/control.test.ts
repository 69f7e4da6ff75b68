import http from "node:http";

import { expect, test } from "vitest";

import { saying } from "../../support/said.ts";
import { type Answered, fetchAll, simulated } from "../simulated.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  return fetchAll(url, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
}

test("below a node, a network or nothing a fault is that node's, that network's or everybody's", async () => {
  const { simulator } = await simulated();
  for (const [path, body] of [
    ["/mainnet/2/control/faults", { kind: "slow", millis: 5 }],
    ["/testnet/control/faults", { kind: "lag", seconds: 90, forSeconds: 60 }],
    ["/control/faults", { kind: "ban" }],
    ["/mainnet/2/control/faults", { kind: "stall", node: "all" }],
    ["/control/faults", { kind: "die", network: "testnet", node: 3 }],
  ] as const) {
    expect((await post(simulator.url + path, body)).status).toBe(200);
  }
  expect(simulator.faults.list().map(({ kind, network, node }) => ({ kind, network, node }))).toEqual([
    { kind: "slow", network: "mainnet", node: 2 },
    { kind: "lag", network: "testnet", node: undefined },
    { kind: "ban", network: undefined, node: undefined },
    { kind: "stall", network: "mainnet", node: undefined },
    { kind: "die", network: "testnet", node: 3 },
  ]);
});

test("faults are listed and ended by id, by kind, by place, or all", async () => {
  const { simulator } = await simulated();
  const at = `${simulator.url}/control/faults`;
  const end = async (rest: string): Promise<unknown> => (await fetchAll(`${at}${rest}`, { method: "DELETE" })).json;
  for (const network of ["mainnet", "testnet"]) {
    for (const kind of ["slow", "ban", "die"]) await post(at, { kind, network });
  }
  expect((await fetchAll(at)).json["faults"]).toMatchObject([{ id: 1, kind: "slow" }, {}, {}, {}, {}, { id: 6 }]);
  expect(await end("/1")).toEqual({ ended: 1 });
  expect(await end("/1")).toEqual({ ended: 0 });
  expect(await end("?kind=ban")).toEqual({ ended: 2 });
  const testnet = await fetchAll(`${simulator.url}/testnet/control/faults`, { method: "DELETE" });
  expect(testnet.json).toEqual({ ended: 2 });
  expect(await end("")).toEqual({ ended: 1 });
  expect((await fetchAll(at)).json).toEqual({ faults: [] });
  expect((await fetchAll(`${at}?past=true`)).json["faults"]).toHaveLength(6);
});

test.each([
  [{}, saying('"kind"', "stall")],
  [{ kind: "nap" }, saying('"kind"', "stall")],
  [{ kind: "lag", seconds: "9" }, saying('"seconds"')],
  [{ kind: "lag", seconds: -1 }, saying('"seconds"')],
  [{ kind: "server-error", status: 200 }, saying('"status"', 500)],
  [{ kind: "die", network: "devnet" }, saying('"network"', "mainnet, testnet")],
  [{ kind: "garbage", body: "x" }, saying('"body"', "html")],
  [{ kind: "version", version: 7 }, saying('"version"')],
  [{ kind: "die", from: 5 }, saying('"from"')],
  [{ kind: "die", wen: 5 }, saying('"wen"')],
  [{ kind: "die", constructor: 5 }, saying('"constructor"')],
  [[], saying("JSON")],
])("%j is refused with a sentence", async (body, named) => {
  const { simulator } = await simulated();
  const reply = await post(`${simulator.url}/control/faults`, body);
  expect(reply.status).toBe(400);
  expect(reply.json["error"]).toMatch(named);
  expect(reply.json["error"]).toMatchSnapshot();
  expect(simulator.faults.list()).toEqual([]);
});

test("a page in a browser is refused, and so is a body that a form could send", async () => {
  const { simulator } = await simulated();
  const at = `${simulator.url}/control/faults`;
  expect((await post(at, { kind: "die" }, { Origin: "http://evil.example" })).status).toBe(403);
  expect((await post(at, { kind: "die" }, { Origin: simulator.url })).status).toBe(403);
  expect((await post(at, { kind: "die" }, { "Content-Type": "text/plain" })).status).toBe(400);
  expect(simulator.faults.list()).toEqual([]);
  expect((await fetchAll(`${simulator.url}/control/nothing`)).status).toBe(404);
});

test("a name that somebody else's page was bound to this address by is refused", async () => {
  const { simulator } = await simulated();
  const { port } = new URL(simulator.url);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    http
      .get({ port, path: "/control", headers: { Host: `evil.example:${port}` } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on("error", reject);
  });
  expect(status).toBe(403);
});

test("the overview tells what there is", async () => {
  const { simulator } = await simulated();
  const { json } = await fetchAll(`${simulator.url}/control`);
  expect(json).toMatchObject({ seed: simulator.seed, networks: simulator.networks, samples: simulator.samples });
});

test("how nodes speak can be changed while they run", async () => {
  const { simulator, ask } = await simulated();
  const changed = await post(`${simulator.url}/mainnet/control/node`, { dialect: "v0.71", names: false });
  expect(changed.json).toEqual({ changed: ["mainnet sim-1", "mainnet sim-2", "mainnet sim-3"] });
  expect((await ask("/api/v2/vega/time")).status).toBe(200);
  expect((await ask("/api/v2/network/time")).status).toBe(404);
  expect((await ask("/api/v2/assets")).status).toBe(404);
  expect((await ask("/api/v2/network/time", { network: "testnet" })).status).toBe(200);
  for (const wrong of [{ columns: 14 }, { nothing: 1 }, { ledgerBytes: -1 }, { names: "no" }, { framing: "xml" }]) {
    expect((await post(`${simulator.url}/control/node`, wrong)).status).toBe(400);
  }
});

test("the stake is also at the core's own address, and nothing else is", async () => {
  const { simulator, ask } = await simulated({ nodes: [{ stake: false }] });
  expect((await ask("/parties/stake")).status).toBe(404);
  const core = await fetchAll(`${simulator.coreUrls.mainnet}/parties/stake`);
  expect([core.status, core.headers.has("x-block-height"), core.headers.has("ratelimit-limit")]).toEqual([
    200,
    false,
    false,
  ]);
  expect((await fetchAll(`${simulator.coreUrls.mainnet}/api/v2/info`)).status).toBe(404);
});
