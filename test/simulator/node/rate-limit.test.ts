import { expect, test } from "vitest";

import { DEFAULT_RATE_LIMIT } from "../../../src/simulator/node/rate-limiter.ts";
import { type Answered, simulated } from "../simulated.ts";

const INFO = "/api/v2/info";

/** The statuses of so many requests, one after the other at one instant. */
async function burst(ask: () => Promise<Answered>, count: number): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (let asked = 0; asked < count; asked++) {
    const { status } = await ask();
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

test("a burst of 100 passes, the next 100 are refused and spend the ban tokens, and then comes the ban", async () => {
  const { ask, advance } = await simulated({ rateLimit: DEFAULT_RATE_LIMIT });
  const get = (): Promise<Answered> => ask(INFO);
  const first = await get();
  expect(Object.fromEntries([...first.headers].filter(([name]) => name.startsWith("ratelimit")))).toEqual({
    "ratelimit-limit": "20",
    "ratelimit-remaining": "99",
    "ratelimit-reset": "1",
  });
  expect(await burst(get, 99)).toEqual(new Map([[200, 99]]));
  const refused = await get();
  expect([refused.status, refused.json["code"], refused.headers.get("ratelimit-remaining")]).toEqual([429, 8, "0"]);
  // A second later twenty more pass.
  advance(1);
  expect(await burst(get, 20)).toEqual(new Map([[200, 20]]));
  // The ban tokens were refilled too; the request that finds none bans.
  expect(await burst(get, 101)).toEqual(new Map([[429, 101]]));
  const banned = await get();
  expect([banned.status, banned.json["code"], banned.headers.get("ratelimit-retry-after")]).toEqual([403, 7, "600"]);

  advance(599);
  expect((await get()).headers.get("ratelimit-retry-after")).toBe("1");
  // A ban of one node is no ban of another.
  expect((await ask(INFO, { node: 2 })).status).toBe(200);
  advance(1);
  expect(await burst(get, 100)).toEqual(new Map([[200, 100]]));
});

test("twenty a second may go on for ever", async () => {
  const { ask, advance } = await simulated({ rateLimit: DEFAULT_RATE_LIMIT });
  for (let second = 0; second < 10; second++) {
    expect(await burst(() => ask(INFO), 20)).toEqual(new Map([[200, 20]]));
    advance(1);
  }
});

test("refused requests slower than the ban tokens refill never ban", async () => {
  const { ask, advance } = await simulated({ rateLimit: { rate: 1, burst: 3, banSeconds: 60 } });
  const get = (): Promise<Answered> => ask(INFO);
  expect(await burst(get, 3)).toEqual(new Map([[200, 3]]));
  for (let second = 0; second < 20; second++) {
    advance(1);
    expect(await burst(get, 2)).toEqual(
      new Map([
        [200, 1],
        [429, 1],
      ]),
    );
  }
});

test("it is on unless turned off, and the core node and the control route have none", async () => {
  const { simulator, ask } = await simulated({ rateLimit: { rate: 1, burst: 1, banSeconds: 60 } });
  expect(await burst(() => ask(INFO), 2)).toEqual(
    new Map([
      [200, 1],
      [429, 1],
    ]),
  );
  expect(await burst(() => ask("/parties/stake?party=x", { node: "core" }), 5)).toEqual(new Map([[200, 5]]));
  const listed = await fetch(`${simulator.url}/control/faults`);
  expect([listed.status, listed.headers.get("ratelimit-limit"), await listed.json()]).toEqual([
    200,
    null,
    { faults: [] },
  ]);
});
