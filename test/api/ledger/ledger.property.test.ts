import { createHash } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";

import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import type { LedgerStream } from "../../../src/api/api-client.ts";
import type { SharedSlots } from "../../../src/api/node/export-slot.ts";
import { UserError } from "../../../src/errors.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { saying } from "../../support/said.ts";
import { clientOf, deadUrl, name, node, outcome } from "../client-under-test.ts";
import { sendJson } from "../serve-wire.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { runs } from "../../support/runs.ts";

const query = { partyId: "a".repeat(64), assetId: "b".repeat(64) };
const HEADER = "vega_time,quantity\n";

async function read(stream: LedgerStream): Promise<string> {
  const parts: Buffer[] = [];
  await stream.consume((part) => void parts.push(Buffer.from(part)));
  return Buffer.concat(parts).toString();
}

describe("the request", () => {
  test.each([
    ["no range", {}, ""],
    ["a start at 0", { from: nanoseconds(0n) }, "&dateRange.startTimestamp=0"],
    ["a start", { from: nanoseconds(5n) }, "&dateRange.startTimestamp=5"],
    [
      "both ends",
      { from: nanoseconds(5n), to: nanoseconds(7n) },
      "&dateRange.startTimestamp=5&dateRange.endTimestamp=7",
    ],
    ["an end", { to: nanoseconds(7n) }, "&dateRange.startTimestamp=0&dateRange.endTimestamp=7"],
  ])("%s", async (_name, range, sent) => {
    const a = await node((_request, response) => void response.end(HEADER));
    await read(await clientOf([a]).exportLedger({ ...query, ...range }));
    expect(a.asked).toEqual([`/api/v2/ledgerentry/export?partyId=${query.partyId}&assetId=${query.assetId}${sent}`]);
  });

  test.each([
    ["no party", { ...query, partyId: "" }, "party"],
    ["no asset", { ...query, assetId: "" }, "asset"],
    ["a start before 1970", { ...query, from: nanoseconds(-1n) }, "from"],
    ["a start beyond 64 bits", { ...query, from: nanoseconds(2n ** 63n) }, "from"],
    ["an end in 1970, without a start", { ...query, to: nanoseconds(0n) }, "to"],
    ["an end beyond 64 bits", { ...query, to: nanoseconds(2n ** 63n) }, "to"],
    ["an empty range", { ...query, from: nanoseconds(7n), to: nanoseconds(7n) }, "to"],
  ])("%s is refused", async (_name, asked, option) => {
    await expect(clientOf(["http://127.0.0.1:1"]).exportLedger(asked)).rejects.toThrow(UserError);
    await expect(clientOf(["http://127.0.0.1:1"]).exportLedger(asked)).rejects.toMatchObject({ option });
  });
});

describe("one export", () => {
  test("is never asked of a node twice: another healthy one is asked, and nothing more once all have failed", async () => {
    const failing = (status: number) =>
      node((_request, response) => sendJson(response, { code: 14, message: "Unavailable" }, { status }));
    const [a, b, c] = [await failing(500), await failing(503), await deadUrl()];
    const api = clientOf([c, a, b]);
    // Opens the circuit of the one that nobody can reach.
    await outcome(api.nodes[0]!.exportLedger(query));
    const error = await outcome(api.exportLedger(query));
    expect(error).toMatchObject({ kind: "server", httpStatus: 500 });
    expect(error.tried.map((one) => one.node)).toEqual([name(a), name(b)]);
    expect(api.nodes.map(({ health }) => health.circuitOpen)).toEqual([true, true, true]);
    expect([a.asked.length, b.asked.length]).toEqual([1, 1]);
    expect(await outcome(api.exportLedger(query, { failed: [error] }))).toBeInstanceOf(Error);
    expect(a.asked.length).toBe(1);
  });

  test.each([
    ["a wrong question", 400],
    ["an unknown entity", 404],
  ])("is asked of no other node after %s", async (_name, status) => {
    const body = { code: 3, message: "Not so", details: [{ message: "no" }] };
    const a = await node((_request, response) => sendJson(response, body, { status }));
    const b = await node((_request, response) => void response.end(HEADER));
    const api = clientOf([a, b]);
    expect(await outcome(api.exportLedger(query))).toMatchObject({ httpStatus: status });
    expect([a.asked.length, b.asked.length]).toEqual([1, 0]);
    expect(api.nodes[0]?.health.circuitOpen).toBe(false);
  });

  test("goes to the next node where the first cannot have seen it", async () => {
    const b = await node((_request, response) => void response.end(HEADER));
    const stream = await clientOf([await deadUrl(), b]).exportLedger(query);
    expect(stream.asOf.node).toBe(name(b));
    expect(await read(stream)).toBe(HEADER);
  });

  test("that is broken off fails with the node's words, though nobody listened at that moment", async () => {
    const a = await node((_request, response) => {
      response.write(HEADER);
      response.end('{"error":{"code":13,"message":"Internal error","details":[{"message":"statement timeout"}]}}');
    });
    const stream = await clientOf([a]).exportLedger(query);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const error = await outcome(read(stream));
    expect(error).toMatchObject({ kind: "cut", httpStatus: 200, innerWords: "statement timeout" });
    expect(error.message).toMatch(saying("mainnet", name(a), "statement timeout"));
    expect(error).toMatchSnapshot();
  });

  describe("that only the connection's end ends", () => {
    function endlessNode(row: string): ReturnType<typeof node> {
      return node((_request, response) => {
        response.useChunkedEncodingByDefault = false;
        response.write(HEADER);
        response.write(row);
        response.end();
      });
    }

    test("is read with its last row, but its end is not proven", async () => {
      const row = "2023-01-18 01:09:59+00,5\n";
      const stream = await clientOf([await endlessNode(row)]).exportLedger(query);
      expect(await read(stream)).toBe(`${HEADER}${row}`);
      expect(stream.endIsProven).toBe(false);
    });

    test("is cut in the middle of a row", async () => {
      const stream = await clientOf([await endlessNode("2023-01-18 01:09:59+00,5")]).exportLedger(query);
      expect(await outcome(read(stream))).toMatchObject({ kind: "cut", httpStatus: 200 });
    });
  });

  test("of which not even the refusal comes whole fails with the refusal", async () => {
    const a = await node((_request, response) => {
      response.writeHead(500, { "Content-Length": 100 });
      response.write('{"code":13,"message":"Internal error"', () => response.destroy());
    });
    expect(await outcome(clientOf([a]).exportLedger(query))).toMatchObject({ kind: "server", httpStatus: 500 });
  });

  test("of which nothing comes any more fails", async () => {
    const a = await node((_request, response) => void response.write(HEADER));
    const stream = await clientOf([a], { limits: { idleMillis: 500 } }).exportLedger(query);
    const error = await outcome(read(stream));
    expect(error).toMatchObject({ kind: "cut", httpStatus: 200 });
    expect(error.message).toContain("sent nothing for 500 ms");
  });

  test("whose bytes came in time is waited for, though they were read late, and then as long as ever", async () => {
    const waiting: ServerResponse[] = [];
    const a = await node((_request, response) => {
      waiting.push(response);
      response.write(HEADER);
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const stream = await clientOf([a], { limits: { idleMillis: 500 } }).exportLedger(query);
    const parts: string[] = [];
    const failed = outcome(stream.consume((part) => void parts.push(part.toString())));
    // Behind this the timers come before what is read.
    await turn();
    waiting[0]!.write("1,2\n");
    process.nextTick(() => vi.advanceTimersByTime(500));
    await expect.poll(() => parts.length).toBe(2);
    waiting[0]!.write("3,4\n");
    await expect.poll(() => parts.length).toBe(3);
    vi.advanceTimersByTime(500);
    expect(await failed).toMatchObject({ kind: "cut" });
  });

  test("whose connection ends while it is not taken keeps its order", async () => {
    const [blank, rows] = ["\n", "vega_time\n{\n"];
    const a = await node(async (_request, response) => {
      response.setHeader("Content-Length", blank.length + rows.length);
      await new Promise((resolve) => response.write(blank, resolve));
      // Two pieces for the reader.
      for (let turns = 0; turns < 5; turns += 1) await turn();
      response.write(rows, () => response.destroy());
    });
    const api = clientOf([a], { limits: { exportPauseMillis: 0 } });
    const stream = await api.exportLedger(query);
    const parts: string[] = [];
    let go: (() => void) | undefined;
    const taken = stream.consume((part) => {
      parts.push(part.toString());
      return parts.length > 1 ? undefined : new Promise((resolve) => (go = resolve));
    });
    a.serve = (_request, response) => void response.end(HEADER);
    await read(await api.exportLedger(query));
    go?.();
    await taken;
    expect(parts.join("")).toBe(blank + rows);
  });

  test("of which nothing ever came fails", async () => {
    const a = await node(() => undefined);
    expect(await outcome(clientOf([a], { limits: { idleMillis: 50 } }).exportLedger(query))).toMatchObject({
      kind: "timeout",
    });
  });

  const crawling = { crawlBytes: 1000, crawlMillis: 200, idleMillis: 5000 };

  test("that crawls is given up, and keeps the next one waiting no longer", async () => {
    const a = await node((_request, response) => {
      response.write(HEADER);
      const drip = setInterval(() => response.write("1,2\n"), 20);
      response.on("close", () => clearInterval(drip));
    });
    const api = clientOf([a], { limits: { ...crawling, exportPauseMillis: 0 } });
    const error = await outcome(read(await api.exportLedger(query)));
    expect(error).toMatchObject({ kind: "cut", httpStatus: 200 });
    expect(error.message).toMatch(saying(name(a), /\d+ bytes/u, "200 ms"));
    a.serve = (_request, response) => void response.end(HEADER);
    expect(await read(await api.exportLedger(query))).toBe(HEADER);
  });

  test("that is slow but has its announced end in sight is waited for", async () => {
    const rows = ["1,2\n".repeat(20), "3,4\n".repeat(10)] as const;
    const a = await node((_request, response) => {
      response.writeHead(200, { "Content-Length": HEADER.length + rows.join("").length });
      response.write(HEADER + rows[0]);
      setTimeout(() => response.end(rows[1]), 300);
    });
    const stream = await clientOf([a], { limits: crawling }).exportLedger(query);
    expect(await read(stream)).toBe(HEADER + rows.join(""));
  });

  test("goes at the pace of a slow consumer", async () => {
    const chunk = Buffer.alloc(64 * 1024, "1,2\n");
    let written = 0;
    const fill = (response: ServerResponse): void => {
      while (written < 1024 && response.write(chunk)) written += 1;
      if (written < 1024) {
        written += 1;
        response.once("drain", () => fill(response));
      } else response.end();
    };
    const a = await node((_request, response) => fill(response));
    const stream = await clientOf([a], { limits: { idleMillis: 300 } }).exportLedger(query);
    let bytes = 0;
    let calls = 0;
    let open: (() => void) | undefined;
    const poured = stream.consume((part) => {
      calls += 1;
      bytes += part.length;
      return calls > 1 ? undefined : new Promise((resolve) => (open = resolve));
    });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(calls).toBe(1);
    expect(written).toBeLessThan(1000);
    open?.();
    await poured;
    expect(bytes).toBe(1024 * chunk.length);
  });

  test("comes through byte for byte, however unevenly it is taken, out of reused memory", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 400_000 }), { minLength: 10, maxLength: 60 });
    const waits = fc.array(fc.constantFrom("no", "no", "no", "soon", "later"), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sizes, waits, fc.boolean(), async (lengths, pauses, asMessages) => {
        const file = createHash("sha256");
        const a = await node((_request, response) => {
          void (async () => {
            for (const [index, length] of lengths.entries()) {
              const part = Buffer.alloc(length, `${index},${length * 7919}\n`);
              part[length - 1] = 0x0a;
              file.update(part);
              const wire = asMessages ? JSON.stringify({ result: { data: part.toString("base64") } }) : part;
              if (!response.write(wire)) await once(response, "drain");
            }
            response.end();
          })();
        });
        const stream = await clientOf([a]).exportLedger(query);
        const taken = createHash("sha256");
        let calls = 0;
        let open = 0;
        let ahead = 0;
        await stream.consume((part) => {
          ahead = open === 0 ? 0 : ahead + part.length;
          expect(ahead).toBeLessThan(1024 * 1024);
          const wait = pauses[(calls += 1) % pauses.length];
          taken.update(part);
          // A consumer may modify the bytes.
          part.fill("?");
          if (wait === "no") return undefined;
          open += 1;
          return new Promise((resolve) => {
            const go = (): void => {
              open -= 1;
              resolve();
            };
            if (wait === "soon") setImmediate(go);
            else setTimeout(go, 3);
          });
        });
        expect(taken.digest("hex")).toBe(file.digest("hex"));
      }),
      runs(70),
    );
  });

  test("ends with whatever its taker throws, now or later, and the connection with it", async () => {
    let dropped = 0;
    const a = await node((_request, response) => {
      response.on("close", () => (dropped += 1));
      response.write(HEADER);
    });
    const api = clientOf([a], { limits: { exportPauseMillis: 0 } });
    const now = await api.exportLedger(query);
    const throwing = now.consume(() => {
      throw new Error("no room now");
    });
    await expect(throwing).rejects.toThrow("no room now");
    const later = await api.exportLedger(query);
    await expect(later.consume(() => Promise.reject(new Error("no room later")))).rejects.toThrow("no room later");
    const never = await api.exportLedger(query);
    never.cancel();
    never.cancel();
    await expect(read(never)).rejects.toThrow("given up");
    await expect.poll(() => dropped).toBe(3);
  });

  test("ends with its caller, before and after it began", async () => {
    let dropped = 0;
    const a = await node((_request, response) => {
      response.on("close", () => (dropped += 1));
      if (a.asked.length > 1) response.write(HEADER);
    });
    const api = clientOf([a], { limits: { exportPauseMillis: 0 } });
    const early = new AbortController();
    const unopened = api.exportLedger(query, { signal: early.signal });
    await expect.poll(() => a.asked.length).toBe(1);
    early.abort(new Error("left early"));
    await expect(unopened).rejects.toThrow("left early");
    const late = new AbortController();
    const stream = await api.exportLedger(query, { signal: late.signal });
    late.abort(new Error("left late"));
    await expect(read(stream)).rejects.toThrow("left late");
    await expect.poll(() => dropped).toBe(2);
  });
});

test.each([true, false])("how much of it has arrived is known where its length is: %s", async (known) => {
  const waiting: ServerResponse[] = [];
  const a = await node((_request, response) => {
    waiting.push(response);
    if (known) response.setHeader("Content-Length", 2 * HEADER.length);
    response.write(HEADER);
  });
  const opening = clientOf([a]).exportLedger(query);
  const stream = await opening;
  expect(stream.share()).toBe(known ? 0.5 : undefined);
  waiting[0]!.end(HEADER);
  await read(stream);
  expect(stream.share()).toBe(known ? 1 : undefined);
});

describe("one node", () => {
  test("has one export at a time, and a pause between two", async () => {
    const waiting: ServerResponse[] = [];
    const a = await node((_request, response) => void waiting.push(response));
    const clock = new VirtualClock();
    const api = clientOf([a], { clock, limits: { exportPauseMillis: 2000 } });
    const first = api.exportLedger(query);
    const second = api.exportLedger(query);
    await expect.poll(() => a.asked.length).toBe(1);
    waiting[0]!.end(HEADER);
    await read(await first);
    await clock.advance(1900);
    expect(a.asked).toHaveLength(1);
    await clock.advance(200);
    await expect.poll(() => a.asked.length).toBe(2);
    waiting[1]!.end(HEADER);
    expect(await read(await second)).toBe(HEADER);
  });

  test("that is busy is waited for, for hours where it takes them; whoever gives up stops waiting", async () => {
    const waiting: ServerResponse[] = [];
    const a = await node((_request, response) => {
      waiting.push(response);
      response.write(HEADER);
    });
    const clock = new VirtualClock();
    const api = clientOf([a], { clock, limits: { callMillis: 5000, exportPauseMillis: 0 } });
    const first = await api.exportLedger(query);
    const leaving = new AbortController();
    const left = api.exportLedger(query, { signal: leaving.signal }).catch((thrown: unknown) => thrown);
    const late = api.exportLedger(query);
    await clock.advance(3 * 3_600_000);
    leaving.abort(new Error("gone"));
    expect(await left).toMatchObject({ message: "gone" });
    waiting[0]!.end();
    await read(first);
    await expect.poll(() => a.asked.length).toBe(2);
    waiting[1]!.end();
    expect(await read(await late)).toBe(HEADER);
  });

  test("whose export slot is taken leaves it to another that is free", async () => {
    const a = await node((_request, response) => void response.write(HEADER));
    const b = await node((_request, response) => void response.end(HEADER));
    const api = clientOf([a, b]);
    await api.exportLedger(query);
    expect((await api.exportLedger(query)).asOf.node).toBe(name(b));
  });

  test.each([
    [3, undefined, 7, 1],
    [3, 8, 7, 1],
    [3, 2, 7, 0],
    [8, 5, 7, 0],
    [7, Infinity, 7, 0],
    [180, Infinity, undefined, 1],
  ])("keeping %s days, the other %s: for the last %s, no. %s is asked", async (one, other, ago, asked) => {
    const nodes = await Promise.all([0, 1].map(() => node((_request, response) => void response.end(HEADER))));
    const days = [one, other];
    const addresses = nodes.map(({ url }, index) => {
      const ledgerDays = days[index];
      return { url, ...(ledgerDays === undefined ? {} : { ledgerDays }) };
    });
    const clock = new VirtualClock();
    const from = ago === undefined ? {} : { from: nanoseconds(clock.wallClock() - BigInt(ago) * 86_400_000_000_000n) };
    const stream = await clientOf([], { nodes: addresses, clock }).exportLedger({ ...query, ...from });
    expect([stream.asOf.node, stream.ledgerDays]).toEqual([name(nodes[asked]!), days[asked]]);
  });

  test("of too short a history goes before one that is to be asked last, and behind none that is ill", async () => {
    const well = () => node((_request, response) => void response.end(HEADER));
    const ill = await node((_request, response) => void response.writeHead(403).end());
    const [last, short] = [await well(), await well()];
    const nodes = [ill, last, short].map(({ url }) => ({ url, ledgerDays: url === short.url ? 1 : 99 }));
    const api = clientOf([], { nodes, limits: { exportPauseMillis: 0 } });
    const from = nanoseconds(BigInt(Date.now() - 2 * 86_400_000) * 1_000_000n);
    await read(await api.exportLedger({ ...query, from }));
    const stream = await api.exportLedger({ ...query, from }, { after: new Set([name(last)]) });
    expect([stream.asOf.node, ill.asked.length]).toEqual([name(short), 1]);
  });

  test("that bans us is not asked for exports either", async () => {
    const a = await node((_request, response) => void response.writeHead(403).end());
    const api = clientOf([a], { limits: { exportPauseMillis: 0 } });
    expect((await outcome(api.exportLedger(query))).kind).toBe("banned");
    expect((await outcome(api.exportLedger(query))).kind).toBe("banned");
    expect(a.asked).toHaveLength(1);
  });
});

describe("a node that several processes share", () => {
  /** What the processes know of each other; `refuses`: the database does not answer so often. */
  function registry() {
    const holders = new Map<string, string>();
    const state = { refuses: 0, holders };
    const slots = (self: string): SharedSlots => ({
      async take(network, one) {
        const key = `${network} ${one}`;
        if ((holders.get(key) ?? self) !== self) return false;
        holders.set(key, self);
        return true;
      },
      async give(network, one) {
        state.refuses -= 1;
        if (state.refuses >= 0) throw new Error("the database does not answer");
        if (holders.get(`${network} ${one}`) === self) holders.delete(`${network} ${one}`);
      },
    });
    return Object.assign(state, { slots });
  }

  test("gives one export at a time to all of them, with its pause between two", async () => {
    const waiting: ServerResponse[] = [];
    const a = await node((_request, response) => void waiting.push(response));
    const clock = new VirtualClock();
    const { slots } = registry();
    const [own, other] = ["own", "other"].map((self) =>
      clientOf([a], { clock, limits: { exportPauseMillis: 2000 }, exportSlots: slots(self) }),
    );
    const first = own!.exportLedger(query);
    await expect.poll(() => a.asked.length).toBe(1);
    const second = other!.exportLedger(query);
    await clock.advance(60_000);
    waiting[0]!.end(HEADER);
    await read(await first);
    await clock.advance(1900);
    expect(a.asked).toHaveLength(1);
    await clock.advance(1200);
    await expect.poll(() => a.asked.length).toBe(2);
    waiting[1]!.end(HEADER);
    expect(await read(await second)).toBe(HEADER);
  });

  test("and that another one exports from is passed by, where another node is free", async () => {
    const a = await node((_request, response) => void response.write(HEADER));
    const b = await node((_request, response) => void response.end(HEADER));
    const { slots } = registry();
    await clientOf([a, b], { exportSlots: slots("own") }).exportLedger(query);
    const other = clientOf([a, b], { exportSlots: slots("other") });
    expect((await other.exportLedger(query)).asOf.node).toBe(name(b));
    expect(a.asked).toHaveLength(1);
  });

  test("goes back to the others once the database answers, and not while the next export of this process runs", async () => {
    const a = await node((_request, response) => void response.end(HEADER));
    const clock = new VirtualClock();
    const shared = registry();
    const api = clientOf([a], { clock, limits: { exportPauseMillis: 2000 }, exportSlots: shared.slots("own") });
    await read(await api.exportLedger(query));
    shared.refuses = 1;
    await clock.advance(2100);
    const stream = await api.exportLedger(query);
    await clock.advance(5000);
    expect([...shared.holders.values()]).toEqual(["own"]);
    shared.refuses = 3;
    await read(stream);
    await clock.advance(4900);
    expect([...shared.holders.values()]).toEqual(["own"]);
    await clock.advance(200);
    expect([...shared.holders.values()]).toEqual([]);
  });
});
