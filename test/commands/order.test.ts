import { expect, test } from "vitest";

import { loopbackNode } from "../support/loopback-node.ts";
import { saying } from "../support/said.ts";
import { talk } from "../support/talk.ts";
import { talkToSimulator } from "./conversation.ts";

test("an order shows its remaining size, and the changes of its last amendment", async () => {
  const { ask, samples } = await talkToSimulator();
  const screen = await ask(`order ${samples.orderId}`);
  expect(screen).toMatch(/^• Active\b.* (buy|sell) [\d,.]+ \S+ .*[\d,.]+/u);
  expect(screen).toMatch(saying("•", /[\d,.]+/u, /\d+\.\d\d/u, "%"));
  expect(screen).toMatch(saying("•", /[\d,.]+/u));
  expect(screen).toMatch(saying(4));
  expect(screen).toMatch(saying(3));
});

test("earlier versions are a button away, and say that they no longer hold", async () => {
  const { ask, press, samples } = await talkToSimulator();
  await ask(`order ${samples.orderId}`);
  const second = await press(/version:2/u);
  expect(second).toMatch(saying("•", 2, 4));
  expect(await press(/version:3/u)).toMatch(saying(3, 4));
  expect(await press(/^order id:\w+( network:\w+)?$/u)).not.toContain("An earlier version");
  expect(await ask(`order ${samples.orderId} version:9`)).toMatch(saying("!", 9, 1, 4));
});

test("why an order was rejected or stopped is said in plain words, with the network's own name for it", async () => {
  const { ask, samples } = await talkToSimulator();
  expect(await ask(`order ${samples.rejectedOrderId}`)).toMatch(saying("✗", "Reason", "margin check failed"));
  expect(await ask(`order ${samples.stoppedOrderId}`)).toMatch(
    saying("!", samples.stoppedOrderId, "Reason", "self trading"),
  );
  expect(await ask(`order ${samples.parkedOrderId}`)).toMatch(saying("!", "parked", samples.parkedOrderId));
});

test("once shown, an order, its party and its market are found by their beginnings", async () => {
  const { ask, samples } = await talkToSimulator();
  const start = samples.orderId.slice(0, 8);
  expect(await ask(`order ${start}`)).toMatch(saying("!", /[0-9a-f]{8}/u, "mainnet", 64));
  const party = /Party +([0-9a-f]{64})/u.exec(await ask(`order ${samples.orderId}`))![1]!;
  expect(await ask(`order ${start}`)).toContain(samples.orderId);
  expect(await ask(`stake ${party.slice(0, 8)}`)).toContain(party);
});

test("orders shown are offered with the status that holds for good, and found by it", async () => {
  const { ask, suggest, samples } = await talkToSimulator();
  await ask(`order ${samples.orderId}`);
  await ask(`order ${samples.rejectedOrderId}`);
  const offered = await suggest("order", "id", "");
  const labelOf = (id: string): string | undefined => offered.find(({ value }) => value === id)?.label;
  expect(labelOf(samples.rejectedOrderId)).toMatch(/^rejected \S+\/\S+ \(/u);
  expect(labelOf(samples.orderId)).not.toMatch(/active|rejected/u);
  expect(await suggest("order", "id", "rejec")).toMatchObject([{ value: samples.rejectedOrderId }]);
  expect(await ask("order rejected")).toContain(samples.rejectedOrderId);
});

test("an unknown order names the network, what else may be the cause, and a near one that was seen", async () => {
  const { ask, samples } = await talkToSimulator();
  await ask(`order ${samples.orderId}`);
  const mistyped = `${samples.orderId.slice(0, -1)}${samples.orderId.endsWith("0") ? "1" : "0"}`;
  const screen = (await ask(`order ${mistyped}`)).replaceAll(/\s+/gu, " ");
  expect(screen).toMatch(saying("!", "mainnet", mistyped));
  expect(screen).toMatch(/^!/u);
  expect(screen).toMatch(saying("!", samples.orderId));
  expect(await ask(`order ${samples.orderId.slice(0, 60)}`)).toContain(samples.orderId);
  expect(await ask(`order ${"f".repeat(63)}`)).toMatch(saying("!", 63, 64));
});

test("what a newer release adds is shown, and names that are not known stay readable", async () => {
  const id = "a1".repeat(32);
  const order = {
    id,
    status: "STATUS_HIBERNATING",
    reason: "ORDER_ERROR_FULL_MOON",
    side: "SIDE_BUY",
    icebergOrder: { peak: "5" },
  };
  await using node = await loopbackNode(({ path }) => (path.includes("/order/") ? { body: { order } } : undefined));
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = await conversation.ask(`order ${id}`);
  expect(screen).toContain("Hibernating");
  expect(screen).toContain("The network says: full moon.");
  expect(screen).toMatch(saying("icebergOrder", '{"peak":"5"}'));
});

test.each<[string, object, [string, string], string]>([
  ["left out, since nodes leave zeros out", { size: "10" }, ["10", "100.00 %"], "0"],
  ["given", { size: "10", remaining: "4" }, ["6", "60.00 %"], "4"],
])("what remains of an order is %s", async (_name, sizes, filled, left) => {
  const order = { id: "a1".repeat(32), status: "STATUS_FILLED", side: "SIDE_BUY", ...sizes };
  await using node = await loopbackNode(({ path }) => (path.includes("/order/") ? { body: { order } } : undefined));
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  const screen = await conversation.ask(`order ${order.id}`);
  const [amount, percent] = filled;
  expect(screen).toMatch(saying(`${amount} raw`, percent, `${left} raw`));
});

test("without an id the orders of the saved party are to choose from: those of one state alone, else live ones, then the newest", async () => {
  const { ask, askFor, suggest, samples } = await talkToSimulator();
  const ofAll = await ask("why rejected");
  expect(ofAll).toMatch(/^• Which order\?.*The newest rejected orders of all parties on mainnet/su);
  expect(ofAll).toMatch(
    /\] +(?:Buy|Sell) [\d,.]+ \S+.* · \d+ \w+ ago · (?:The margin is not covered|The party's balance is too low)\n.*…[0-9a-f]{4} · \d+ rejected orders?/su,
  );
  await ask(`my party ${samples.partyId} desk`);
  const labels = async (line: string): Promise<string[]> =>
    (await askFor(line)).actions.flatMap((action) =>
      "choices" in action ? action.choices.map(({ label }) => label) : [],
    );
  const statesOf = (all: readonly string[]): string[] => [...new Set(all.map((label) => label.split(" ", 1)[0] ?? ""))];
  const live = await labels("order");
  expect(live).toHaveLength(25);
  expect(live[0]).toMatch(/^(?:Active|Parked) · (?:buy|sell) [\d,.]+ \S+[^·]* · \d+ \w+ ago$/u);
  const isLive = (state: string): boolean => state === "Active" || state === "Parked";
  const ended = statesOf(live).findIndex((state) => !isLive(state));
  expect(statesOf(live).slice(ended).filter(isLive)).toEqual([]);
  // Of one state, why is said instead.
  const rejected = await labels("order state:rejected");
  expect(rejected.filter((label) => !/^(?:Buy|Sell) .* · [A-Z][^·]+$/u.test(label))).toEqual([]);
  expect(statesOf(rejected)).toEqual(expect.not.arrayContaining(["Rejected", "Active", "Stopped"]));
  expect(statesOf((await suggest("order", "id", "stopped")).map(({ label }) => label))).toEqual(["Stopped"]);
  expect(await ask(`order party:${"ab".repeat(32)}`)).toMatch(/lists no orders of abababab…abab/u);
});

test("a price of 0, as a market order has it where its type is left out, is no price", async () => {
  const order = { id: "a1".repeat(32), status: "STATUS_FILLED", side: "SIDE_BUY", size: "10", price: "0" };
  await using node = await loopbackNode(({ path }) => (path.includes("/order/") ? { body: { order } } : undefined));
  await using conversation = await talk({ networks: { mainnet: [node.url] } });
  expect(await conversation.ask(`order ${order.id}`)).toMatch(/^. Filled: buy 10 raw units$/mu);
});
