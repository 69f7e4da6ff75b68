import { expect, onTestFinished, test } from "vitest";

import type { KeptLooks, PastLooks } from "../../../src/adapters/web/looks.ts";
import { UserError } from "../../../src/errors.ts";
import { echoBot, type Harness, startConsole } from "./harness.ts";

const PAST: PastLooks = { network: "mainnet", from: 0, to: 400_000, partMillis: 1000, nothing: "Nothing.", alerts: [] };
const TOKEN = "a-token-of-more-than-sixteen";

async function open(looks: Partial<KeptLooks> = {}, more: Parameters<typeof startConsole>[1] = {}): Promise<Harness> {
  const harness = await startConsole(echoBot(), {
    looks: { past: async () => PAST, at: async ({ at }) => (at === "5" ? { at: 5, nodes: [] } : undefined), ...looks },
    ...more,
  });
  onTestFinished(() => harness.adapter.stop());
  return harness;
}

test("what was seen is sent once, and again only when it has changed", async () => {
  let past = PAST;
  const harness = await open({ past: async () => past });
  const first = await harness.send("/api/looks?network=mainnet&last=24h");
  expect([first.status, first.headers["cache-control"], first.json()]).toEqual([200, "private, no-cache", PAST]);
  const again = (): ReturnType<Harness["send"]> =>
    harness.send("/api/looks?network=mainnet&last=24h", { headers: { "if-none-match": first.headers.etag ?? "" } });
  expect(await again()).toMatchObject({ status: 304, body: "", headers: { "cache-control": "private, no-cache" } });
  past = { ...PAST, to: 401_000 };
  expect((await again()).status).toBe(200);
  expect((await harness.send("/api/looks?at=5")).json()).toEqual({ at: 5, nodes: [] });
});

test.each([
  ["a word that is none of it", "?since=1", {}, 400, /^Ask for network, last and until/u],
  ["a look and a range", "?at=5&last=1h", {}, 400, /^Ask for network, last and until/u],
  ["what the reader refuses", "?last=1s", {}, 400, /^It cannot be so short\. Ask for 10m or more\.$/u],
  ["a moment of which nothing is kept", "?at=6", {}, 404, /^Nobody looked/u],
  ["a page from elsewhere", "", { origin: "https://evil.example" }, 403, /refused/u],
  ["nobody who is signed in", "", {}, 401, /./u],
])("%s gets one sentence", async (name, query, headers, status, sentence) => {
  const past = async (): Promise<never> => {
    throw new UserError("It cannot be so short.", { option: "last", remedy: "Ask for 10m or more." });
  };
  const harness = await open({ past }, name.startsWith("nobody") ? { token: TOKEN } : {});
  const answer = await harness.send(`/api/looks${query}`, { headers });
  expect([answer.status, answer.headers["cache-control"]]).toEqual([status, status === 403 ? undefined : "no-store"]);
  expect((answer.json() as { error: string }).error).toMatch(sentence);
});

test("three readers at a time; whoever leaves is read for no longer, and a stop ends all", async () => {
  const signals: AbortSignal[] = [];
  const past: KeptLooks["past"] = async (_, signal) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
  };
  const harness = await open({ past });
  const leaving = new AbortController();
  const left = fetch(`${harness.url}/api/looks`, { signal: leaving.signal }).catch(() => "left");
  const waiting = [harness.send("/api/looks"), harness.send("/api/looks")];
  await expect.poll(() => signals.length).toBe(3);
  const refused = await harness.send("/api/looks");
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "2"]);
  leaving.abort();
  expect(await left).toBe("left");
  await expect.poll(() => signals.filter(({ aborted }) => aborted).length).toBe(1);
  expect((await harness.send("/api/looks?at=5")).status).toBe(200);
  const stopped = harness.adapter.stop();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([503, 503]);
  await stopped;
});
