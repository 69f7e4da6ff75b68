import { describe, expect, it } from "vitest";

import type { ClaimedDelivery } from "../../../../src/alerts/deliver/outbox/claim.ts";
import { fanOutNext, enqueue } from "../../../../src/alerts/deliver/outbox/outbox.ts";
import { AlertMessage } from "../../../../src/alerts/message/message.ts";
import {
  deadLetter,
  deadLetterOwed,
  expire,
  isEndNotice,
  recordLateReceipt,
  recordPress,
  recordRetry,
  recordSent,
} from "../../../../src/alerts/deliver/outbox/record.ts";
import { UNREACHED, UNSENT } from "../../../../src/alerts/deliver/outbox/notification-state.ts";
import { arrivedMessage, lastArrivedOf, waitingOn } from "../../../../src/alerts/deliver/outbox/queries.ts";
import { backoffDelay } from "../../../../src/alerts/deliver/outbox/retry-policy.ts";
import { SendError } from "../../../../src/alerts/sender.ts";
import type { AlertTables } from "../../../../src/store/alert-tables/alert-tables.ts";
import { saying } from "../../../support/said.ts";
import { aSubscription } from "../../samples.ts";
import { openStage } from "../../stage.ts";
import { ops, owed } from "./owed.ts";
import { destinationKey } from "../../../../src/alerts/destination.ts";
import { DEAD_LETTER_AFTER } from "../../../../src/alerts/route/suspension.ts";

const newId = (): string => "new";
const desk = { platform: "nowhere", channel: "desk" };

/** The state of each, with what is said of it. */
async function states({ outbox }: AlertTables, ids: readonly string[]): Promise<string[]> {
  const rows = new Map((await outbox.get(ids)).map((row) => [row.id, row]));
  return ids.map((id) => `${id} ${rows.get(id)?.state}`);
}

describe("a delivery that failed", () => {
  it.each([
    ["the pause between attempts", undefined, 3, 0],
    ["the platform's time where that is longer", 60_000, 60_000, 60_000],
    ["the pause where that is longer, and others the platform's time", 10, 3, 10],
  ])("is due again after %s", async (_what, retryAfterMillis, mine, others) => {
    const { tables, at } = await owed(
      { id: "a", is: { attempts: 3, state: "sending" } },
      { id: "b" },
      { id: "c", destination: destinationKey(desk) },
    );
    await tables(async (all) => {
      const [row] = await all.outbox.get(["a"]);
      const due = at + (mine === 3 ? backoffDelay(3, 0) : mine);
      expect(await recordRetry(all, { ...row!, last_error: "503" }, { retryAfterMillis }, at, 0)).toBe(due);
      const rows = new Map((await all.outbox.get(["a", "b", "c"])).map((one) => [one.id, one]));
      expect(rows.get("a")).toMatchObject({ state: "owed", run_at: due, last_error: "503" });
      expect(rows.get("b")?.run_at).toBe(at + others);
      expect(rows.get("c")?.run_at).toBe(at);
    });
  });

  it("takes the rest of its episode with it, if it is a trigger that certainly never arrived", async () => {
    const rows = [
      { id: "trigger", phase: "trigger", episode: "e" },
      { id: "escalation", phase: "escalation", episode: "e" },
      { id: "told", phase: "reminder", episode: "e", is: { state: "sent" } },
      { id: "flapping", phase: "flapping", episode: "e" },
      { id: "calm", phase: "calm", episode: "e" },
      { id: "other", phase: "escalation", episode: "f" },
      { id: "elsewhere", phase: "escalation", episode: "e", destination: destinationKey(desk) },
    ] as const;
    const ids = rows.map(({ id }) => id);
    const { tables, at } = await owed(...rows);
    await tables(async (all) => {
      const [row] = await all.outbox.get(["trigger"]);
      await deadLetter(all, { ...row!, last_error: "400" }, at + 1, newId);
      expect(await states(all, ids)).toEqual([
        "trigger dead",
        "escalation dead",
        "told sent",
        "flapping owed",
        "calm owed",
        "other owed",
        "elsewhere owed",
      ]);
      expect((await all.outbox.get(["trigger"]))[0]).toMatchObject({ last_error: "400", settled_at: at + 1 });
      expect((await all.outbox.get(["escalation"]))[0]).toMatchObject({ settled_at: at + 1 });
    });
  });

  it.each([
    ["may have arrived", { phase: "trigger", episode: "e" }, 1],
    ["is no trigger", { phase: "escalation", episode: "e" }, null],
    ["belongs to no episode", { phase: "trigger", episode: null }, null],
  ] as const)("takes nothing with it where it %s", async (_what, row, uncertain_since) => {
    const { tables, at } = await owed({ id: "first", ...row }, { id: "later", phase: "resolve", episode: row.episode });
    await tables(async (all) => {
      const [first] = await all.outbox.get(["first"]);
      await deadLetter(all, { ...first!, uncertain_since }, at, newId);
      expect(await states(all, ["first", "later"])).toEqual(["first dead", "later owed"]);
      expect((await all.outbox.get(["first"]))[0]).toMatchObject({ uncertain_since });
    });
  });

  const there = (id: string, channel: string, phase: string, uncertain_since: number | null = null) => ({
    id,
    phase,
    episode: "e",
    destination: destinationKey({ platform: "nowhere", channel }),
    is: { uncertain_since },
  });

  it.each([
    ["platform", "nowhere", ["end of maybe", "end of told", "edit of told", "sending"]],
    ["destination", destinationKey(ops), ["maybe", "end of maybe", "end of told", "edit of told", "worse", "sending"]],
  ] as const)(
    "leaves the end notices of a lost %s owed, where the trigger was, or may have been, sent",
    async (_what, key, left) => {
      const { tables, at } = await owed(
        there("unsent", "ops", "trigger"),
        there("its resolve", "ops", "resolve"),
        there("maybe", "2", "trigger", 1),
        there("end of maybe", "2", "resolve"),
        there("end of told", "3", "resolve"),
        { ...there("edit of told", "3", "trigger"), is: { shown: 0 } },
        there("worse", "3", "escalation"),
        { id: "sending", is: { state: "sending" } },
      );
      await tables(async (all) => {
        await deadLetterOwed(all, key, at + 1, "401", newId);
        const open = await Promise.all(
          ["ops", "2", "3"].map((channel) => all.outbox.openOf(destinationKey({ platform: "nowhere", channel }))),
        );
        expect(new Set(open.flat().map(({ id }) => id))).toEqual(new Set(left));
        expect((await all.outbox.get(["its resolve"]))[0]).toMatchObject({
          state: "dead",
          settled_at: at + 1,
          last_error: "401",
        });
      });
    },
  );

  it.each([
    ["and the ends of that", null, "dead"],
    ["but no ends, where it may have arrived", 1, "owed"],
  ])("takes with it all that it says, where its destination is lost, %s", async (_what, uncertain_since, end) => {
    const { tables, at } = await owed(
      { id: "sayer", phase: "trigger", episode: "sayer", join_key: "g", is: { uncertain_since } },
      { id: "said", phase: "trigger", episode: "said", joined: "sayer" },
      { id: "end of said", phase: "resolve", episode: "said" },
      { id: "end of told", phase: "resolve", episode: "told", join_key: "r" },
      { id: "joins that", phase: "resolve", episode: "joins that", joined: "end of told" },
    );
    await tables(async (all) => {
      await deadLetterOwed(all, destinationKey(ops), at + 1, "401", newId);
      expect(await states(all, ["sayer", "end of said", "end of told"])).toEqual([
        "sayer dead",
        `end of said ${end}`,
        "end of told owed",
      ]);
    });
  });

  it("leaves what it says as much in doubt as itself, and told", async () => {
    const { tables, at } = await owed(
      { id: "sayer", phase: "trigger", episode: "e", join_key: "g" },
      { id: "said", phase: "trigger", episode: "f", joined: "sayer" },
    );
    await tables(async (all) => {
      const told = { destination: ops, style: "live", state: "told", trigger: "said", reminders: 0 };
      const state = { episode: "f", destination: destinationKey(ops), data: JSON.stringify(told) };
      await all.watch.putNotificationStates([state]);
      const [row] = await all.outbox.get(["sayer"]);
      await deadLetter(all, { ...row!, uncertain_since: 7 }, at, newId);
      expect((await all.watch.notificationStates(["f"])).map(({ data }) => data)).toEqual([state.data]);
      expect((await all.outbox.get(["sayer"]))[0]).toMatchObject({ state: "dead", uncertain_since: 7 });
    });
  });

  it.each([
    ["its last error", "503", "401", "503", UNREACHED],
    ["why the platform refuses the token", null, "401", "401", UNREACHED],
    ["its last error where no token is refused", "503", undefined, "503", UNSENT],
    ["nothing that could send it", null, undefined, /./u, UNSENT],
  ])("is given up after a day, as logged, because of %s", async (_what, last_error, refusal, why, by) => {
    const { tables, at } = await owed({ id: "old", phase: "trigger", episode: "e", is: { last_error } });
    await tables(async (all) => {
      const told = { destination: ops, style: "live", state: "told", trigger: "old", reminders: 0 };
      const state = { episode: "e", destination: destinationKey(ops), data: JSON.stringify(told) };
      await all.watch.putNotificationStates([state]);
      const day = at + DEAD_LETTER_AFTER;
      expect(await expire(all, day, newId, { except: [] }, () => refusal)).toEqual([]);
      expect(await expire(all, day + 1, newId, { except: ["nowhere"] }, () => refusal)).toEqual([]);
      const [one, ...others] = await expire(all, day + 1, newId, { except: [] }, () => refusal);
      expect([one, others]).toMatchObject([
        { what: "dead letter", destination: destinationKey(ops), delivery: "old", detail: expect.stringMatching(why) },
        [],
      ]);
      const [suppressed] = await all.watch.notificationStates(["e"]);
      expect(JSON.parse(suppressed!.data)).toMatchObject({ state: "suppressed", by });
      expect((await all.outbox.get(["old"]))[0]).toMatchObject({
        state: "dead",
        last_error: expect.stringMatching(why),
      });
    });
  });

  it.each([
    ["takes what it does not show yet with it where its place is lost", true, ["sayer sent", "new dead"]],
    ["lets what it does not show yet be owed as another message", false, ["sayer sent", "new owed"]],
  ] as const)("that is an edit %s", async (_what, isLost, after) => {
    const { tables, at } = await owed(
      { id: "sayer", is: { state: "sent", shown: 1 } },
      { id: "seen", phase: "trigger", episode: "d", joined: "sayer" },
      { id: "new", phase: "trigger", episode: "e", joined: "sayer" },
    );
    await tables(async (all) => {
      await all.outbox.update("sayer", { state: "owed" });
      const [row] = await all.outbox.get(["sayer"]);
      if (isLost) await deadLetterOwed(all, destinationKey(ops), at + 1, "401", newId);
      else await deadLetter(all, row!, at, newId);
      expect(await states(all, ["sayer", "new"])).toEqual(after);
      expect((await all.items.of(["sayer"])).map(({ id }) => id)).toEqual(["seen"]);
    });
  });

  it.each([
    ["resolve", "e", null, null, true],
    ["trigger", "e", 0, null, true],
    ["trigger", "e", null, 1, false],
    ["resolve", null, null, null, false],
    ["fired and resolved", "e", null, null, false],
    ["fired and resolved", "e", null, 1, true],
  ])("%s of %s, shown %s, uncertain since %s, is an end notice: %s", (phase, episode, shown, uncertain_since, is) => {
    expect(isEndNotice({ phase, episode, shown, uncertain_since })).toBe(is);
  });
});

describe("a rolling message that cannot be edited any more", () => {
  async function rolling() {
    const stage = await openStage();
    await stage.engine.putSubscriptions([aSubscription({ kinds: ["checkpoint.new"], events: "rolling" })], "ada");
    await stage.round([]);
    const checkpoint = (block: number) =>
      stage.round(
        [],
        [
          {
            kind: "checkpoint.new",
            network: "mainnet",
            subject: "",
            key: `${block}/h`,
            at: String(stage.clock.wallClock()),
            atBlock: String(block),
            hash: `h${block}`,
          },
        ],
      );
    await checkpoint(1);
    await stage.pass(5000);
    expect(stage.sender.take()).toEqual(["rolling: 1 checkpoint.new on mainnet, 2024-06-03"]);
    return { stage, checkpoint };
  }

  it("goes on in a new one, with all that it said and its owed edits", async () => {
    const { stage, checkpoint } = await rolling();
    stage.sender.outcome = (what) => ("destination" in what ? "ok" : new SendError("permanent", "10008"));
    await checkpoint(2);
    await stage.pass(5000);
    expect(stage.sender.take()).toEqual(["rolling: 2 checkpoint.new on mainnet, 2024-06-03"]);
    expect(stage.sender.posts.at(-1)?.delivery.quiet).toBe(true);
    stage.sender.outcome = () => "ok";
    await checkpoint(3);
    await stage.pass(5000);
    expect(stage.sender.take()).toEqual([]);
    expect(stage.sender.takeEdits()).toEqual(["rolling: 3 checkpoint.new on mainnet, 2024-06-03"]);
    expect(stage.sender.edits.at(-1)?.message).toBe(stage.sender.posts.at(-1)?.message);
  });
});

describe("a chunk that cannot be read", () => {
  it("is a dead letter in the log, and holds up nothing", async () => {
    const { stage, tables, at } = await owed({ id: "a" });
    await tables(async (all) => {
      await all.chunks.put([{ platform: "fake", owed: 7, created_at: at, data: '{"from":"the future"}' }]);
      expect(await fanOutNext(all)).toBe(true);
      expect(await fanOutNext(all)).toBe(false);
    });
    const [{ what, detail } = {}] = await stage.engine.decisions({ limit: 1 });
    expect(what).toBe("dead letter");
    expect(detail).toMatch(saying(7, "fake"));
  });
});

describe("a batch", () => {
  const waiting = (all: AlertTables) => all.chunks.take(9).then((rows) => rows.length);
  const data = '{"type":"test","by":"ada","at":"1"}';

  it("without deliveries leaves what waits to be fanned out", async () => {
    const { tables, at } = await owed();
    await tables(async (all) => {
      await all.chunks.put([{ platform: "fake", owed: 1, created_at: at, data }]);
      await enqueue(all, { decisions: [{ what: "seen" }] }, at);
      expect(await waiting(all)).toBe(1);
    });
  });

  it.each([
    ["escalation", 0],
    ["resolve", 0],
    ["reminder", 1],
  ] as const)("is fanned out at once where a trigger that it may merge into is owed: %s", async (phase, chunks) => {
    const { tables, at } = await owed({ id: "trigger", phase: "trigger", episode: "e" });
    const message = AlertMessage.parse(JSON.parse(data));
    const deliveries = [ops, desk].map((destination) => {
      return { id: destination.channel, destination, phase, message, episode: "e" };
    });
    await tables(async (all) => {
      await enqueue(all, { deliveries }, at, 1);
      expect(await waiting(all)).toBe(chunks);
    });
  });
});

describe("a message that arrived", () => {
  it.each([
    ["is owed as an edit where it has changed meanwhile", 0, null, ["owed", 0]],
    ["is sent where it has not", 1, null, ["sent", 1]],
    ["is owed as an edit where the platform may have dropped it as a repeat", 1, 7, ["owed", 0]],
  ] as const)("%s", async (_what, revision, uncertain_since, after) => {
    const { tables, at } = await owed({ id: "first", is: { state: "sending", revision: 1 } });
    const receipt = { platform: "nowhere", channel: "ops", message: "7" };
    await tables(async (all) => {
      const [row] = await all.outbox.get(["first"]);
      const claimed = { row: { ...row!, revision, uncertain_since } } as unknown as ClaimedDelivery;
      await recordSent(all, [{ claimed, receipt, at }]);
      const [stored] = await all.outbox.get(["first"]);
      expect([stored?.state, stored?.shown]).toEqual(after);
      expect(stored?.settled_at).toBe(at);
      expect(await all.outbox.receipts(["first"])).toEqual([{ delivery: "first", ...receipt, at }]);
    });
  });
});

it.each([
  ["waits for its next attempt", { state: "owed" }, true, "sent", "arrived late", ["first"]],
  ["was given up", { state: "dead" }, true, "sent", "arrived late", ["first"]],
  ["was sent again", { state: "sent" }, true, "sent", "sent twice", ["first~1"]],
  ["is being sent again", { state: "sending" }, false, "sending", undefined, []],
  ["is to tell its end as well", { phase: "fired and resolved" }, true, "owed", "sent twice", ["first~1"]],
  [
    "was given up with its end",
    { state: "dead", phase: "fired and resolved" },
    true,
    "sent",
    "arrived late",
    ["first"],
  ],
] as const)("a receipt that comes late for what %s", async (_what, is, done, after, what, delivered) => {
  const { stage, tables, at } = await owed({ id: "first", phase: "trigger", is: { ...is, attempts: 2 } });
  await tables(async (all) => {
    const [row] = await all.outbox.get(["first"]);
    const receipt = { platform: "nowhere", channel: "ops", message: "9" };
    const tried = { ...row!, phase: "trigger", attempts: 1 };
    expect(await recordLateReceipt(all, { row: tried, destination: ops }, receipt, at)).toBe(done);
    expect(await states(all, ["first"])).toEqual([`first ${after}`]);
    const receipts = await all.outbox.receipts(["first", "first~1"]);
    expect(receipts.map(({ delivery }) => delivery)).toEqual(delivered);
  });
  const logged = await stage.engine.decisions({ destination: destinationKey(ops), limit: 9 });
  expect(logged.map((one) => [one.what, one.delivery])).toEqual(what === undefined ? [] : [[what, "first"]]);
});

it.each([
  ["its message is known", "first", "9"],
  ["a press has shown another copy of that attempt", "first~1", "8"],
])("a receipt that comes late changes nothing where %s", async (_what, delivery, message) => {
  const { stage, tables, at } = await owed({ id: "first", phase: "trigger", is: { state: "sent", attempts: 2 } });
  const receipt = { platform: "nowhere", channel: "ops", message: "9" };
  await tables(async (all) => {
    const [row] = await all.outbox.get(["first"]);
    await all.outbox.putReceipts([{ ...receipt, delivery, message, at }]);
    expect(await recordLateReceipt(all, { row: { ...row!, attempts: 1 }, destination: ops }, receipt, at)).toBe(true);
    expect(await all.outbox.get(["first~1"])).toEqual([]);
  });
  expect(await stage.engine.decisions({ destination: destinationKey(ops), limit: 9 })).toEqual([]);
});

describe("a pressed message that no delivery is known by", () => {
  const sent = (id: string, channel: string) => ({
    id,
    phase: "trigger",
    episode: "e",
    destination: destinationKey({ platform: "nowhere", channel }),
    data: JSON.stringify({ destination: { platform: "nowhere", channel } }),
    is: { state: "sent", uncertain_since: 1 } as const,
  });

  it.each([
    ["is the copy of the one that went there", { platform: "nowhere", channel: "desk", message: "9" }, "there"],
    ["is none of another channel's", { platform: "nowhere", channel: "attic", message: "9" }, undefined],
    ["is none of another platform's", { platform: "elsewhere", channel: "desk", message: "9" }, undefined],
    ["is no copy, where it is the message itself", { platform: "nowhere", channel: "desk", message: "2" }, undefined],
    ["is none of one that arrived for certain", { platform: "nowhere", channel: "hall", message: "9" }, undefined],
    [
      "is none while it may be one that is being sent",
      { platform: "nowhere", channel: "busy", message: "9" },
      undefined,
    ],
    ["is one while another message waits", { platform: "nowhere", channel: "waits", message: "9" }, "waits"],
    [
      "is one while another message is being edited",
      { platform: "nowhere", channel: "edited", message: "9" },
      "edited",
    ],
  ])("%s", async (_what, pressed, copied) => {
    const { tables, at } = await owed(
      sent("here", "ops"),
      sent("there", "desk"),
      { ...sent("certain", "hall"), is: { state: "sent" } },
      sent("busy", "busy"),
      { ...sent("next", "busy"), episode: "f", is: { state: "sending" } },
      sent("waits", "waits"),
      { ...sent("later", "waits"), episode: "f", is: { state: "owed" } },
      sent("edited", "edited"),
      { ...sent("edit", "edited"), episode: "f", is: { state: "sending", shown: 0 } },
    );
    await tables(async (all) => {
      const receipt = { platform: "nowhere", at };
      await all.outbox.putReceipts([
        { ...receipt, delivery: "here", channel: "ops", message: "1" },
        { ...receipt, delivery: "there", channel: "desk", message: "2" },
        { ...receipt, delivery: "certain", channel: "hall", message: "3" },
        { ...receipt, delivery: "busy", channel: "busy", message: "4" },
        { ...receipt, delivery: "edited", channel: "edited", message: "5" },
        { ...receipt, delivery: "waits", channel: "waits", message: "6" },
      ]);
      expect(await recordPress(all, "e", pressed, at)).toBe(copied !== undefined);
      const copies = await all.outbox.receipts(
        ["here", "there", "certain", "busy", "edited", "waits"].map((id) => `${id}~1`),
      );
      expect(copies.map(({ delivery, message }) => [delivery, message])).toEqual(
        copied === undefined ? [] : [[`${copied}~1`, "9"]],
      );
    });
  });
});

it("what waits for a destination, or on a platform, is counted, without edits", async () => {
  const { tables } = await owed({ id: "a" }, { id: "b" }, { id: "edit", is: { shown: 0 } });
  await tables(async (all) => {
    expect(await waitingOn(all, destinationKey(ops))).toBe(2);
    expect(await waitingOn(all, destinationKey(desk))).toBe(0);
    expect(await waitingOn(all, "nowhere")).toBe(2);
  });
});

describe("an arrived message", () => {
  it("is found at its own destination alone, and the last one of an episode no later than a position", async () => {
    const row = { episode: "e", is: { state: "sent" } } as const;
    const { tables } = await owed(
      { id: "first", ...row },
      { id: "elsewhere", ...row, destination: destinationKey(desk) },
      { id: "second", ...row },
      { id: "owed", episode: "e" },
      { id: "another", ...row, episode: "f" },
    );
    const here = destinationKey(ops);
    await tables(async (all) => {
      const found = async (id: string) => (await arrivedMessage(all, id, here))?.id;
      expect(await found("first")).toBe("first");
      for (const id of ["elsewhere", "owed", "nothing"]) expect(await found(id)).toBeUndefined();
      for (const id of ["second", "another", "first", "elsewhere"]) {
        const receipt = { delivery: id, platform: "nowhere", channel: "ops", message: id, at: 0 };
        await all.outbox.putReceipts([receipt]);
        await all.delivered.place("nowhere");
      }
      const placed = await all.delivered.of(here, ["first", "second"]);
      expect(placed.map(({ id }) => id)).toEqual(["second", "first"]);
      const [second, first] = placed.map(({ position }) => position) as [number, number];
      const last = async (position: number) => (await lastArrivedOf(all, "e", here, position))?.id;
      expect(await last(first + 9)).toBe("first");
      expect(await last(first)).toBe("first");
      expect(await last(first - 1)).toBe("second");
      expect(await last(second - 1)).toBeUndefined();
    });
  });
});
