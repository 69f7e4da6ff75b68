import { describe, expect, it } from "vitest";

import {
  joinPlans,
  LONGEST_SLOW,
  type PlannedDelivery,
  SLOW_TO_FOLLOW,
} from "../../../../src/alerts/deliver/outbox/batch.ts";
import { openUntil } from "../../../../src/alerts/deliver/outbox/join.ts";
import { messagesOf } from "../../../../src/alerts/deliver/outbox/queries.ts";
import { enqueue, fanOutAll } from "../../../../src/alerts/deliver/outbox/outbox.ts";
import { type Episode, episodeRow } from "../../../../src/alerts/judge/rules/episode.ts";
import type { AlertMessage } from "../../../../src/alerts/message/message.ts";
import { destinationKey } from "../../../../src/alerts/destination.ts";
import { saying } from "../../../support/said.ts";
import { anEpisode } from "../../samples.ts";
import { ops, owed, type OwedRow } from "./owed.ts";

const message: AlertMessage = { type: "test", by: "ada", at: "1" };
const down = (node: number, number = 1): string => `node.down|mainnet|n${node}|${number}`;
const planned = (id: string, more: Partial<PlannedDelivery> = {}): PlannedDelivery => ({
  id,
  destination: ops,
  phase: "trigger",
  message,
  episode: down(1),
  joins: { key: "g", within: 5000 },
  ...more,
});
const first = { id: "first", phase: "trigger", episode: down(0), join_key: "g" } as const;

interface Joining {
  readonly later?: number;
  readonly open?: readonly Episode[];
  readonly chunkRows?: number | undefined;
}

/** What becomes of planned deliveries where these are stored, some milliseconds later: `id state revision: items`. */
async function joined(
  stored: readonly OwedRow[],
  deliveries: readonly PlannedDelivery[],
  { later = 0, open = [], chunkRows }: Joining = {},
) {
  const { stage, tables, at } = await owed(...stored);
  const lines = await tables(async (all) => {
    await all.watch.putEpisodes(open.map(episodeRow));
    const sent = stored.filter(({ is }) => is?.state === "sent");
    await all.outbox.putReceipts(
      sent.map(({ id }) => ({ delivery: id, platform: "nowhere", channel: "ops", message: id, at })),
    );
    await enqueue(all, joinPlans([{ deliveries }]), at + later, chunkRows);
    await fanOutAll(all);
    const rows = await all.outbox.get([...stored, ...deliveries].map(({ id }) => id));
    const items = Map.groupBy(await all.items.of(rows.map(({ id }) => id)), ({ delivery }) => delivery);
    return rows
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ id, state, revision }) =>
        [id, state, revision, ...(items.get(id) ?? []).map((item) => item.id)].join(" "),
      );
  });
  const decisions = await stage.engine.decisions({ limit: 9 });
  return { lines, decisions };
}

describe("what is planned with a key", () => {
  it("joins the message that is planned with it, and is logged", async () => {
    const { lines, decisions } = await joined([], [planned("a"), planned("b", { episode: down(2) })]);
    expect(lines).toEqual(["a owed 1 b"]);
    expect(decisions).toMatchObject([
      { what: "grouped", network: "mainnet", episode: down(2), delivery: "b", destination: destinationKey(ops) },
    ]);
    expect(decisions[0]?.detail).toMatch(saying("trigger", "a"));
  });

  it.each([
    ["in another channel", { destination: { platform: "nowhere", channel: "desk" } }],
    ["in another thread", { threadOf: "x" }],
    ["with another key", { joins: { key: "h", within: 5000 } }],
    ["with no key", { joins: undefined }],
  ])("joins none %s", async (_what, more) => {
    const { joins, ...rest } = { ...planned("b", { episode: down(2) }), ...more };
    const other = joins === undefined ? rest : { ...rest, joins };
    expect((await joined([], [planned("a"), other])).lines).toEqual(["a owed 0", "b owed 0"]);
  });

  it("joins an unsent message, however long that waits", async () => {
    const { lines } = await joined([first], [planned("a")], { later: 3_600_000 });
    expect(lines).toEqual(["first owed 1 a"]);
  });

  it("says nothing more of the episode that the message is about", async () => {
    const { lines } = await joined([first], [planned("a", { episode: down(0), phase: "resolve" })]);
    expect(lines).toEqual(["first owed 0", "a owed 0"]);
  });
});

describe("a message that was sent", () => {
  const open = [anEpisode("node.down", { id: down(0) })];
  const sent = (until: number | null): OwedRow => ({ ...first, open_until: until, is: { state: "sent" } });
  const NOON = 1_717_416_000_000;

  it.each([
    ["while it is open", 5000, ["first owed 1 a"]],
    ["no more", 5001, ["first sent 0", "a owed 0"]],
  ])("is joined %s", async (_what, later, lines) => {
    expect((await joined([sent(NOON + 5000)], [planned("a")], { later, open })).lines).toEqual(lines);
  });

  it("is joined by one episode of a subject, not by the next one", async () => {
    const deliveries = [planned("a"), planned("b", { episode: down(1, 2) })];
    expect((await joined([sent(NOON + 5000)], deliveries, { open })).lines).toEqual(["first owed 1 a", "b owed 0"]);
  });

  it.each([
    ["not by what fires once all of it is over", "trigger", 0, 1, ["first sent 0", "a owed 0"]],
    ["by what ends then", "resolve", 0, 1, ["first owed 1 a"]],
    ["not by what ends later", "resolve", 0, 2, ["first sent 0", "a owed 0"]],
    ["by what follows soon", "event", 9, 10, ["first owed 1 a"]],
    ["not by what follows later", "event", 9, 11, ["first sent 0", "a owed 0"]],
    ["not by what was planned with it", "event", 9, 0, ["first sent 0", "a owed 0"]],
  ] as const)("of a cause is joined %s", async (_what, phase, after, later, lines) => {
    const over = [anEpisode("node.down", { id: down(0), state: "resolved", ended: `${NOON + 1}000000` })];
    const joining = planned("a", { phase, joins: { cause: { key: "g", after } } });
    expect((await joined([sent(null)], [joining], { later, open: over })).lines).toEqual(lines);
  });

  it("of a cause is joined by its effects alone, while it lasts", async () => {
    const effect = planned("a", { joins: { cause: { key: "g", after: 0 }, key: "h", within: 5000 } });
    const deliveries = [effect, planned("b", { episode: down(2), joins: { key: "g" } })];
    const { lines } = await joined([sent(null)], deliveries, { later: 1, open });
    expect(lines).toEqual(["first owed 1 a", "b owed 0"]);
  });

  it.each([
    ["a restart of the next node, though all of it is over", SLOW_TO_FOLLOW, down(1), 0, ["first owed 1 a"]],
    ["no second episode of the node", SLOW_TO_FOLLOW, down(0, 2), 0, ["first sent 0", "a owed 0"]],
    ["no node that follows too late", SLOW_TO_FOLLOW, down(1), SLOW_TO_FOLLOW + 1, ["first sent 0", "a owed 0"]],
    ["nothing else", 5000, down(1), 0, ["first sent 0", "a owed 0"]],
  ] as const)("takes in %s", async (_what, within, episode, later, lines) => {
    const over = [anEpisode("node.down", { id: down(0), state: "resolved" })];
    const stored = [{ ...sent(NOON + SLOW_TO_FOLLOW) }];
    const deliveries = [planned("a", { episode, joins: { key: "g", within } })];
    expect((await joined(stored, deliveries, { later, open: over })).lines).toEqual(lines);
  });

  it.each([
    [0, NOON + SLOW_TO_FOLLOW],
    [SLOW_TO_FOLLOW, NOON + 2 * SLOW_TO_FOLLOW],
    [LONGEST_SLOW - 1, NOON + LONGEST_SLOW],
  ])("stays open for nodes that follow slowly: %d ms later until %d", (later, until) => {
    expect(openUntil({ within: SLOW_TO_FOLLOW }, NOON, NOON + later)).toBe(until);
  });

  it("is not joined while it may not have arrived, once it is closed", async () => {
    const uncertain: OwedRow = { ...first, open_until: NOON, is: { attempts: 1, uncertain_since: 1 } };
    expect((await joined([uncertain], [planned("a")], { later: 1, open })).lines).toEqual(["first owed 0", "a owed 0"]);
  });
});

it("the lists of three planned at once are one message", async () => {
  const event = (key: string) => ({ kind: "checkpoint.new", network: "mainnet", subject: "", key, at: "1" }) as const;
  const lists = ["1", "2", "3"].map((id) => {
    const day = { kind: "checkpoint.new", network: "mainnet", day: "2024-06-03" } as const;
    const events = [{ ...event(id), atBlock: id, hash: "h" }];
    const said: AlertMessage = { type: "rolling", ...day, total: 1, events };
    const { episode: _episode, ...rolling } = planned(id, { phase: "rolling", message: said });
    return { ...rolling, joins: { key: "day", until: Infinity } };
  });
  const { stage, tables, at } = await owed();
  await tables((all) => enqueue(all, joinPlans([{ deliveries: lists }]), at));
  const said = await tables((all) => messagesOf(all, ["1", "2", "3"]));
  expect(said.map(({ message: one }) => (one.type === "rolling" ? one.total : 0))).toEqual([3]);
  await stage.pass(0);
});

describe("the ends of alerts on one card", () => {
  const card = { ...first, is: { state: "sent" } } as const;
  const second = { ...first, id: "second", episode: down(1), joined: "first" } as const;
  const ends = [0, 1].map((node): PlannedDelivery => ({
    id: `end${node}`,
    destination: ops,
    phase: "resolve",
    message,
    episode: down(node),
    cardOf: "first",
  }));

  it("ring once, when the last one is over", async () => {
    const over = [anEpisode("node.down", { id: down(0), state: "resolved" }), anEpisode("node.down", { id: down(1) })];
    expect((await joined([card, second], ends.slice(0, 1), { open: over })).lines).toEqual([
      "first owed 2 second end0",
    ]);
  });

  it("join the card while it is being sent for the first time", async () => {
    const sending = { ...card, is: { state: "sending" } } as const;
    const open = [anEpisode("node.down", { id: down(1) })];
    expect((await joined([sending, second], ends.slice(0, 1), { open })).lines).toEqual([
      "first sending 2 second end0",
    ]);
  });

  it.each([
    ["at once", undefined],
    ["in several chunks", 1],
  ])("ring once, %s", async (_what, chunkRows) => {
    const { lines } = await joined([card, second], ends, { chunkRows });
    expect(lines.filter((line) => line.startsWith("end"))).toHaveLength(1);
    expect(lines[0]?.split(" ").slice(3)).toEqual(["second", expect.stringMatching(/^end\d$/u)]);
  });
});
