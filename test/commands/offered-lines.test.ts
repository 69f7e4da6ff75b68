import { expect, test } from "vitest";

import { fullText } from "../../src/reply/full-text.ts";
import { linesOf } from "../support/said.ts";
import { talkInOps } from "./alert-channel.ts";

/** The line that a mistyped one is answered with. */
async function offered(talk: Awaited<ReturnType<typeof talkInOps>>, line: string): Promise<string | undefined> {
  const reply = await talk.askFor(line);
  // A sentence has its command to press.
  return reply.blocks.flatMap((block) => (block.kind === "code" ? [block.text] : [])).at(-1) ?? linesOf(reply)[0];
}

test.each([
  ["silence all for the night", "alerts silence what:all until:07:00"],
  ["silence all tomorrow", "alerts silence what:all from:tomorrow for:30m"],
  ["silence node.down for:banana", "alerts silence"],
  ["silence nonsense for:1h", "alerts silence"],
  ["silence 2h", "alerts silence for:2h"],
  ["silence BTC/USDT 2h", "alerts silence what:BTC/USDT for:2h"],
  ["mute all until 07:00", "alerts silence what:all until:07:00"],
  ["subscribe to alerts", "alerts add"],
  ["subscribe here", "alerts add"],
  ["subscribe BTC/USDT", "alerts add subjects:BTC/USDT"],
  ["subscribe ops,markets", "alerts add ops,markets"],
  ["subscribe node.lagging for:banana", "alerts add"],
  ["subscribe node.lagging for:2m", "alerts add node.lagging for:2m"],
  ["subscribe ops quiet:night", "alerts add"],
  ["subscribe ops severity:terrible", "alerts add"],
  ["subscribe market.price high:lots", "alerts add"],
  ["unsubscribe ab12", "alerts remove"],
  ["why network.stalled", "alerts why"],
  ["acknowledge node.down", "alerts ack"],
  ["is the network healthy", "time network:mainnet"],
  ["show market nonsense", "market show"],
  ["markte lsit network:testnet", "market list network:testnet"],
  ["markte lsit network:nowhere", "market list"],
])("%s is answered with %s", async (line, right) => {
  expect(await offered(await talkInOps(), line)).toBe(right);
});

test.each(["show market BTC", "market BTCUSDT", "market show btc usdt", "btc spread", "spread btc usdt"])(
  "%s is plain enough to be answered",
  async (line) => {
    const answer = await (await talkInOps()).askFor(line);
    expect([answer.failure, fullText(answer)]).toEqual([undefined, expect.stringContaining("BTC/USDT")]);
  },
);

test.each([
  ["alerts silence nonsense for:90d", "alerts silence <what> 30d"],
  ["alerts silence node.down for:90d", "alerts silence node.down for:30d"],
  ["alerts silence nonsense for:tonight", "alerts silence <what> until:07:00"],
  ["alerts why", "alerts why <episode>"],
  ["my forget", "my forget <party>"],
  ["ledger export usdt 7d", "ledger export party:<party> asset:USDT from:7d"],
  [`ledger export ${"a1".repeat(32)} NOPE from:10d to:20d`, `ledger export ${"a1".repeat(32)} <asset> from:20d to:10d`],
  ["market show", "market show BTC/USDT"],
])("%s is refused while it runs, with a line whose values would be taken: %s", async (line, right) => {
  expect(await offered(await talkInOps(), line)).toBe(right);
});

test("a value that no node can tell of is left to fill in", async () => {
  const talk = await talkInOps();
  talk.simulator.faults.set({ kind: "die", network: "mainnet" });
  expect(await offered(talk, "market show")).toBe("market show <market>");
});

test("a word of an alert that there is stays in the line", async () => {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down");
  const [known] = await talk.engine.subscriptions();
  expect(await offered(talk, `unsubscribe ${known!.id}`)).toBe(`alerts remove ${known!.id}`);
});

test.each(["lst month", "yesterdy", "thsi week", "last qarter"])(
  "a time nearly right is offered right: %s",
  async (typed) => {
    const talk = await talkInOps();
    const { actions } = await talk.askFor(`ledger export ${"ab".repeat(32)} USDT from:"${typed}"`);
    const right =
      { "lst month": "last month", yesterdy: "yesterday", "thsi week": "this week" }[typed] ?? "last quarter";
    expect(actions).toMatchObject([{ invocation: { options: { from: right } } }]);
  },
);
