import { describe, expect, test } from "vitest";

import type { ApiClient } from "../../src/api/api-client.ts";
import { ApiError } from "../../src/api/api-error.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import type { PageRequest } from "../../src/api/model/page.ts";
import { UserError } from "../../src/errors.ts";
import { silentLog } from "../../src/log.ts";
import { nanoseconds, type Nanoseconds } from "../../src/units/time.ts";
import { fakeNode, sendCase, sendRouteMissing } from "./serve-wire.ts";
import { asWritten, type Means, valueAt, type WireCase, wireCases } from "./wire-fixtures.ts";

// Every operation and parameter, over answers that were written from the interface and not from this client.

type Query = Readonly<Record<string, string>>;
type Asked = (api: ApiClient, query: Query, path: string) => Promise<unknown>;

/** Each operation: how a case's parameters become a call, and how places in the body become places in its value. */
const operations: Record<string, { ask: Asked; place: (inBody: string) => string }> = {
  getNetworkTime: { ask: async (api) => api.getNetworkTime(), place: (at) => at },
  getNodeInfo: { ask: async (api) => api.getNodeInfo(), place: (at) => at },
  getMarketsData: { ask: async (api) => api.getMarketsData(), place: (at) => at.replace(/^marketsData/u, "") },
  getOrder: {
    ask: async (api, query, path) =>
      api.getOrder(path.split("/").at(-1) ?? "", query["version"] === undefined ? undefined : Number(query["version"])),
    place: (at) => at.replace(/^order\.?/u, ""),
  },
  getPartiesStake: {
    ask: async (api, query) => api.getPartiesStake(query["party"]),
    place: (at) => at.replace(/^partiesStake/u, ""),
  },
  getKeyRotations: {
    ask: async (api, query) =>
      api.getKeyRotations({
        ...pageOf(query),
        ...(query["nodeId"] === undefined ? {} : { nodeId: query["nodeId"] }),
      }),
    place: inPage,
  },
  getSnapshots: { ask: async (api, query) => api.getSnapshots(pageOf(query)), place: inPage },
  getCheckpoints: { ask: async (api, query) => api.getCheckpoints(pageOf(query)), place: inPage },
  getListAssetBundle: { ask: async (api, query) => api.getListAssetBundle(query["assetId"] ?? ""), place: (at) => at },
  getAssetLimitsBundle: {
    ask: async (api, query) => api.getAssetLimitsBundle(query["proposalId"] ?? ""),
    place: (at) => at,
  },
};

function pageOf(query: Query): PageRequest {
  const number = (name: string): number | undefined => (query[name] === undefined ? undefined : Number(query[name]));
  const request = {
    first: number("pagination.first"),
    last: number("pagination.last"),
    after: query["pagination.after"],
    before: query["pagination.before"],
    newestFirst: query["pagination.newestFirst"] === undefined ? undefined : query["pagination.newestFirst"] === "true",
  };
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as PageRequest;
}

function inPage(at: string): string {
  return at.replace(/^\w+\.pageInfo\./u, "").replace(/^\w+\.edges/u, "rows");
}

/** Times that come in seconds and are given in nanoseconds. */
const SECONDS = /\.(blockTime|ts)$/u;

async function withNode<T>(given: WireCase, use: (api: ApiClient, asked: string[]) => Promise<T>): Promise<T> {
  const { path, query } = given.request;
  await using node = await fakeNode((request, response) => {
    const url = new URL(request.url ?? "/", "http://node.invalid");
    const matches =
      url.pathname === path &&
      Object.entries(query).every(([name, value]) => url.searchParams.get(name) === value) &&
      [...url.searchParams.keys()].every((name) => name in query || name.startsWith("pagination."));
    if (matches) return sendCase(given, response);
    return sendRouteMissing(response);
  });
  const api = createApiClient({
    network: "testnet",
    nodes: [{ url: node.url }],
    simulated: false,
    log: silentLog(),
    // After a 429 a second is waited where the call has one left; here it is the first answer that is judged.
    limits: { retryMillis: 1, exportPauseMillis: 0, ...(given.response.status === 429 ? { callMillis: 900 } : {}) },
  });
  try {
    return await use(api, node.asked);
  } finally {
    await api.close();
  }
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was expected to fail");
}

/** What a case says of an error, and the same of the error seen; what is left out is not judged. */
function errorSides(
  error: unknown,
  means: NonNullable<WireCase["means"]["error"]>,
): { seen: unknown; wanted: unknown } {
  const { innerWords = [], routeMissing: _, kind, ...plain } = means;
  // Only a 404 that the interface itself words is about the entity; any other is about the address or a proxy,
  // and must not be laid at the caller's door.
  const lost = means.httpStatus === 404 && innerWords.length === 0;
  const wanted = { ...plain, ...(kind === undefined ? {} : { kind: lost ? "refused" : kind }) };
  const failure = error instanceof ApiError ? error : undefined;
  const seen = Object.fromEntries(Object.keys(wanted).map((key) => [key, failure?.[key as keyof ApiError]]));
  return {
    wanted: { ...wanted, words: innerWords, named: true, clean: true },
    seen: {
      ...seen,
      words: innerWords.filter((words) => failure?.innerWords?.includes(words) === true),
      named: failure?.message.includes("127.0.0.1:"),
      clean: !/undefined|\[object/u.test(failure?.message ?? "undefined"),
    },
  };
}

/** What a case says of an answer, and the same of the answer seen. */
function answerSides(
  { value, asOf }: { value: unknown; asOf: Record<string, unknown> },
  means: Means,
  place: (at: string) => string,
): { seen: unknown; wanted: unknown } {
  const { values = {}, unset = [], counts = {}, passedThrough = [] } = means;
  const found = (at: string): unknown => valueAt(value, place(at));
  const written = (at: string): unknown => {
    const seen = found(at);
    return asWritten(SECONDS.test(at) && typeof seen === "bigint" ? seen / 1_000_000_000n : seen);
  };
  const sameKeys = (wanted: object, see: (at: string) => unknown): unknown =>
    Object.fromEntries(Object.keys(wanted).map((at) => [at, see(at)]));
  return {
    wanted: { values, set: [], counts, passedThrough, assetId: means.assetId, asOf: means.asOf ?? {} },
    seen: {
      values: sameKeys(values, written),
      set: unset.filter((at) => found(at) !== undefined),
      counts: sameKeys(counts, (at) => (found(at) as unknown[]).length),
      passedThrough: passedThrough.filter((at) => found(at) !== undefined),
      assetId: means.assetId === undefined ? undefined : found("networkAssetId"),
      asOf: sameKeys(means.asOf ?? {}, (at) => asWritten(asOf[at])),
    },
  };
}

const all = Object.keys(operations).flatMap((name) =>
  wireCases(name).map((given) => [name, given.name, given] as const),
);
const routeless = all.filter(([, , { means }]) => means.routeMissing === true);
const failing = all.filter(([, , { means }]) => means.error !== undefined);
const answering = all.filter(([, , { means }]) => means.error === undefined && means.routeMissing !== true);

test("the fixtures cover every operation", () => {
  expect(new Set(answering.map(([name]) => name)).size).toBe(Object.keys(operations).length);
  expect(failing.length).toBeGreaterThan(20);
});

test.each(answering)("%s: %s", async (name, _case, given) => {
  const { query, path } = given.request;
  const { seen, wanted } = await withNode(given, async (api) => {
    const answer = (await operations[name]!.ask(api, query, path)) as { value: unknown; asOf: Record<string, unknown> };
    return answerSides(answer, given.means, operations[name]!.place);
  });
  expect(seen).toEqual(wanted);
});

test.each(failing)("%s fails: %s", async (name, _case, given) => {
  const { query, path } = given.request;
  const error = await withNode(given, async (api) => failureOf(operations[name]!.ask(api, query, path)));
  // What the interface would refuse is refused before it is sent where the client's types can tell.
  const { seen, wanted } =
    error instanceof UserError
      ? { seen: "invalid", wanted: given.means.error?.kind }
      : errorSides(error, given.means.error!);
  expect(seen).toEqual(wanted);
});

test.each(routeless)("%s is not served: %s", async (name, _case, given) => {
  const { query, path } = given.request;
  const error = await withNode(given, async (api) => failureOf(operations[name]!.ask(api, query, path)));
  expect(error).toMatchObject({ kind: "refused", httpStatus: 404 });
});

describe("either dialect is found out", () => {
  const cases = ["getNetworkTime", "getKeyRotations"].flatMap((name) =>
    wireCases(name)
      .filter((given) => given.dialect === "v0.71" && given.response.status === 200 && given.means.error === undefined)
      .map((given) => [name, given.name, given] as const),
  );
  test.each(cases)("%s: %s", async (name, _case, given) => {
    await withNode(given, async (api, asked) => {
      await operations[name]!.ask(api, given.request.query, given.request.path);
      await operations[name]!.ask(api.nodes[0] as unknown as ApiClient, given.request.query, given.request.path);
      expect(asked.filter((path) => path.includes("/network/"))).toHaveLength(1);
    });
  });
});

describe("errors fit every operation", () => {
  test.each(wireCases("errors").map((given) => [given.name, given] as const))("%s", async (_name, given) => {
    await withNode(given, async (api) => {
      const { seen, wanted } = errorSides(await failureOf(api.getNodeInfo()), given.means.error ?? {});
      expect(seen).toEqual(wanted);
    });
  });
});

describe("names", () => {
  test.each(wireCases("getMarketNames").map((given) => [given.name, given] as const))(
    "markets: %s",
    async (_name, given) => {
      const { means } = given;
      const [market] = await withNode(given, async (api) => api.getMarketNames());
      const last = (at: string): unknown => asWritten(valueAt(market, at.split(".").at(-1) ?? ""));
      const places = Object.keys(means.values ?? {});
      expect({
        values: Object.fromEntries(places.map((at) => [at, last(at)])),
        set: (means.unset ?? []).filter((at) => last(at) !== undefined),
        isThere: market !== undefined,
        asset: means.assetId === undefined ? undefined : market?.settlementAsset,
      }).toEqual({
        values: means.values ?? {},
        set: [],
        isThere: means.counts?.["markets.edges"] !== 0,
        asset: means.assetId,
      });
    },
  );

  test.each(wireCases("getAssetNames").map((given) => [given.name, given] as const))(
    "assets: %s",
    async (_name, given) => {
      const assets = await withNode(given, async (api) => api.getAssetNames());
      expect(assets).toHaveLength(given.means.counts?.["assets.edges"] ?? -1);
      expect(assets.filter((asset) => asset.erc20 === true).map((asset) => asset.id)).toEqual(given.means.erc20 ?? []);
      expect(assets.every((asset) => asset.erc20 !== undefined)).toBe(true);
    },
  );

  test.each(wireCases("getNodeNames").map((given) => [given.name, given] as const))(
    "nodes: %s",
    async (_name, given) => {
      const nodes = await withNode(given, async (api) => api.getNodeNames());
      expect(nodes).toHaveLength(given.means.counts?.["nodes.edges"] ?? -1);
    },
  );
});

describe("exportLedger", () => {
  const cases = wireCases("exportLedger");
  const collect = async (given: WireCase): Promise<{ file: string; contentType: string }> => {
    const { query } = given.request;
    const start = query["dateRange.startTimestamp"];
    const end = query["dateRange.endTimestamp"];
    // A start that is no number cannot be asked for; the answer to it is read all the same.
    const { "dateRange.startTimestamp": _, ...others } = query;
    const typed = start === undefined || /^\d+$/u.test(start);
    const served = typed ? given : { ...given, request: { ...given.request, query: others } };
    const from = start === undefined || !typed || (start === "0" && end !== undefined) ? {} : { from: ns(start) };
    return withNode(served, async (api) => {
      const stream = await api.exportLedger({
        partyId: query["partyId"] ?? "",
        assetId: query["assetId"] ?? "",
        ...from,
        ...(end === undefined ? {} : { to: ns(end) }),
      });
      const parts: Buffer[] = [];
      await stream.consume((part) => void parts.push(Buffer.from(part)));
      return { file: Buffer.concat(parts).toString("base64"), contentType: stream.contentType };
    });
  };

  test.each(cases.filter(({ means }) => means.error === undefined).map((given) => [given.name, given] as const))(
    "%s",
    async (_name, given) => {
      const { fileBase64: file, contentType } = given.means;
      expect(await collect(given)).toEqual({ file, contentType });
    },
  );

  test.each(cases.filter(({ means }) => means.error !== undefined).map((given) => [given.name, given] as const))(
    "fails: %s",
    async (_name, given) => {
      const { seen, wanted } = errorSides(await failureOf(collect(given)), given.means.error!);
      expect(seen).toEqual(wanted);
    },
  );
});

function ns(text: string): Nanoseconds {
  return nanoseconds(BigInt(text));
}
