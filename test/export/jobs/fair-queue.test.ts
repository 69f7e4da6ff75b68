import * as fc from "fast-check";
import { expect, test } from "vitest";

import { FairQueue } from "../../../src/export/jobs/fair-queue.ts";

interface Job {
  readonly name: string;
  readonly person: string;
  readonly network: string;
}

const jobs = (...names: string[]): Job[] =>
  names.map((name) => ({ name, person: name[0]!, network: name[1] === "t" ? "testnet" : "mainnet" }));
const drain = (queue: FairQueue<Job>, mayBegin: (one: Job) => boolean = () => true): string => {
  const taken: string[] = [];
  for (let next = queue.take(mayBegin); next !== undefined; next = queue.take(mayBegin)) taken.push(next.name);
  return taken.join(" ");
};

test.each<{ asked: string[]; served: string }>([
  { asked: ["a1", "b1", "c1"], served: "a1 b1 c1" },
  { asked: ["a1", "a2", "a3", "b1", "c1"], served: "a1 b1 c1 a2 a3" },
  { asked: ["a1", "a2", "b1", "b2", "c1"], served: "a1 b1 c1 a2 b2" },
  { asked: [], served: "" },
])("$asked is served in turns: $served", ({ asked, served }) => {
  const queue = new FairQueue<Job>();
  for (const one of jobs(...asked)) queue.add(one);
  expect(
    queue
      .order("mainnet")
      .map(({ name }) => name)
      .join(" "),
  ).toBe(served);
  expect(drain(queue)).toBe(served);
  expect(queue.networks.size).toBe(0);
});

test("what cannot begin keeps its turn; what is taken out is gone; what is put back is the next", () => {
  const queue = new FairQueue<Job>();
  const all = jobs("a1", "a2", "bt", "c1");
  for (const one of all) queue.add(one);
  expect([queue.remove(all[3]!), queue.remove(all[3]!)]).toEqual([true, false]);
  expect(queue.take(({ network }) => network === "testnet")).toBe(all[2]);
  queue.putBack(all[2]!);
  expect(drain(queue)).toBe("bt a1 a2");
});

test("nobody begins twice while somebody else who could begin waits, however many come and go", () => {
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom("a", "b", "c", "d"), network: fc.constantFrom("mainnet", "testnet") }),
    fc.record({ take: fc.constantFrom("mainnet", "testnet") }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new FairQueue<Job>();
      const waiting: Job[] = [];
      /** How often others began on a network since a person, waiting there, was last served or came. */
      const passed = new Map<string, Map<string, number>>();
      for (const [index, one] of steps.entries()) {
        if ("add" in one) {
          const job = { name: `${one.add}${index}`, person: one.add, network: one.network };
          if (!waiting.some(({ person, network }) => person === job.person && network === job.network))
            passed.set(`${job.person} ${job.network}`, new Map());
          queue.add(job);
          waiting.push(job);
          continue;
        }
        const order = queue.order(one.take);
        const taken = queue.take(({ network }) => network === one.take);
        expect(taken === undefined).toBe(!waiting.some(({ network }) => network === one.take));
        if (taken === undefined) continue;
        expect(order).toContain(taken);
        waiting.splice(waiting.indexOf(taken), 1);
        // First asked, first served among one's own.
        expect(
          waiting.some(
            (job) =>
              job.person === taken.person &&
              job.network === taken.network &&
              Number(job.name.slice(1)) < Number(taken.name.slice(1)),
          ),
        ).toBe(false);
        // Whoever was served, wherever, waits for a turn anew.
        for (const key of passed.keys()) if (key.startsWith(`${taken.person} `)) passed.set(key, new Map());
        if (!waiting.some((job) => job.person === taken.person && job.network === taken.network))
          passed.delete(`${taken.person} ${taken.network}`);
        for (const [key, counts] of passed) {
          if (!key.endsWith(` ${one.take}`) || key.startsWith(`${taken.person} `)) continue;
          counts.set(taken.person, (counts.get(taken.person) ?? 0) + 1);
          expect(counts.get(taken.person)).toBeLessThanOrEqual(1);
        }
      }
    }),
    { numRuns: 150 },
  );
});
