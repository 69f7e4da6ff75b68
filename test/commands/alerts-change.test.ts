import { describe, expect, test } from "vitest";

import { Suspensions } from "../../src/alerts/route/suspension.ts";
import type { Caller, Target } from "../../src/bot/invocation.ts";
import { toMillis } from "../../src/units/time.ts";
import { linesOf, saying } from "../support/said.ts";
import {
  ann,
  bob,
  CONSOLE_PAGE,
  ELSEWHERE,
  idIn,
  OPS,
  ops,
  owed,
  talkInOps,
  theConsole,
  toBob,
} from "./alert-channel.ts";

/** A channel with one alert, whose announcement is already counted. */
async function channelWith(line: string) {
  const talk = await talkInOps();
  await talk.ask(`alerts add ${line}`);
  const id = idIn(talk.lastReply);
  /** What was announced since. */
  const announced = async (): Promise<string[]> => (await owed(talk, ops)).slice(1);
  const alert = async () => (await talk.engine.subscriptions()).find((one) => one.id === id);
  return { talk, id, announced, alert };
}

describe("a subscription", () => {
  test("that was removed comes back by one button, unless the same was added meanwhile", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down style:plain");
    const id = idIn(talk.lastReply);
    await talk.ask(`alerts remove ${id}`);
    expect(await talk.press("alerts resume")).toMatch(saying("✓", id));
    expect(await talk.engine.subscriptions()).toMatchObject([{ id, state: "active", style: "plain" }]);
    await talk.ask(`alerts remove ${id}`);
    await talk.ask("alerts add node.down");
    const other = idIn(talk.lastReply);
    expect(await talk.ask(`alerts resume ${id}`)).toMatch(saying("!", other));
  });

  test("says a note and a runbook of its own, until they are taken off", async () => {
    const { talk, id, alert } = await channelWith("node.down");
    const [note, runbook] = ["Ask *infra* first", "https://wiki.example.org/down"];
    await talk.ask(`alerts edit ${id} note:"${note}" runbook:${runbook}`);
    expect((await alert())?.guidance).toEqual({ note, runbook });
    await talk.ask(`alerts edit ${id} note:off`);
    expect((await alert())?.guidance).toEqual({ runbook });
    expect(await talk.ask(`alerts edit ${id} runbook:wiki/down`)).toMatch(saying("!", "wiki/down", "https"));
    expect(await talk.ask(`alerts edit ${id} runbook:javascript:alert(1)`)).toMatch(saying("!", "https"));
    await talk.ask(`alerts edit ${id} runbook:none`);
    expect(await alert()).not.toHaveProperty("guidance");
  });

  test.each<[line: string, values: Readonly<Record<string, string>>]>([
    ["ops", { kinds: "ops", severity: "info", style: "live", network: "mainnet" }],
    [
      "kinds:ops,market.auction severity:warning style:thread events:each for:90s critical-for:1h",
      { kinds: "ops,market.auction", severity: "warning", style: "thread", events: "each", "critical-for": "1h" },
    ],
    ["network.stalled quiet:22:00-7:00", { kinds: "network.stalled", quiet: "22:00-07:00" }],
    [
      "node.down rounds:4 quiet:22-7 zone:Europe/Berlin note:off",
      { rounds: "4", quiet: "22:00-07:00", zone: "Europe/Berlin" },
    ],
    [
      'market.price BTC/USDT high:70_000 low:50000.50 when:within note:"Call us, now" runbook:https://example.org/a',
      {
        subjects: "BTC/USDT",
        high: "70000",
        low: "50000.5",
        when: "within",
        note: "Call us, now",
        runbook: "https://example.org/a",
      },
    ],
    ["checkpoint.overdue factor:2.5 at-least:1500ms", { factor: "2.5", "at-least": "1500ms" }],
  ])("%s: a form begins with what it has, and what is sent back so changes nothing", async (line, values) => {
    const { talk, id, announced } = await channelWith(line);
    const asked = { here: OPS, caller: ann, signal: new AbortController().signal, command: "alerts edit" };
    const present = await talk.bot.present({ ...asked, options: { id } });
    expect(present).toMatchObject(values);
    const usual = ["zone", "note", "runbook", "subjects", "events"].filter((name) => !(name in values));
    expect(Object.keys(present ?? {}).filter((name) => usual.includes(name))).toEqual([]);
    const kept = await talk.engine.subscriptions();
    await talk.bot.run({ ...asked, options: { id, ...present } });
    expect(await talk.engine.subscriptions()).toEqual(kept);
    expect(await announced()).toEqual([]);
    // Nobody learns of another place's.
    expect(await talk.bot.present({ ...asked, here: ELSEWHERE, options: { id } })).toBeUndefined();
  });

  test.each<[line: string, groups: readonly string[] | undefined]>([
    ["ops", ["ops"]],
    ["kinds:OPS,market.auction", ["ops"]],
    ["kinds:nodes,checkpoints", ["nodes", "checkpoints"]],
    ["kinds:conditions,events", ["all"]],
    ["kinds:checkpoint.overdue,checkpoint.new,history.reset,history.forked", ["checkpoints"]],
    ["node.down", undefined],
  ])("to %s keeps the groups %j, until other kinds are chosen", async (line, groups) => {
    const { talk, id, alert } = await channelWith(line);
    expect((await alert())?.groups).toEqual(groups);
    await talk.ask(`alerts edit ${id} severity:warning`);
    expect((await alert())?.groups).toEqual(groups);
    await talk.ask(`alerts edit ${id} kinds:network.stalled`);
    expect(await alert()).not.toHaveProperty("groups");
  });

  test("is logged with its changes, and by whom", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add market.price BTC/USDT high:90000 network:mainnet");
    const id = idIn(talk.lastReply);
    await talk.ask(`alerts edit ${id} high:95000 severity:critical`);
    for (const what of ["pause", "resume", "remove"]) await talk.ask(`alerts ${what} ${id}`);
    const log = (await talk.ask(`alerts log ${id}`)).replaceAll(/\s+/gu, " ");
    expect(log).toContain(`${id} added, by ann: mark prices of`);
    expect(log).toMatch(
      new RegExp(`${id} changed, by ann: .* above 95,000 .* \\(critical only\\); before: .* above 90,000`, "u"),
    );
    for (const done of ["paused", "resumed", "removed"]) expect(log).toContain(`${id} ${done}, by ann: mark prices`);
  });

  test("is listed at its destination, and otherwise only on the console", async () => {
    const { talk, id } = await channelWith("market.price BTC/USDT high:70000");
    expect(await talk.ask("alerts list")).toMatch(
      new RegExp(`1 subscription in this channel[\\s\\S]*BTC/USDT[\\s\\S]*${id}`, "u"),
    );
    talk.become({ here: ELSEWHERE, caller: ann });
    expect(await talk.ask("alerts list")).toContain("No subscriptions in this channel");
    expect(await talk.press("alerts add")).toMatch(saying("✓", "ops"));
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    const everything = await talk.ask("alerts list");
    expect(everything).toContain("2 subscriptions in all channels");
    expect(everything).toContain("channel 1122334455667788990 on Discord");
  });

  test("is completed where it can begin again, and only there", async () => {
    const { talk, id } = await channelWith("node.down");
    expect(await talk.suggest("alerts resume", "id", "")).toEqual([]);
    for (const [line, state] of [
      ["pause", "paused"],
      ["remove", "removed"],
    ] as const) {
      await talk.ask(`alerts ${line} ${id}`);
      expect(await talk.suggest("alerts resume", "id", "")).toEqual([
        { label: `Node outages on mainnet (${state})`, value: id },
      ]);
    }
    expect(await talk.suggest("alerts pause", "id", "")).toEqual([]);
  });

  test("of a network without data nodes is listed as waiting", async () => {
    const { talk } = await channelWith("node.down");
    const [one] = await talk.engine.subscriptions();
    await talk.engine.putSubscriptions([{ ...one!, id: "other", network: "oldnet" }], "ann");
    const said = (await talk.ask("alerts list")).replaceAll(/\s+/gu, " ");
    expect(said).toMatch(saying("waiting", "oldnet"));
    expect(said).toMatch(saying("active", "the usual way"));
  });

  test("of one's own stands apart and is seen by nobody else", async () => {
    const { talk, id } = await channelWith("node.down");
    talk.become({ caller: bob });
    await talk.ask(`alerts add stake.changed ${"a".repeat(64)}`);
    const own = idIn(talk.lastReply);
    expect(await talk.ask("alerts list")).toMatch(new RegExp(`${id}[\\s\\S]*Yours alone[\\s\\S]*${own}`, "u"));
    talk.become({ caller: ann });
    expect(await talk.ask("alerts list")).not.toContain(own);
    expect(await talk.ask(`alerts remove ${own}`)).toMatch(saying("!", own));
    expect(await talk.engine.subscriptions()).toHaveLength(2);
  });

  test("is paused, resumed and removed by its buttons, and the channel sees who did so, once each", async () => {
    const { talk, id, announced, alert } = await channelWith("node.down");
    await talk.ask("alerts list");
    for (const [what, state] of Object.entries({ pause: "paused", resume: "active", remove: "removed" })) {
      expect(await talk.press(`alerts ${what}`)).toMatch(saying("✓", id));
      expect(await alert()).toMatchObject({ state });
    }
    expect(await announced()).toEqual(
      ["paused", "resumed", "removed"].map((what) => `${what} by ann: node.down on mainnet`),
    );
    expect(await talk.ask("alerts list")).toContain("No subscriptions in this channel");
  });

  test("stays unchanged by an empty change, and nobody is notified", async () => {
    const { talk, id, announced } = await channelWith("node.down quiet:22:00-07:00");
    expect(await talk.ask(`alerts resume ${id}`)).toMatch(saying("•", id));
    expect(await talk.ask(`alerts edit ${id} quiet:22-07:00 zone:UTC kinds:node.down`)).toMatch(saying("•", id));
    await talk.ask(`alerts pause ${id}`);
    expect(await talk.ask(`alerts pause ${id}`)).toMatch(saying("•", id));
    expect(await announced()).toHaveLength(1);
  });

  test("is edited in the named options only", async () => {
    const { talk, id, announced, alert } = await channelWith("market.price BTC/USDT high:70000 low:50000 style:thread");
    const before = await alert();
    const said = await talk.ask(`alerts edit ${id} high:75000.5 severity:warning`);
    expect(said).toMatch(saying("✓", id, "BTC/USDT", "75,000.5", "50,000"));
    expect(await alert()).toEqual({
      ...before,
      parameters: { "market.price": { high: "75000.5", low: "50000" } },
      floor: "warning",
      undo: {
        kinds: ["market.price"],
        subjects: before?.subjects,
        parameters: before?.parameters,
        floor: "info",
        style: "thread",
        events: "usual",
        until: toMillis(talk.now()) + 600_000,
      },
    });
    await talk.ask(`alerts edit ${id} low:off`);
    expect((await alert())?.parameters).toEqual({ "market.price": { high: "75000.5" } });
    await talk.ask(`alerts edit ${id} quiet:22:00-07:00 zone:Asia/Tokyo`);
    await talk.ask(`alerts edit ${id} zone:Europe/Paris`);
    expect((await alert())?.quietHours).toEqual({ from: "22:00", to: "07:00", zone: "Europe/Paris" });
    await talk.ask(`alerts edit ${id} quiet:off`);
    expect(await alert()).not.toHaveProperty("quietHours");
    expect(await announced()).toHaveLength(5);
  });

  test("is named by the question before it is removed, alone and among others", async () => {
    const { talk } = await channelWith("market.price BTC/USDT high:70000");
    const questions = () =>
      talk.lastReply.actions.flatMap((action) =>
        "confirm" in action && action.confirm !== undefined ? [action.confirm] : [],
      );
    const question = "Remove the subscription to mark prices of BTC/USDT, above 70,000 on mainnet?";
    await talk.ask("alerts list");
    expect(questions()).toEqual([question]);
    await talk.ask("alerts add node.lagging");
    const other = idIn(talk.lastReply);
    await talk.ask("alerts list");
    await talk.press(`alerts edit id:${other}`);
    expect(questions()).toEqual(["Remove the subscription to node lags on mainnet?"]);
  });

  test("is shown as it is where nothing is named to be changed", async () => {
    const { talk, id, announced } = await channelWith("node.down");
    const said = await talk.ask(`alerts edit ${id}`);
    expect(said).toMatch(saying(id, "node outages", "mainnet"));
    expect(said).toContain(`alerts edit ${id} severity:warning quiet:22:00-07:00`);
    expect(linesOf(talk.lastReply)).toEqual(
      expect.arrayContaining([`alerts pause id:${id}`, `alerts remove id:${id}`]),
    );
    expect(await talk.ask(`alerts edit ${id} severity:warning quiet:22:00-07:00`)).toContain("Changed subscription");
    expect(await announced()).toHaveLength(1);
  });

  test("says where it asks for worse than its kinds become", async () => {
    const { talk, id } = await channelWith("node.down");
    const said = async (line: string) => (await talk.ask(line)).replaceAll(/\s+/gu, " ");
    expect(await said(`alerts edit ${id} severity:critical`)).toMatch(/\bnode\.down [^.]*\bcritical\b/u);
    expect(await said("alerts add network.stalled,node.lagging severity:critical")).toMatch(
      /\bonly network\.stalled [^.]*\bcritical\b/u,
    );
    expect(await said("alerts add network.stalled,network.disagree severity:critical")).not.toMatch(
      /\bonly network\./u,
    );
    expect(await said("alerts add checkpoint.new,node.lagging severity:warning")).toMatch(
      /\bonly node\.lagging [^.]*\bwarning\b/u,
    );
  });

  test("says where nothing of it ever mentions anybody", async () => {
    const { talk, id } = await channelWith("node.down");
    const said = async (line: string) => (await talk.ask(line)).replaceAll(/\s+/gu, " ");
    const nobody = /\bnobody\b[^.]*\bcritical\b[^.]*\bnode\.down\b/iu;
    expect(await said(`alerts edit ${id} mention:<@&123456789012345678>`)).toMatch(nobody);
    expect(await said(`alerts edit ${id} kinds:node.down,network.stalled`)).not.toMatch(nobody);
    expect(await said(`alerts edit ${id} mention:off`)).not.toMatch(nobody);
  });

  test("does not become another one's twin", async () => {
    const { talk, id } = await channelWith("node.down");
    await talk.ask("alerts add node.lagging");
    const other = idIn(talk.lastReply);
    expect(await talk.ask(`alerts edit ${other} kinds:node.down`)).toMatch(saying("!", id));
  });

  test("of another network is edited with its own names", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add markets network:testnet");
    const id = idIn(talk.lastReply);
    expect(await talk.ask(`alerts edit ${id} subjects:BTC/USDT`)).toContain("Add network:testnet");
    expect(await talk.ask(`alerts edit ${id} subjects:BTC/USDT network:testnet`)).toContain("of BTC/USDT on testnet");
    expect(await talk.ask(`alerts edit ${id} subjects:all`)).toContain("the markets alerts on testnet");
  });

  test.each(["remove", "pause", "edit"])("is not for everybody to %s", async (verb) => {
    const { talk, id, announced, alert } = await channelWith("node.down");
    talk.become({ caller: bob });
    expect(await talk.ask(`alerts ${verb} ${id}${verb === "edit" ? " style:plain" : ""}`)).toMatch(
      /^! .*manage this channel/u,
    );
    expect(await alert()).toMatchObject({ state: "active", style: "live" });
    expect(await announced()).toEqual([]);
    // The same holds for another caller's button.
    talk.become({ caller: ann });
    await talk.ask("alerts list");
    talk.become({ caller: bob });
    expect(await talk.press("alerts remove")).toMatch(/^! .*manage this channel/u);
    expect(await alert()).toMatchObject({ state: "active" });
  });

  test("of one person that an operator removes is announced to them", async () => {
    const talk = await talkInOps(bob);
    await talk.ask(`alerts add stake.changed ${"a".repeat(64)}`);
    const id = idIn(talk.lastReply);
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    expect(await talk.ask(`alerts remove ${id}`)).toContain(`Removed subscription ${id}`);
    expect(await owed(talk, toBob)).toEqual(["test by bob", expect.stringContaining("removed by ann: stake.changed")]);
  });

  test("of one's own is everybody's to change", async () => {
    const talk = await talkInOps(bob);
    await talk.ask(`alerts add stake.changed ${"a".repeat(64)}`);
    const id = idIn(talk.lastReply);
    expect(await talk.press("alerts pause")).toMatch(saying("✓", id, "changes of stake", "State", "paused"));
    expect(await talk.press("alerts remove")).toMatch(saying("✓", id, "changes of stake", "State", "removed"));
    expect(await owed(talk, ops)).toEqual([]);
  });

  test("belongs to its destination, whatever id is typed", async () => {
    const { talk, id } = await channelWith("node.down");
    talk.become({ here: ELSEWHERE, caller: ann });
    expect(await talk.ask(`alerts remove ${id}`)).toMatch(saying("!", id));
    talk.become({ here: OPS });
    expect(await talk.ask("alerts remove zzzzz")).toMatch(saying("!", "zzzzz"));
    expect(await talk.ask(`alerts remove ${id.slice(0, 4)}`)).toMatch(saying("✓", id));
    expect(await talk.ask(`alerts remove ${id}`)).toMatch(saying("•", id, "removed"));
  });

  test.each(["alerts edit %s severity:warning", "alerts pause %s"])(
    "of an earlier version learns its server where it is changed: %s",
    async (line) => {
      const { talk, id, alert } = await channelWith("node.down");
      const { workspace: _, ...older } = (await alert())!;
      await talk.engine.putSubscriptions([older], "ann");
      talk.become({ here: CONSOLE_PAGE, caller: ann });
      await talk.ask(`alerts edit ${id} quiet:22:00-07:00 zone:UTC`);
      expect((await alert())?.workspace).toBeUndefined();
      talk.become({ here: OPS });
      await talk.ask(line.replace("%s", id));
      expect((await alert())?.workspace).toBe(OPS.workspace);
    },
  );

  test("whose channel cannot be reached says so everywhere in its server, and to who subscribed it", async () => {
    const { talk } = await channelWith("node.down");
    const channel = OPS.channel ?? "";
    await talk.store.transaction(async ({ alerts }) => {
      const destination = { platform: "discord", channel };
      const suspension = {
        platform: "discord",
        destination,
        since: Date.now(),
        nextAt: 0,
        why: "Discord: Missing Access",
      };
      const suspensions = new Suspensions([]);
      suspensions.put(suspension);
      await suspensions.save(alerts, Date.now());
    });
    const listed = async (here: Partial<Target>, caller: Caller): Promise<string> => {
      talk.become({ here: { ...OPS, ...here }, caller });
      return talk.ask("alerts list");
    };
    const shown = expect.stringMatching(new RegExp(`${channel}[\\s\\S]*Missing Access`, "u"));
    const stranger = { id: "999999999999999999", name: "zoe", mayManageChannel: false };
    expect(await listed({ channel: "222222222222222222" }, stranger)).toEqual(shown);
    expect(await listed({ channel: "222222222222222222", workspace: "another" }, stranger)).not.toEqual(shown);
    expect(await listed({ channel: "222222222222222222", workspace: "another" }, ann)).toEqual(shown);
    talk.become({ here: CONSOLE_PAGE, caller: stranger });
    expect(await talk.ask("alerts list")).toEqual(shown);
    expect(await talk.ask("alerts status")).toEqual(shown);
  });

  test("whose channel was lost says so, and begins again when it is resumed", async () => {
    const { talk, id, alert } = await channelWith("node.down");
    const before = await alert();
    await talk.engine.putSubscriptions([{ ...before!, state: "retired", why: "the channel is gone" }], "bellwether");
    talk.become({ here: CONSOLE_PAGE, caller: ann });
    expect(await talk.ask("alerts status")).toMatch(saying("Unreachable", id, "the channel is gone"));
    expect(await talk.ask("alerts list ended:yes")).toContain("retired: the channel is gone");
    await talk.engine.putSubscriptions([{ ...before!, id: "again" }], "ann");
    expect(await talk.ask(`alerts resume ${id}`)).toMatch(saying("!", "again"));
    await talk.engine.putSubscriptions([{ ...before!, id: "again", state: "removed" }], "ann");
    expect(await talk.ask(`alerts resume ${id}`)).toContain("Resumed");
    expect(await alert()).toEqual(before);
    expect(await owed(talk, theConsole)).toEqual([]);
  });
});
