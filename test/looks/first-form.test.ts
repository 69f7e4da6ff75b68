import { expect, test } from "vitest";

import { Chunk } from "../../src/looks/chunk.ts";
import type { Json, Look } from "../../src/looks/look.ts";

/** Looks with a column of each kind. */
const LOOKS = Array.from({ length: 9 }, (_, look): Look => {
  const at = 1_800_000_000_000_000_000n + BigInt(look) * 5_000_000_000n + BigInt((look * 7919) % 1000);
  const nodes: Json = { a: { time: `${at - 70_000_000n}` }, b: { time: `${at - 70_000_000n + BigInt(look % 3)}` } };
  const seen: Json = {
    nodes,
    huge: String(2n ** 80n + BigInt(look)),
    height: 1000 + look * look,
    price: look % 2 === 0 ? "1.50" : `${look}.5`,
    share: look / 4,
    asset: "7.25",
    verdict: look < 5 ? "healthy" : "stalled",
    list: look === 3 ? [] : [1, null, true],
    ...(look === 4 ? {} : { since: String(look) }),
  };
  const head = { run: "one", dueMillis: 1000.5 + look * 5000, every: 5000, at: at as Look["at"] };
  return look === 7 ? { ...head, failure: "no node answered" } : { ...head, seen };
});

/** A chunk of them as the first version wrote it: with one head in JSON. */
const FIRST =
  "AQAAAbEotS/9YAcGPQ0AVtE0IFBnrAOBYq327A2WgnpiKkkJta5G/QH8a8I9C8bMTK8BKwApAC0ACnVE1Xvhwxy9ISO4uXo3zDlHN3yB60vh6s8OXFFQ75aIzB2OFPUecI5dEbE1M8YBG5vc5vjoT1stPrTY+KB648UIjhaH3OLRk6BX317MUVJ/2zz3iZGokhBDEUUJR1IImRDRMRhNALqXHWXaBMPV27j2BX1pu/28LdjjyEzVt0wiC0MOIuMlkI07JdUcaKIvsJmpceDmbUFK4Hav4y2n05HpwI9Ak4PgRRJFMlOooT1DNTMpo1CuGYACmUDu6AES4GAYkuFQjCRJlGMCIzhGgAwSjJmILJrrzACppzUcdTfY5oINyKT5DUJN2ifu9SKTUwKYoeo2A3fjiuVTfBYxdtPPdnBF4ezUr8midMvu5jo7k1lAM53ToFe0SbJHDTD+2/L+pvsX2RRn9KWIsWBbMGH0PvIYEjhUaKHeaSStaM6jJI4FRKu5M8s7nqwcghIsKtjnTkrIxgBYXAdrZrDPqA3YWDfsSAAFa10DHUI4ew76xMWiwACCGP9gwKsCAAAArtavoCXPDwAAAAAAAAABAAIAAAAAAAAAAgcBAAAAAAAAAAAAAgcBAAACBAACBAAEAgcBAAACBAYICgwQAgcBAAACBgoOEhY4AgcBAgECAQIBAgECAgAAAgAEAAACBwECAQACAQIAAgEAAgICAgICBAIHAQIAAAAAAAAAAAIHAR1bIlwiaGVhbHRoeVwiIiwiXCJzdGFsbGVkXCIiXQAAAAAAAQEBBAMBAwEAAAAAAAAAAAQDAQMBCFsibnVsbCJdAAAAAAAAAAQDAQMBCFsidHJ1ZSJdAAAAAAAAAAQEAQIBAAACBAYKDBADAAMBBlsiW10iXQADAAcBGFsiXCJubyBub2RlIGFuc3dlcmVkXCIiXQA=";

test("chunks of the first version are read as they were", () => {
  const chunk = new Chunk(Buffer.from(FIRST, "base64"));
  expect([...chunk.looks()]).toEqual(LOOKS);
  expect(chunk.column('["seen","share"]').near(6)).toBe(1.5);
  expect(chunk.values('["seen","share"]')).toBeUndefined();
});
