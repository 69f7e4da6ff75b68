import { describe, expect, it } from "vitest";

import { mergeOwed, readGroup, readStory } from "../../../../src/alerts/deliver/outbox/group.ts";
import { type Episode, episodeRow } from "../../../../src/alerts/judge/rules/episode.ts";
import { saying } from "../../../support/said.ts";
import { anEpisode } from "../../samples.ts";
import { NOON } from "../../stage.ts";
import { ops, owed, type OwedRow } from "./owed.ts";
import { destinationKey } from "../../../../src/alerts/destination.ts";
import { readReference } from "../../../../src/alerts/message/message-group.ts";

const E = "node.down|mainnet|n1|1";
/** When they are owed, in Unix milliseconds. */
const AT = Number(NOON / 1_000_000n);
const DATA = { destination: ops };
const data = (more: object): string => JSON.stringify({ ...DATA, ...more });

/** Merges into the first of these what the others are. */
const merged = (due: OwedRow, ...others: readonly OwedRow[]) => mergedWhere([], due, ...others);

/** The same where these episodes are known. */
async function mergedWhere(episodes: readonly Episode[], due: OwedRow, ...others: readonly OwedRow[]) {
  const rows = [due, ...others];
  const { tables, at } = await owed(...rows);
  await tables(({ watch }) => watch.putEpisodes(episodes.map(episodeRow)));
  let count = 0;
  const newId = (): string => `new${(count += 1)}`;
  return tables(async (all) => {
    const [first] = await all.outbox.get([due.id]);
    const { row, says, decisions } = await mergeOwed(all, first!, at, newId);
    const stored = await all.outbox.get(rows.map(({ id }) => id));
    const states = stored.toSorted((a, b) => a.seq - b.seq).map(({ id, phase, state }) => `${id} ${phase} ${state}`);
    const owedEdits = await all.outbox.owedEdits(rows.map(({ id }) => id));
    const [edits, urgencies] = [owedEdits.map(({ target }) => target), owedEdits.map(({ urgency }) => urgency)];
    const phases = owedEdits.map(({ phase }) => phase);
    return { row, says, whats: decisions.map(({ what }) => what), decisions, states, edits, urgencies, phases };
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
    expect(now.row?.phase).toBe(phase);
    expect([now.states, now.whats]).toEqual([[`t ${phase} owed`, ...states], ["merged"]]);
  });

  it.each(["reminder", "state"] as const)("takes in no %s alone", async (phase) => {
    const now = await merged(trigger, { id: "x", phase, episode: E });
    expect([now.states, now.whats]).toEqual([["t trigger owed", `x ${phase} owed`], []]);
  });

  it.each([
    ["the escalation", escalation, { mention: "S2" }],
    ["itself where the other is its resolve", resolve, { mention: "S1" }],
  ])("notifies like %s", async (_what, later, notifies) => {
    const own = { ...trigger, data: data({ mention: "S1" }) };
    const now = await merged(own, { ...later, data: data({ mention: "S2", quiet: true }) });
    const quiet = later.phase === "escalation" ? { quiet: true } : {};
    expect(JSON.parse(now.row!.data)).toEqual({ ...DATA, ...notifies, ...quiet });
  });

  it("that may have arrived takes in nothing", async () => {
    const now = await merged({ ...trigger, is: { attempts: 1, uncertain_since: 1 } }, resolve);
    expect([now.states, now.whats, now.says]).toEqual([["t trigger owed", "r resolve owed"], [], true]);
  });
});

describe("the first of a group", () => {
  const group = { group_key: "g", data: data({ within: 5000 }) };
  const first = { ...trigger, id: "first", episode: "node.down|mainnet|n0|1", ...group };

  it("says another trigger, which took in its own escalation and resolve once", async () => {
    const now = await merged(first, { ...trigger, ...group }, { ...escalation, ...group }, { ...resolve, ...group });
    expect([now.states, now.whats, now.says]).toEqual([
      ["first trigger owed", "t fired and resolved merged", "e escalation merged", "r resolve merged"],
      ["merged", "grouped"],
      true,
    ]);
    const grouped = now.decisions.at(-1);
    expect(grouped).toMatchObject({ network: "mainnet", episode: E, delivery: "t", destination: destinationKey(ops) });
    expect(grouped?.detail).toMatch(saying("fired and resolved", first.episode));
  });

  it("says nothing else of its own episode", async () => {
    const now = await merged({ ...escalation, ...group }, { ...resolve, ...group });
    expect([now.states, now.whats, now.says]).toEqual([["e escalation owed", "r resolve owed"], [], undefined]);
  });
});

describe("a message that was sent", () => {
  const story = { group_key: "g" };
  const sent = {
    ...trigger,
    id: "sent",
    episode: "network.stalled|mainnet||1",
    ...story,
    is: { state: "sent" },
  } as const;
  const end = { id: "end", phase: "resolve", episode: sent.episode } as const;
  const joins = { ...resolve, ...story };

  it.each([
    ["and so does its end", { is: { state: "sent" } }, ["sent", "end"]],
    ["but not an end that is still owed", { is: { state: "owed" } }, ["sent"]],
    ["but not an end that was given up", { is: { state: "dead" } }, ["sent"]],
    ["but not an end that is said with others", { is: { state: "sent" }, group_key: "r" }, ["sent"]],
  ] as const)("shows what joins it, %s", async (_what, more, edits) => {
    const now = await merged(joins, sent, { ...end, ...more });
    expect([now.row, new Set(now.edits)]).toEqual([undefined, new Set(edits)]);
  });

  it("is edited as urgently as the most urgent of what joins it", async () => {
    const event = { id: "event", phase: "event", ...story, urgency: 0 } as const;
    const now = await merged({ ...joins, urgency: 2 }, { ...sent, urgency: 0 }, event);
    expect([now.edits, now.urgencies]).toEqual([["sent"], [2]]);
  });

  it.each([
    ["what fires while it lasts", "firing", trigger, undefined],
    ["not what fires once it is over", "resolved", trigger, "t"],
    ["what ends once it is over", "resolved", resolve, undefined],
  ] as const)("says %s", async (_what, state, joining, row) => {
    const stall = anEpisode("network.stalled", { id: sent.episode, state });
    expect((await mergedWhere([stall], { ...joining, ...story }, sent)).row?.id).toBe(row);
  });

  const near = { group_key: "g", data: data({ within: 5000 }) };

  it.each([
    [4000, ["t trigger merged", "sent trigger sent", "later trigger merged"]],
    [5000, ["t trigger merged", "sent trigger sent", "later trigger merged"]],
    [5001, ["t trigger owed", "sent trigger sent", "later trigger merged"]],
  ])("says what comes soon, %d ms later, and what comes as soon after that", async (millis, states) => {
    const first = { ...sent, episode: "node.down|mainnet|n0|1", ...near };
    const later = { ...trigger, id: "later", episode: "node.down|mainnet|n2|1", ...near };
    const open = anEpisode("node.down", { id: first.episode });
    const now = await mergedWhere([open], { ...trigger, ...near, created_at: AT + millis }, first, {
      ...later,
      created_at: AT + millis + 4000,
    });
    expect(now.states).toEqual(states);
  });

  it.each([
    [8, ["group"]],
    [9, ["group", "state"]],
  ])("that says %d others is sent once more, with its file, where the next one makes ten", async (count, phases) => {
    const first = { ...sent, episode: "node.down|mainnet|n0|1", ...near };
    const open = anEpisode("node.down", { id: first.episode });
    const said = Array.from({ length: count }, (_, index) => {
      const is = { state: "merged", said_by: "sent" } as const;
      return { ...trigger, id: `s${index}`, episode: `node.down|mainnet|s${index}|1`, ...near, is };
    });
    const now = await mergedWhere([open], { ...trigger, ...near }, first, ...said);
    expect(now.phases).toEqual(phases);
  });

  it("says one episode of a subject, not the next one", async () => {
    const first = { ...trigger, id: "first", episode: "node.down|mainnet|n0|1", ...near, is: sent.is };
    const next = { ...trigger, id: "next", episode: E.replace(/1$/u, "2"), ...near };
    const open = anEpisode("node.down", { id: first.episode });
    const now = await mergedWhere([open], { ...trigger, ...near }, first, next);
    expect(now.states).toEqual(["t trigger merged", "first trigger sent", "next trigger owed"]);
  });

  it("says nothing of an episode where it is an event's", async () => {
    const now = await merged(joins, { id: "event", phase: "event", ...story, is: sent.is });
    expect([now.row?.id, now.whats, now.edits]).toEqual(["r", [], []]);
  });
});

it("a group names as notices what happened beside its episodes, and what its message does not show yet", async () => {
  const said = { group_key: "g", is: { state: "merged", said_by: "t" } } as const;
  const { tables, at } = await owed(
    { ...trigger, group_key: "g" },
    { ...trigger, id: "other", episode: "node.down|mainnet|n2|1", ...said },
    { id: "event", phase: "event", ...said },
  );
  const group = await tables(async (all) => {
    await all.outbox.putReceipts([{ delivery: "other", platform: "nowhere", channel: "ops", message: "1", at }]);
    return readGroup(all, (await all.outbox.get(["t"]))[0]!);
  });
  expect([group?.notices, group?.unshown]).toEqual([[{ type: "test", by: "ada", at: "1" }], ["event"]]);
});

it.each([
  ["fired and resolved", "fired and resolved", true],
  ["fired and resolved", "trigger", undefined],
  ["trigger", "fired and resolved", undefined],
  ["resolve", "resolve", undefined],
] as const)("a group of a %s and a %s was over before it was sent: %s", async (own, other, isOver) => {
  const said = { group_key: "g", is: { state: "merged", said_by: "t" } } as const;
  const { tables } = await owed(
    { ...trigger, phase: own, group_key: "g" },
    { ...trigger, id: "other", phase: other, episode: "node.down|mainnet|n2|1", ...said },
  );
  const group = await tables(async (all) => readGroup(all, (await all.outbox.get(["t"]))[0]!));
  expect(group?.merged).toBe(isOver);
});

it("the end of an alert that was flapping first shows the story of its trigger", async () => {
  const { tables } = await owed(
    { ...trigger, id: "notice", phase: "flapping", group_key: "f" },
    { ...trigger, group_key: "g" },
    { id: "event", phase: "event", group_key: "g", is: { state: "merged", said_by: "t" } },
    resolve,
  );
  const story = await tables(async (all) => readStory(all, (await all.outbox.get(["r"]))[0]!));
  expect([story?.id, story?.notices.length]).toEqual(["t", 1]);
});

it.each([
  ["other alerts in its course", "node.down", "t"],
  ["others of its kind alone", "network.stalled", undefined],
] as const)("the end of an alert whose message says %s", async (_what, kind, story) => {
  const other = `${kind}|mainnet|x|1`;
  const { tables } = await owed(
    { ...trigger, group_key: "g" },
    { ...trigger, id: "other", episode: other, group_key: "g", is: { state: "merged", said_by: "t" } },
    resolve,
  );
  const episodes = [anEpisode("network.stalled", { id: E }), anEpisode(kind, { id: other })];
  const shown = await tables(async (all) => {
    await all.watch.putEpisodes(episodes.map(episodeRow));
    return readStory(all, (await all.outbox.get(["r"]))[0]!);
  });
  expect(shown?.id).toBe(story);
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
