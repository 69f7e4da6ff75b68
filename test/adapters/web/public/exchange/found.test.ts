import { expect, test } from "vitest";

import { everything, marketsAmong, matching } from "../../../../../src/adapters/web/public/exchange/found.js";

const command = { summary: "", examples: [], needs: [] as string[], takesFile: false, changes: false };
const known = {
  commands: [
    { ...command, name: "market list", summary: "All markets" },
    { ...command, name: "market show", summary: "One market", needs: ["market"] },
    { ...command, name: "alerts add", summary: "Subscribe", changes: true },
  ],
  networks: [
    {
      network: "mainnet",
      nodes: [{ node: "api1:3008", state: "down", vote: "silent" } as const],
      stalled: { phase: "ok" } as const,
    },
  ],
  open: [
    {
      episode: "node.down|mainnet|api1:3008|1",
      kind: "node.down" as const,
      network: "mainnet",
      subject: "api1:3008",
      severity: "warning" as const,
      state: "firing" as const,
      began: "0",
      title: "api1 of mainnet does not answer",
    },
  ],
};

test("commands stand before alerts and nodes", () => {
  expect(everything(known).map(({ name }) => name)).toEqual([
    "market list",
    "market show",
    "alerts add",
    "api1 of mainnet does not answer",
    "api1:3008",
  ]);
});

test("what only reads is asked at once; what misses a value or changes something is begun", () => {
  const begun = everything(known).filter(({ question }) => question === undefined);
  expect(begun.map(({ line }) => line)).toEqual(["market show ", "alerts add "]);
  const [list, , , alert] = everything(known);
  expect(alert?.question).toEqual({ command: "alerts why", options: { episode: "node.down|mainnet|api1:3008|1" } });
  expect(alert?.line).not.toContain("|");
  expect(list?.question).toEqual({ text: "market list" });
});

test("each typed word is somewhere, and a name that begins so comes first", () => {
  const found = (typed: string): string[] => matching(everything(known), typed).map(({ name }) => name);
  expect(found("")).toHaveLength(5);
  expect(found("market")).toEqual(["market list", "market show"]);
  expect(found("api1")).toEqual(["api1 of mainnet does not answer", "api1:3008"]);
  expect(found("LIST market")).toEqual(["market list"]);
  expect(found("alert")).toEqual(["alerts add", "api1 of mainnet does not answer"]);
  expect(found("nothing such")).toEqual([]);
});

test("of the lines that complete market show, those that name a market", () => {
  const offers = [
    { line: "market show BTC/USDT", label: "BTC/USDT" },
    { line: "market show ETH/BTC", label: "ETH/BTC · settled" },
    { line: 'market show "A B" ', label: "A B (live)" },
    { line: "market show network:", label: null },
    { line: "market show " },
  ];
  expect(marketsAmong(offers)).toEqual([
    { name: "BTC/USDT", what: "market", line: "market show BTC/USDT", question: { text: "market show BTC/USDT" } },
    {
      name: "ETH/BTC",
      what: "market: settled",
      line: "market show ETH/BTC",
      question: { text: "market show ETH/BTC" },
    },
    { name: "A B", what: "market: A B (live)", line: 'market show "A B"', question: { text: 'market show "A B"' } },
  ]);
});
