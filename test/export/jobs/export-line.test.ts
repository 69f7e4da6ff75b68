import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { ExportLine, type LineState } from "../../../src/export/jobs/export-line.ts";
import { runs } from "../../support/runs.ts";

const T = 1_700_000_000_000;

interface Job {
  readonly code: string;
  readonly platform: string;
  readonly person: string;
  readonly network: string;
  readonly state: "queued" | "running";
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** `a1` is a's on mainnet, `bt` is b's on testnet; asked for one after the other. */
const jobs = (...codes: readonly string[]): Job[] =>
  codes.map((code, index) => ({
    code,
    platform: "slack",
    person: code[0]!,
    network: code[1] === "t" ? "testnet" : "mainnet",
    state: "queued",
    created_at: T + index,
    started_at: null,
    ended_at: null,
  }));

/** Exports that took so long, one after the other, of which the first ended last, at T. */
const turnsOf = (...lasted: readonly number[]) =>
  lasted.map((millis, index) => {
    const ended = T - lasted.slice(0, index).reduce((sum, one) => sum + one, 0);
    return { began: ended - millis, ended };
  });

function lineOf(open: readonly Job[], more: Partial<LineState> = {}): ExportLine {
  return new ExportLine({
    open,
    served: [],
    at: T + 1000,
    nodes: () => 1,
    pausedUntil: () => 0,
    lastTurns: () => [],
    pauseMillis: () => 0,
    ...more,
  });
}

/** The exports of a while: each takes a second, and the line is read anew whenever one ends. */
function served(asked: readonly Job[], nodes: number): string {
  let open = asked;
  let at = T + 1000;
  const ended: { platform: string; person: string; at: number }[] = [];
  const order: string[] = [];
  while (open.length > 0) {
    const next = lineOf(open, { at, served: ended, nodes: () => nodes }).next();
    expect(next.length).toBeGreaterThan(0);
    order.push(...next);
    at += 1000;
    ended.push(...open.filter(({ code }) => next.includes(code)).map((job) => ({ ...job, at })));
    open = open.filter(({ code }) => !next.includes(code));
  }
  return order.join(" ");
}

test.each<{ asked: string[]; nodes: number; inTurn: string }>([
  { asked: ["a1", "b1", "c1"], nodes: 1, inTurn: "a1 b1 c1" },
  { asked: ["a1", "a2", "a3", "b1", "c1"], nodes: 1, inTurn: "a1 b1 c1 a2 a3" },
  { asked: ["a1", "a2", "b1", "b2", "c1"], nodes: 1, inTurn: "a1 b1 c1 a2 b2" },
  { asked: ["a1", "a2", "a3", "b1", "c1"], nodes: 2, inTurn: "a1 b1 c1 a2 a3" },
  { asked: ["a1", "at", "b1"], nodes: 1, inTurn: "a1 b1 at" },
])("$asked on $nodes nodes are served in turns: $inTurn", ({ asked, nodes, inTurn }) => {
  expect(served(jobs(...asked), nodes)).toBe(inTurn);
});

describe("a line", () => {
  test("tells places and waits of all, whoever's process they are in", () => {
    const line = lineOf(jobs("a1", "a2", "a3", "b1", "ct"), { lastTurns: () => turnsOf(4000, 2000) });
    expect(Object.fromEntries(line.places())).toEqual({
      a1: { place: 1, of: 4, waitMillis: 0 },
      b1: { place: 2, of: 4, waitMillis: 3000 },
      a2: { place: 3, of: 4, waitMillis: 6000 },
      a3: { place: 4, of: 4, waitMillis: 9000 },
      ct: { place: 1, of: 1, waitMillis: 0 },
    });
    const later = line.withBegun(["a1"]);
    expect(later.runs("a1")).toBe(true);
    expect(later.next()).toEqual(["ct"]);
    expect(Object.fromEntries(later.places())).toMatchObject({
      b1: { place: 1, of: 3, waitMillis: 3000 },
      a2: { place: 2, of: 3, waitMillis: 6000 },
    });
  });

  test("gives a place free as soon as its export has ended, though its file is still copied", () => {
    const [first, second] = jobs("a1", "b1");
    const running = { ...first!, state: "running" as const, started_at: T };
    expect(lineOf([running, second!]).next()).toEqual([]);
    expect(lineOf([{ ...running, ended_at: T + 900 }, second!]).next()).toEqual(["b1"]);
  });

  test("begins nothing on a network that refuses, as this process or another one knows; another network goes on", () => {
    const [a1, b1, bt, ct] = jobs("a1", "b1", "bt", "ct");
    const refused = { ...a1!, started_at: T + 5000 };
    for (const line of [
      lineOf([refused, b1!, bt!, ct!]),
      lineOf([a1!, b1!, bt!, ct!], { pausedUntil: (network) => (network === "mainnet" ? T + 5000 : 0) }),
    ]) {
      expect(line.refusedUntil("mainnet")).toBe(T + 5000);
      expect(line.refusedUntil("testnet")).toBeUndefined();
      expect(line.next()).toEqual(["bt"]);
    }
    const after = lineOf([refused, b1!], { at: T + 5000 });
    expect([after.refusedUntil("mainnet"), after.next()]).toEqual([undefined, ["a1"]]);
  });
});

test("nobody begins twice while somebody else who could begin waits, however many come and go", () => {
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom("a", "b", "c", "d"), network: fc.constantFrom("mainnet", "testnet") }),
    fc.record({ end: fc.nat(5) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let open: Job[] = [];
      const ended = new Map<string, number>();
      /** How often others began on a network since a person, waiting there, was last served or came. */
      const passed = new Map<string, Map<string, number>>();
      for (const [index, one] of steps.entries()) {
        const at = T + 10 * index;
        const running = open.filter(({ state }) => state === "running");
        if ("add" in one) {
          const [job] = jobs(`${one.add}${index}`);
          const key = `${one.add} ${one.network}`;
          if (!passed.has(key)) passed.set(key, new Map());
          open.push({ ...job!, network: one.network, created_at: at });
        } else if (running.length > 0) {
          const gone = running[one.end % running.length]!;
          open = open.filter((job) => job !== gone);
          ended.set(gone.person, at);
          for (const key of passed.keys()) if (key.startsWith(`${gone.person} `)) passed.set(key, new Map());
        }
        const line = lineOf(open, {
          at: at + 1,
          served: [...ended].map(([person, last]) => ({ platform: "slack", person, at: last })),
        });
        for (const code of line.next()) {
          const job = open.find((found) => found.code === code)!;
          open = open.map((found) => (found === job ? { ...job, state: "running", started_at: at + 1 } : found));
          for (const key of passed.keys()) if (key.startsWith(`${job.person} `)) passed.set(key, new Map());
          const busy = new Set(open.filter(({ state }) => state === "running").map(({ person }) => person));
          const waits = (person: string) =>
            open.some((found) => found.state === "queued" && found.person === person && found.network === job.network);
          if (!waits(job.person)) passed.delete(`${job.person} ${job.network}`);
          for (const [key, counts] of passed) {
            const [person = "", network] = key.split(" ");
            // Whoever has one running waits for that, and not for others.
            if (network !== job.network || busy.has(person)) continue;
            counts.set(job.person, (counts.get(job.person) ?? 0) + 1);
            expect(counts.get(job.person)).toBeLessThanOrEqual(1);
          }
        }
        for (const network of ["mainnet", "testnet"]) {
          expect(open.filter((job) => job.state === "running" && job.network === network).length).toBeLessThan(2);
        }
        const people = open.flatMap(({ state, person }) => (state === "running" ? [person] : []));
        expect(new Set(people).size).toBe(people.length);
      }
    }),
    runs(150),
  );
});
