import { describe, expect, it } from "vitest";

import { dropDeleted, mergeFollowing, readGroup } from "../../../../src/alerts/deliver/outbox/group.ts";
import { noteDeletedCard } from "../../../../src/alerts/deliver/outbox/notification-state.ts";
import { episodeRow } from "../../../../src/alerts/judge/rules/episode.ts";
import { anEpisode } from "../../samples.ts";
import { ops, owed, type OwedRow } from "./owed.ts";
import { readReference } from "../../../../src/alerts/message/message-group.ts";

const E = "node.down|mainnet|n1|1";
const DATA = { destination: ops };
const data = (more: object): string => JSON.stringify({ ...DATA, ...more });

/** Merges into the first of these what follows of its episodes. */
async function merged(due: OwedRow, ...others: readonly OwedRow[]) {
  const rows = [due, ...others];
  const { tables, at } = await owed(...rows);
  return tables(async (all) => {
    const [first] = await all.outbox.get([due.id]);
    const { row, decisions } = await mergeFollowing(all, first!, at);
    const stored = await all.outbox.get(rows.map(({ id }) => id));
    const states = stored.toSorted((a, b) => a.seq - b.seq).map(({ id, phase, state }) => `${id} ${phase} ${state}`);
    const items = (await all.items.of(rows.map(({ id }) => id))).map(({ id, phase }) => `${id} ${phase}`);
    return { row, group: await readGroup(all, row), whats: decisions.map(({ what }) => what), states, items };
  });
}

const trigger = { id: "t", phase: "trigger", episode: E } as const;
const escalation = { id: "e", phase: "escalation", episode: E } as const;
const resolve = { id: "r", phase: "resolve", episode: E } as const;

describe("an unsent trigger", () => {
  it.each([
    ["its escalation", [escalation], "trigger", ["e escalation merged"]],
    ["its resolve", [resolve], "fired and resolved", ["r resolve merged"]],
    ["both", [escalation, resolve], "fired and resolved", ["e escalation merged", "r resolve merged"]],
  ] as const)("takes in %s", async (_what, later, phase, states) => {
    const now = await merged(trigger, ...later);
    expect(now.row.phase).toBe(phase);
    expect([now.states, now.whats]).toEqual([[`t ${phase} owed`, ...states], ["merged"]]);
  });

  it.each([
    ["the escalation", escalation, { mention: "S2" }],
    ["itself where the other is its resolve", resolve, { mention: "S1" }],
  ])("notifies like %s", async (_what, later, notifies) => {
    const own = { ...trigger, data: data({ mention: "S1" }) };
    const now = await merged(own, { ...later, data: data({ mention: "S2", quiet: true }) });
    const quiet = later.phase === "escalation" ? { quiet: true } : {};
    expect(JSON.parse(now.row.data)).toEqual({ ...DATA, ...notifies, ...quiet });
  });

  it("takes in nothing that may have arrived", async () => {
    const now = await merged(trigger, { ...resolve, is: { attempts: 1, uncertain_since: 1 } });
    expect([now.states, now.whats]).toEqual([["t trigger owed", "r resolve owed"], []]);
  });

  it("takes in what follows of another episode that it says", async () => {
    const other = { ...trigger, id: "other", episode: "node.down|mainnet|n2|1", joined: "t" };
    const now = await merged(trigger, other, { ...resolve, episode: other.episode });
    expect([now.states, now.items, now.whats]).toEqual([
      ["t trigger owed", "r resolve merged"],
      ["other fired and resolved"],
      ["merged"],
    ]);
  });
  it("leaves what it does not say in a message that says others, too", async () => {
    const now = await merged(
      trigger,
      resolve,
      { id: "same", phase: "resolve", episode: E, joined: "r" },
      { id: "next", phase: "resolve", episode: "node.down|mainnet|n2|1", joined: "r" },
      { id: "last", phase: "resolve", episode: "node.down|mainnet|n3|1", joined: "r" },
    );
    expect([now.states, now.items]).toEqual([["t fired and resolved owed", "r resolve owed"], ["last resolve"]]);
  });
});

it("a group names as notices what happened beside its episodes", async () => {
  const { tables } = await owed(
    trigger,
    { ...trigger, id: "other", episode: "node.down|mainnet|n2|1", joined: "t" },
    { id: "event", phase: "event", joined: "t" },
  );
  const group = await tables(async (all) => readGroup(all, (await all.outbox.get(["t"]))[0]!));
  expect(group?.notices).toEqual([{ type: "test", by: "ada", at: "1" }]);
});

it.each([
  ["fired and resolved", "fired and resolved", true],
  ["fired and resolved", "trigger", undefined],
  ["trigger", "fired and resolved", undefined],
  ["resolve", "resolve", undefined],
] as const)("a group of a %s and a %s was over before it was sent: %s", async (own, other, isOver) => {
  const { tables } = await owed(
    { ...trigger, phase: own },
    { ...trigger, id: "other", phase: other, episode: "node.down|mainnet|n2|1", joined: "t" },
  );
  const group = await tables(async (all) => readGroup(all, (await all.outbox.get(["t"]))[0]!));
  expect(group?.merged).toBe(isOver);
});

it("the end of an alert that was flapping first shows the story of its trigger", async () => {
  const { tables } = await owed(
    { ...trigger, id: "notice", phase: "flapping" },
    trigger,
    { id: "event", phase: "event", joined: "t" },
    resolve,
  );
  const story = await tables(async (all) => readGroup(all, (await all.outbox.get(["r"]))[0]!));
  expect([story?.id, story?.notices.length]).toEqual(["t", 1]);
});

it.each([
  ["other alerts in its course", "node.down", "t"],
  ["others of its kind alone", "network.stalled", undefined],
] as const)("the end of an alert whose message says %s", async (_what, kind, story) => {
  const other = `${kind}|mainnet|x|1`;
  const { tables } = await owed(trigger, { ...trigger, id: "other", episode: other, joined: "t" }, resolve);
  const episodes = [anEpisode("network.stalled", { id: E }), anEpisode(kind, { id: other })];
  const shown = await tables(async (all) => {
    await all.watch.putEpisodes(episodes.map(episodeRow));
    return readGroup(all, (await all.outbox.get(["r"]))[0]!);
  });
  expect(shown?.id).toBe(story);
});

it("an end that says several alerts names them, and not the story of its trigger", async () => {
  const other = "node.down|mainnet|n2|1";
  const { tables } = await owed(trigger, { id: "event", phase: "event", joined: "t" }, resolve, {
    ...resolve,
    id: "also",
    episode: other,
    joined: "r",
  });
  const group = await tables(async (all) => readGroup(all, (await all.outbox.get(["r"]))[0]!));
  expect(group?.id).toBe("r");
});

it.each([
  ["all of its kind on the card", ["node.down|mainnet|n2|1"], [E, "node.down|mainnet|n2|1"]],
  ["itself alone where the others are of another kind", ["network.stalled|mainnet||1"], undefined],
])("a short post says %s", async (_what, others, said) => {
  const joined = [...others, "market.auction|mainnet|m|1"];
  const { tables } = await owed(
    trigger,
    ...joined.map((episode) => ({ ...trigger, id: episode, episode, joined: "t" })),
    resolve,
  );
  const group = await tables(async (all) => {
    const kinds = { node: "node.down", network: "network.stalled", market: "market.auction" } as const;
    const kindOf = (id: string) => kinds[id.split(".")[0] as keyof typeof kinds];
    await all.watch.putEpisodes([E, ...joined].map((id) => episodeRow(anEpisode(kindOf(id), { id }))));
    return readGroup(all, (await all.outbox.get(["r"]))[0]!, "t");
  });
  expect(group?.episodes.map(({ id }) => id)).toEqual(said);
});

describe("where a message was deleted", () => {
  it("what was to be posted in its thread is dropped", async () => {
    const { tables, at } = await owed(trigger);
    await tables(async (all) => {
      const [row] = await all.outbox.get(["t"]);
      await dropDeleted(all, row!, at, () => "new");
      expect(await all.outbox.get(["t", "new"])).toEqual([]);
    });
  });

  it("an end that it did not show is told by itself, and calls nobody; a trigger does", async () => {
    const card = { ...trigger, data: data({ mention: "S1" }), is: { state: "sent", revision: 0 } } as const;
    const more = (id: string, phase: string) => ({ id, phase, episode: `node.down|mainnet|${id}|1`, joined: "t" });
    const { tables, at } = await owed(card, more("over", "resolve"), more("begun", "trigger"));
    await tables(async (all) => {
      const [row] = await all.outbox.get(["t"]);
      await dropDeleted(all, row!, at, () => "new");
      const next = await all.outbox.get(["over", "begun"]);
      expect(Object.fromEntries(next.map((one) => [one.id, JSON.parse(one.data)]))).toEqual({
        over: DATA,
        begun: { ...DATA, mention: "S1" },
      });
    });
  });
});

it.each([
  ["its card", { style: "live", state: "told", trigger: "t" }, true],
  ["one in plain style", { style: "plain", state: "told", trigger: "t" }, undefined],
  ["one of which nothing more is owed", { style: "live", state: "closed", trigger: "t" }, undefined],
  ["that of another message", { style: "live", state: "told", trigger: "other" }, undefined],
] as const)("a deleted message is noted as %s: %o", async (_what, of, deleted) => {
  const { tables } = await owed({ ...trigger, is: { state: "sent" } });
  await tables(async (all) => {
    const [row] = await all.outbox.get(["t"]);
    const state = JSON.stringify({ destination: ops, reminders: 0, ...of });
    await all.watch.putNotificationStates([{ episode: E, destination: row!.destination, data: state }]);
    await noteDeletedCard(all, row!.destination, [row!]);
    const [noted] = await all.watch.notificationStates([E], row!.destination);
    expect(JSON.parse(noted!.data).cardDeleted).toBe(deleted);
  });
});

it.each([
  ["group:a-1:12", { id: "a-1", count: 12 }],
  [" group:a-1:12\n", { id: "a-1", count: 12 }],
  ["a group:a-1:12", undefined],
  ["group:a-1:12 a", undefined],
  ["group:a 1:12", undefined],
  ["group:a-1:", undefined],
])("%j names %j", (text, named) => {
  expect(readReference(text)).toEqual(named);
});
