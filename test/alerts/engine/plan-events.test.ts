import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";

import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { SendError } from "../../../src/alerts/sender.ts";
import { FakeSender } from "../../support/fake-sender.ts";
import { alertOf } from "../../support/gist.ts";
import { saying } from "../../support/said.ts";
import { stalled } from "../readings.ts";
import { aSubscription } from "../samples.ts";
import { openStage, type Stage, type StageOptions } from "../stage.ts";
import { delivery } from "../../store/alert-tables/alert-rows.ts";
import { destinationKey } from "../../../src/alerts/destination.ts";

async function subscribed(more: Parameters<typeof aSubscription>[0] = {}, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  await stage.engine.putSubscriptions([aSubscription({ kinds: ["checkpoint.new"], ...more })], "ada");
  await stage.round([stalled("good")]);
  return stage;
}

function checkpoints(it: Stage, from: number, count: number): AlertEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    kind: "checkpoint.new" as const,
    network: "mainnet",
    subject: "",
    key: `${from + index}/h`,
    at: String(it.clock.wallClock()),
    atBlock: String(from + index),
    hash: `h${from + index}`,
  }));
}

describe("events", () => {
  it("of the very first observation are not sent: it only records the current state", async () => {
    const stage = await openStage();
    await stage.engine.putSubscriptions([aSubscription({ kinds: ["checkpoint.new"] })], "ada");
    await stage.round([], checkpoints(stage, 1, 3));
    expect(stage.sender.take()).toEqual([]);
  });

  it("are sent one by one while they are few", async () => {
    const it = await subscribed();
    await it.round([], checkpoints(it, 100, 2));
    expect(it.sender.take()).toEqual(["info: checkpoint.new 100 on mainnet", "info: checkpoint.new 101 on mainnet"]);
    expect(it.sender.posts[0]?.delivery).toMatchObject({
      quiet: true,
      about: { kind: "checkpoint.new", state: "event", network: "mainnet" },
    });
  });

  it("are few up to five", async () => {
    const it = await subscribed();
    await it.round([], checkpoints(it, 100, 5));
    await it.pass(1000);
    expect(it.sender.take()).toHaveLength(5);
    await it.round([], checkpoints(it, 200, 6));
    await it.pass(1000);
    expect(it.sender.take()).toEqual(["digest: 6 checkpoint.new 200 to 205 on mainnet, catch-up"]);
  });

  it("of a long downtime make one digest, with all of them in a file, in order", async () => {
    const it = await subscribed({ events: "usual" });
    await it.restart(3_600_000);
    await it.round([], checkpoints(it, 1000, 500));
    expect(it.sender.take()).toEqual(["digest: 500 checkpoint.new 1000 to 1499 on mainnet, catch-up"]);
    const [file] = it.sender.posts[0]!.reply.attachments;
    const bytes = Buffer.concat(await file!.open().toArray());
    const rows = parse<{ Block: string }>(bytes, { columns: true });
    expect(rows.map((row) => row.Block)).toEqual(Array.from({ length: 500 }, (_, index) => String(1000 + index)));
  });

  it("go into one rolling message a day where that is usual, edited in place, a new one the next day", async () => {
    const it = await subscribed({ events: "usual" });
    for (let block = 1; block <= 15; block += 1) {
      await it.round([], checkpoints(it, block, 1));
      await it.pass(60_000);
    }
    expect(it.sender.take()).toEqual(["rolling: 1 checkpoint.new on mainnet, 2024-06-03"]);
    expect(it.sender.takeEdits().at(-1)).toBe("rolling: 15 checkpoint.new on mainnet, 2024-06-03");
    expect(new Set(it.sender.edits.map(({ message }) => message)).size).toBe(1);
    const said = alertOf(it.sender.edits.at(-1)!.reply);
    const listed = said.type === "rolling" ? said.events.map(({ key }) => key) : [];
    expect(listed).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 6}/h`));
    await it.leap(86_400_000);
    await it.round([], checkpoints(it, 99, 1));
    expect(it.sender.take()).toEqual(["rolling: 1 checkpoint.new on mainnet, 2024-06-04"]);
  });

  it("gather their edits: only the last state is owed", async () => {
    const it = await subscribed({ events: "rolling" });
    await it.round([], checkpoints(it, 1, 1));
    for (let block = 2; block <= 9; block += 1) await it.round([], checkpoints(it, block, 1));
    await it.pass(2000);
    expect(it.sender.take()).toHaveLength(1);
    expect(it.sender.takeEdits()).toEqual(["rolling: 9 checkpoint.new on mainnet, 2024-06-03"]);
  });

  it("need no edit while the rolling message is unsent", async () => {
    const it = await subscribed({ events: "rolling" });
    it.sender.outcome = () => new SendError("retry", "503");
    await it.round([], checkpoints(it, 1, 1));
    await it.round([], checkpoints(it, 2, 1));
    it.sender.outcome = () => "ok";
    await it.pass(60_000);
    expect(it.sender.take()).toEqual(["rolling: 2 checkpoint.new on mainnet, 2024-06-03"]);
    expect(it.sender.takeEdits()).toEqual([]);
  });

  it("begin another rolling message where the first was refused for good", async () => {
    const it = await subscribed({ events: "rolling" });
    it.sender.outcome = () => new SendError("permanent", "400");
    await it.round([], checkpoints(it, 3, 1));
    await it.pass(1000);
    it.sender.outcome = () => "ok";
    await it.round([], checkpoints(it, 4, 1));
    await it.pass(60_000);
    expect(it.sender.take()).toEqual(["rolling: 2 checkpoint.new on mainnet, 2024-06-03"]);
    expect(it.sender.takeEdits()).toEqual([]);
  });

  it("edit a rolling message that may have gone: the platform drops a repeat that says more", async () => {
    const it = await openStage({ senders: (now) => [new FakeSender({ now, dropsRepeatsForMillis: 600_000 })] });
    await it.engine.putSubscriptions([aSubscription({ kinds: ["checkpoint.new"], events: "rolling" })], "ada");
    await it.round([]);
    it.sender.outcome = (_what, tries) => (tries === 1 ? "posted-unknown" : "ok");
    await it.round([], checkpoints(it, 1, 1));
    it.sender.outcome = () => "ok";
    await it.round([], checkpoints(it, 2, 1));
    await it.pass(60_000);
    expect(it.sender.take()).toEqual(["rolling: 1 checkpoint.new on mainnet, 2024-06-03"]);
    expect(it.sender.takeEdits()).toEqual(["rolling: 2 checkpoint.new on mainnet, 2024-06-03"]);
  });

  it("during quiet hours wait for one digest", async () => {
    const it = await subscribed({ quietHours: { from: "11:00", to: "13:00", zone: "UTC" } });
    await it.round([], checkpoints(it, 1, 2));
    await it.restart(60_000);
    await it.round([], checkpoints(it, 3, 1));
    expect(it.sender.take()).toEqual([]);
    await it.pass(3_600_000);
    expect(it.sender.take()).toEqual(["digest: 3 checkpoint.new 1 to 3 on mainnet, quiet hours"]);
    const log = await it.engine.decisions({ destination: "fake//ops/", limit: 99 });
    expect(log.filter(({ what, network }) => what === "held for the digest" && network === "mainnet")).toHaveLength(3);
  });

  it("wait so in a channel, too, that was lost and is subscribed again", async () => {
    const it = await subscribed({ quietHours: { from: "11:00", to: "13:00", zone: "UTC" } });
    await it.engine.putSubscriptions([aSubscription({ id: "before", state: "retired", why: "gone" })], "ada");
    await it.round([], checkpoints(it, 1, 2));
    await it.pass(3_600_000);
    expect(it.sender.take()).toEqual(["digest: 2 checkpoint.new 1 to 2 on mainnet, quiet hours"]);
  });

  it("that wait are sent when quiet hours end as they are by then", async () => {
    const until = (to: string) => ({ quietHours: { from: "11:00", to, zone: "UTC" } });
    const digest = "digest: 2 checkpoint.new 1 to 2 on mainnet, held";
    const it = await subscribed(until("13:00"));
    await it.round([], checkpoints(it, 1, 2));
    await it.engine.putSubscriptions([aSubscription({ ...until("15:00"), kinds: ["checkpoint.new"] })], "ada");
    await it.pass(3_600_000);
    expect(it.sender.take()).toEqual([]);
    await it.engine.putSubscriptions([aSubscription({ kinds: ["checkpoint.new"] })], "ada");
    await it.pass(0);
    expect(it.sender.take()).toEqual([digest]);
  });

  it("that wait are dropped where nobody is subscribed to them any more, as logged", async () => {
    const quiet = { quietHours: { from: "11:00", to: "13:00", zone: "UTC" } };
    for (const change of [{ state: "removed" }, { state: "paused" }, { kinds: ["snapshot.new"] }] as const) {
      const { kinds, ...more } = { kinds: ["checkpoint.new" as const], ...change };
      const it = await subscribed(quiet);
      await it.round([], checkpoints(it, 1, 2));
      await it.engine.putSubscriptions([aSubscription({ ...quiet, ...more, kinds: [...kinds] })], "ada");
      await it.pass(3_600_000);
      expect(it.sender.take()).toEqual([]);
      expect(await it.engine.decisions({ limit: 1 })).toMatchObject([
        { what: "suppressed by a change", detail: expect.stringMatching(saying(2)) },
      ]);
    }
  });

  it("of a personal watch come once a silence is over, though they ended the watch", async () => {
    const final = { kind: "order.final", network: "mainnet", key: "o/f", at: "1", status: "STATUS_FILLED" } as const;
    const told = ["digest: 1 order.final o to o on mainnet, held"];
    const scope = { destination: destinationKey(aSubscription().destination) };
    for (const isEnded of [false, true]) {
      const it = await subscribed({ kinds: ["order.final"], subjects: ["o1"], personal: true });
      const silence = { id: "s", scope, from: it.now(), until: it.now() + 3_600_000, by: "ada", created: it.now() };
      await it.engine.putSilence(silence, "ada");
      await it.round([], [{ ...final, subject: "o1" }]);
      await it.pass(60_000);
      expect(it.sender.take()).toEqual([]);
      if (isEnded) await it.engine.putSilence({ ...silence, until: it.now() }, "ada");
      await it.pass(isEnded ? 0 : 3_600_000);
      expect(it.sender.take()).toEqual(told);
      expect(await it.engine.subscriptions()).toMatchObject([{ state: "ended" }]);
    }
  });

  it("that wait are sent though the subscription to them has ended by itself", async () => {
    const quietHours = { from: "11:00", to: "13:00", zone: "UTC" };
    const it = await subscribed({ kinds: ["order.final"], subjects: ["o1"], personal: true, quietHours });
    await it.round(
      [],
      [{ kind: "order.final", network: "mainnet", subject: "o1", key: "o1/f", at: "1", status: "STATUS_FILLED" }],
    );
    expect(it.sender.take()).toEqual([]);
    await it.pass(3_600_000);
    expect(it.sender.take()).toEqual(["digest: 1 order.final o1 to o1 on mainnet, quiet hours"]);
  });

  it("that waited and cannot be read keep nothing else waiting, and are counted", async () => {
    const it = await subscribed({ quietHours: { from: "11:00", to: "13:00", zone: "UTC" } });
    await it.round([], checkpoints(it, 1, 2));
    await it.store.transaction(async ({ alerts }) => {
      await alerts.outbox.addMessages([{ id: "spoilt", data: '{"type":"from the future"}' }], it.now());
      const destination = destinationKey(aSubscription().destination);
      const held = { state: "held", run_at: it.now(), phase: "digest", join_key: "held testnet" } as const;
      await alerts.outbox.add([delivery("spoilt", destination, { ...held, message: "spoilt" })]);
    });
    await it.pass(3_600_000);
    expect(it.sender.take()).toEqual(["digest: 2 checkpoint.new 1 to 2 on mainnet, quiet hours"]);
    expect(await it.engine.decisions({ limit: 9 })).toContainEqual(
      expect.objectContaining({ what: "dead letter", detail: expect.stringMatching(/cannot be read/u) }),
    );
  });

  it("end a personal subscription with the final state", async () => {
    const it = await subscribed({ kinds: ["order.final"], subjects: ["o1"], personal: true });
    const order = (subject: string): AlertEvent => ({
      kind: "order.final",
      network: "mainnet",
      subject,
      key: `${subject}/STATUS_FILLED`,
      at: "1700000000000000000",
      status: "STATUS_FILLED",
    });
    await it.round([], [order("o2"), order("o1")]);
    expect(it.sender.take()).toEqual(["info: order.final of o1 on mainnet"]);
    expect((await it.engine.subscriptions()).map(({ state }) => state)).toEqual(["ended"]);
    await it.round([], [order("o1")]);
    expect(it.sender.take()).toEqual([]);
  });

  it("of a simulated network say so", async () => {
    const it = await subscribed({}, { simulated: ["mainnet"], senders: (now) => [new FakeSender({ now })] });
    const rolling = { destination: { platform: "fake", channel: "r" }, events: "rolling" } as const;
    await it.engine.putSubscriptions([aSubscription({ id: "r", kinds: ["checkpoint.new"], ...rolling })], "ada");
    await it.round([], checkpoints(it, 7, 1));
    expect(it.sender.take().toSorted()).toEqual([
      "r: simulated rolling: 1 checkpoint.new on mainnet, 2024-06-03",
      "simulated info: checkpoint.new 7 on mainnet",
    ]);
  });

  it.each([
    ["at once", {}, "info: checkpoint.new 7 on mainnet"],
    [
      "after their quiet hours",
      { quietHours: { from: "11:00", to: "12:01", zone: "UTC" } },
      "digest: 1 checkpoint.new 7 to 7 on mainnet, quiet hours",
    ],
  ])("reach ten subscriptions of a channel once, %s", async (_when, more, told) => {
    const it = await subscribed(more);
    for (let index = 0; index < 9; index += 1) {
      await it.engine.putSubscriptions([aSubscription({ id: `n${index}`, kinds: ["checkpoint.new"], ...more })], "ada");
    }
    await it.round([], checkpoints(it, 7, 1));
    await it.pass(60_000);
    expect(it.sender.take()).toEqual([told]);
  });
});
