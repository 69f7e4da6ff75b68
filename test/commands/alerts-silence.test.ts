import { describe, expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import { episodeName } from "../../src/alerts/judge/rules/episode.ts";
import { silenceScopeWords } from "../../src/alerts/words/silence-words.ts";
import { parseLine } from "../../src/bot/grammar/grammar.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { nanoseconds } from "../../src/units/time.ts";
import { down, stalled } from "../alerts/readings.ts";
import { saying } from "../support/said.ts";
import {
  ann,
  bob,
  CONSOLE_PAGE,
  DIRECT,
  ELSEWHERE,
  elsewhere,
  idIn,
  OPS,
  ops,
  owed,
  owedReplies,
  see,
  shown,
  talkInOps,
  theConsole,
} from "./alert-channel.ts";
import { destinationKey } from "../../src/alerts/destination.ts";

/** Thursday, 2026-01-15 12:00 UTC. */
const NOON = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;

/** A channel that was told that a node is down. */
async function nodeDown() {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down,network.stalled");
  await see(talk, 1, [stalled("good"), down("good")]);
  await see(talk, 5, [stalled("good"), down("bad")]);
  const [episode] = await talk.engine.openEpisodes();
  return { talk, name: episodeName(episode!.id) };
}

describe("a silence", () => {
  test.each([
    ["alerts silence", "for", "", ["30m", "1h", "8h", "1d"]],
    ["alerts silence", "for", "1", ["1h", "12h", "1d", "1w"]],
    ["alerts add", "quiet", "2", ["22:00-07:00", "23:00-06:00"]],
    ["alerts edit", "quiet", "of", ["off"]],
  ])("%s offers for %s behind “%s” what is usual", async (command, option, typed, offered) => {
    const talk = await talkInOps();
    const values = (await talk.suggest(command, option, typed)).map(({ value }) => value);
    expect(values).toEqual(expect.arrayContaining(offered));
    expect(values.filter((value) => !value.startsWith(typed))).toEqual([]);
  });

  test("of everything holds here alone, is announced, listed and ended by a button", async () => {
    const talk = await talkInOps();
    expect(await talk.ask("alerts silence all for:1h reason:maintenance")).toMatch(
      saying("✓", "until 13:00 UTC", "maintenance"),
    );
    const id = idIn(talk.lastReply);
    expect(await talk.engine.silences()).toMatchObject([
      { id, scope: { destination: "discord//1122334455667788990/" }, from: NOON, until: NOON + HOUR, by: "ann" },
    ]);
    const [change] = await owedReplies(talk, ops);
    expect(shown(change!)).toContain("ann silenced everything");
    expect(shown(change!)).toContain("Until 13:00 UTC: maintenance");
    expect(await talk.ask("alerts silences")).toMatch(saying("1 h left", "maintenance", id));
    expect(await talk.press(`alerts unsilence id:${id}`)).toMatch(saying("✓", "everything"));
    expect(await talk.engine.silences()).toEqual([]);
    expect(await owed(talk, ops)).toHaveLength(2);
    expect(await talk.ask("alerts silences")).toContain("Nothing is silenced");
  });

  test("suppresses a trigger, and releases it at its end", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down");
    await talk.ask("alerts silence node.down for:2m");
    await see(talk, 1, [down("good")]);
    await see(talk, 5, [down("bad")]);
    expect((await owed(talk, ops)).filter((gist) => gist.includes("node.down of a:1"))).toEqual([]);
    await see(talk, 30, [down("bad")]);
    expect((await owed(talk, ops)).filter((gist) => gist.includes("node.down of a:1"))).toHaveLength(1);
  });

  test("comes from the button on an alert, for that alert alone", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down,network.stalled");
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 5, [stalled("good"), down("bad")]);
    const alert = (await owedReplies(talk, ops)).at(-1)!;
    const button = alert.actions.find(({ label }) => label === "Silence 1 h");
    if (button === undefined || !("invocation" in button)) throw new Error("no such button");
    const here = { here: OPS, caller: ann, signal: AbortSignal.timeout(5000) };
    expect(shown(await talk.bot.run({ ...here, ...button.invocation }))).toContain("Silenced node outages");
    expect(await talk.engine.silences()).toMatchObject([
      {
        scope: { kind: "node.down", network: "mainnet", subject: "a:1" },
        until: Number(talk.now() / 1_000_000n) + HOUR,
      },
    ]);
  });

  test("of everything may be typed as short as can be", async () => {
    const talk = await talkInOps();
    expect(await talk.ask("alerts silence all 90m")).toMatch(saying("✓", "13:30"));
    expect(
      talk.lastReply.blocks.some((one) => one.kind === "paragraph" && /critical/iu.test(plainText(one.text))),
    ).toBe(true);
    expect(await talk.engine.silences()).toMatchObject([{ from: NOON, until: NOON + 1.5 * HOUR }]);
  });

  test.each([
    ["alerts silence all until 07:00", 19],
    ["alerts silence all until:7am", 19],
    ["alerts silence all until:tomorrow 07:00", 19],
    ["alerts silence all until tomorrow 7 am", 19],
    ["alerts silence all until:2026-01-16 07:00", 19],
    ["alerts silence all 8 hours", 8],
    ["alerts silence all for 8 hours reason maintenance", 8],
  ])("may be typed as it is said: %s", async (line, hours) => {
    const talk = await talkInOps();
    await talk.ask(line);
    expect(await talk.engine.silences()).toMatchObject([{ from: NOON, until: NOON + hours * HOUR }]);
  });

  test.each([
    ["tonight", "alerts silence all until:07:00"],
    ["07:00", "alerts silence all until:07:00"],
    ["tomorrow", "alerts silence all until:tomorrow"],
    ["tomorrow 7am", 'alerts silence all until:"tomorrow 7am"'],
  ])("with %s in place of a span is answered with the line that says it", async (typed, line) => {
    const talk = await talkInOps();
    const { blocks } = await talk.askFor(`alerts silence all ${typed}`);
    expect(blocks.at(-1)).toMatchObject({ kind: "code", text: line });
    expect(await talk.engine.silences()).toEqual([]);
    await talk.ask(line);
    expect(await talk.engine.silences()).toHaveLength(1);
  });

  test.each([
    // What is plainly meant is offered as a press.
    ["tonight", { invocation: { command: "alerts silence", options: { until: "07:00" } } }],
    ["night", { invocation: { command: "alerts silence", options: { until: "07:00" } } }],
    ["overnight", { invocation: { command: "alerts silence", options: { until: "07:00" } } }],
    ["for the night", { invocation: { command: "alerts silence", options: { until: "07:00" } } }],
  ])("for %s leads to a line that silences", async (words, leads) => {
    const talk = await talkInOps();
    const first = await talk.askFor(`silence ${words}`);
    expect([...first.actions, ...first.blocks]).toContainEqual(expect.objectContaining(leads));
    const asked = await talk.askFor(`alerts silence ${words}`);
    expect(asked.blocks.at(-1)).toMatchObject({ kind: "code", text: "alerts silence all night" });
    expect(await talk.engine.silences()).toEqual([]);
    await talk.ask("alerts silence all night");
    expect(await talk.engine.silences()).toMatchObject([{ until: NOON + 8 * HOUR }]);
  });

  test("ends by the words that made it; of several, or of none called so, those that hold are offered", async () => {
    const talk = await talkInOps();
    for (const words of ["all", "node.down", "BTC/USDT"]) {
      await talk.ask(`alerts silence ${words} for:8h`);
      expect(await talk.ask(`alerts unsilence ${words}`)).toMatch(saying("✓"));
      expect(await talk.engine.silences()).toEqual([]);
    }
    await see(talk, 4, [down("good")]);
    await see(talk, 4, [down("bad")]);
    const [episode] = await talk.engine.openEpisodes();
    for (const words of [episode!.id, episodeName(episode!.id)]) {
      await talk.ask(`alerts silence "${words}" for:8h`);
      expect(await talk.ask(`alerts unsilence "${words}"`)).toMatch(saying("✓"));
      expect(await talk.engine.silences()).toEqual([]);
    }
    await talk.ask("alerts silence node.down for:1h");
    const id = idIn(talk.lastReply);
    expect(await talk.ask("alerts unsilence all")).toMatch(saying("!", `alerts unsilence id:${id}`));
    await talk.ask("alerts silence node.down from:22:00 for:1h");
    const other = idIn(talk.lastReply);
    expect(await talk.ask("alerts unsilence node.down")).toMatch(saying("!", id, other));
    expect(await talk.engine.silences()).toHaveLength(2);
    // At the console, what it silenced everywhere comes before the silences of others.
    talk.become({ here: CONSOLE_PAGE });
    await talk.ask("alerts silence node.down for:2h");
    const everywhere = idIn(talk.lastReply);
    await talk.ask("alerts unsilence node.down");
    expect((await talk.engine.silences()).map((one) => one.id)).not.toContain(everywhere);
  });

  test.each([
    ["2h", "alerts silence all 2h"],
    ["for:2h network:testnet", "alerts silence all 2h network:testnet"],
    ["from:22:00 for:2h", "alerts silence all 2h from:22:00"],
    ["until:2026-02-01", "alerts silence all until:2026-02-01"],
  ])("of everything (%s) asks first: nothing is silenced until it is named, or confirmed", async (typed, line) => {
    for (const here of [OPS, CONSOLE_PAGE]) {
      const talk = await talkInOps();
      talk.become({ here });
      const { blocks } = await talk.askFor(`alerts silence ${typed}`);
      expect(blocks.at(-1)).toMatchObject({ kind: "code", text: line });
      expect(talk.lastReply.failure).toBe("caller");
      expect(await talk.engine.silences()).toEqual([]);
      expect(await owed(talk, ops)).toEqual([]);
      expect(await talk.press("alerts silence what:all")).toMatch(saying("✓", "everything"));
      const [pressed, ...others] = await talk.engine.silences();
      expect([idIn(talk.lastReply), others]).toEqual([pressed?.id, []]);
      // The line that is offered does the same.
      talk.become({ here: ELSEWHERE });
      expect(await talk.ask(line)).toMatch(saying("✓", "everything"));
      const id = idIn(talk.lastReply);
      const { from, until, scope } = pressed!;
      expect((await talk.engine.silences()).find((one) => one.id === id)).toMatchObject({
        from,
        until,
        scope: { ...scope, destination: destinationKey(elsewhere) },
      });
    }
  });

  test("is not made by the button of an alert that is over: it offers the silence of the kind, and asks first", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down,network.stalled");
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 5, [stalled("good"), down("bad")]);
    const alert = (await owedReplies(talk, ops)).at(-1)!;
    await see(talk, 10, [stalled("good"), down("good")]);
    expect(await talk.engine.openEpisodes()).toEqual([]);
    const here = { here: OPS, caller: ann, signal: AbortSignal.timeout(5000) };
    for (const label of ["Silence 1 h", "Acknowledge"]) {
      const button = alert.actions.find((one) => one.label === label);
      if (button === undefined || !("invocation" in button)) throw new Error("no such button");
      const late = await talk.bot.run({ ...here, ...button.invocation });
      expect(shown(late)).toContain("that is over");
      expect(await talk.engine.silences()).toEqual([]);
      const [offer] = late.actions;
      if (offer === undefined || !("invocation" in offer)) throw new Error("nothing is offered");
      expect(offer.confirm).toContain("node outages of a:1 on mainnet");
      expect(offer.invocation).toMatchObject({ options: { what: "node.down", for: "1h", network: "mainnet" } });
    }
    // Words name what is to be kept back, whether or not it fires.
    expect(await talk.ask('alerts silence "network.stalled" for:1h')).toContain("Silenced stalls");
  });

  test("that holds is a line of the status, with the time left, as far as it concerns the place", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts silence node.down for:2h reason:upgrade");
    await talk.ask("alerts silence all from:22:00 for:2h");
    talk.advance(HOUR / 2);
    expect(await talk.ask("alerts status")).toMatch(saying("node outages", "1 h", "30 min", "ann", "upgrade"));
    talk.become({ here: ELSEWHERE });
    expect(await talk.ask("alerts status")).not.toContain("Silenced now");
    talk.become({ here: CONSOLE_PAGE });
    expect(await talk.ask("alerts status")).toContain("1122334455667788990 on Discord");
    talk.advance(2 * HOUR);
    expect(await talk.ask("alerts status")).not.toContain("Silenced now");
  });

  test("of a market is told by its name: in the status, to the operators, in the log", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts silence BTC/USDT for:1h");
    expect(await talk.ask("alerts status")).toMatch(saying("all of BTC/USDT on mainnet"));
    expect(shown(talk.lastReply)).not.toContain(talk.samples.marketId);
    const [silence] = await talk.engine.silences();
    expect(plainText(silenceScopeWords(silence!))).toBe("all of BTC/USDT on mainnet");
  });

  test("pressed twice is one silence, announced once; a longer one lengthens it", async () => {
    const talk = await talkInOps();
    const both = await Promise.all([
      talk.ask("alerts silence node.down for:1h"),
      talk.ask("alerts silence node.down for:1h"),
    ]);
    talk.advance(5000);
    both.push(await talk.ask("alerts silence node.down for:1h"));
    expect(both.filter((said) => /^•.*node outages/u.test(said))).toHaveLength(2);
    expect(await talk.engine.silences()).toHaveLength(1);
    expect(await owed(talk, ops)).toHaveLength(1);
    const [known] = await talk.engine.silences();
    expect(await talk.ask("alerts silence node.down for:3h")).toMatch(saying("✓", "15:00", known!.id));
    expect(await talk.engine.silences()).toMatchObject([{ id: known!.id, from: NOON, until: NOON + 3 * HOUR + 5000 }]);
    expect(await owed(talk, ops)).toHaveLength(2);
  });

  test("to come is no silence already: one within it is answered with its id and times, a later end lengthens it", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts silence all from:23:00 for:8h");
    const [known] = await talk.engine.silences();
    for (const times of ["from:23:30 for:1h", "from:23:00 until:tomorrow"]) {
      expect(await talk.ask(`alerts silence all ${times}`)).toMatch(
        saying("•", "from 2026-01-15 23:00:00 UTC to 2026-01-16 07:00:00", known!.id),
      );
      expect(plainText(talk.lastReply.title)).not.toContain("already");
    }
    expect(await talk.ask("alerts silence all from:23:30 for:8h")).toMatch(
      saying("✓", "from 2026-01-15 23:00:00 UTC to 2026-01-16 07:30:00", known!.id),
    );
    expect(await talk.engine.silences()).toMatchObject([
      { id: known!.id, from: NOON + 11 * HOUR, until: NOON + 19.5 * HOUR },
    ]);
    // It would leave the hour before without one.
    await talk.ask("alerts silence all from:22:00 for:2h");
    await talk.ask("alerts silence all from:2026-01-16T08:30 for:1h");
    expect(await talk.engine.silences()).toHaveLength(3);
  });

  test.each([
    ["from:23:00 until:07:00", 11, 19],
    ["from:22:00 until:07:00", 10, 19],
    ["from:23:00 until:23:00", 11, 35],
    ["from:2026-01-20T22:00 until:07:00", 130, 139],
    ["from:21:00 until:07:00 zone:Europe/Berlin", 8, 18],
    ["for:night", 0, 8],
    ["for the night", 0, 8],
  ])("may be one of a night: %s", async (times, from, until) => {
    const talk = await talkInOps();
    await talk.ask(`alerts silence all ${times}`);
    expect(await talk.engine.silences()).toMatchObject([{ from: NOON + from * HOUR, until: NOON + until * HOUR }]);
  });

  test.each([
    "from:2026-01-20 until:2026-01-19",
    "from:22:00 until:2026-01-10",
    "until:2026-01-10",
    "from:2026-01-10",
    "from:2026-01-10 until:2026-01-12",
    "for:1h until:07:00",
    "for:60d",
    "until:2027-01-01",
    "for:banana",
    "until:banana",
    "from:banana for:2h",
    "for:24h every:day until:2026-06-30",
    "from:2026-01-10 for:1h every:day until:2026-06-30",
    "from:22:00 until:07:00 every:day",
    "for:0",
  ])("whose times are refused is answered with a line that works: %s", async (times) => {
    const talk = await talkInOps();
    const { blocks } = await talk.askFor(`alerts silence node.down ${times} reason:maintenance`);
    const line = blocks.find(({ kind }) => kind === "code");
    expect(await talk.engine.silences()).toEqual([]);
    if (line?.kind !== "code") throw new Error("no line");
    await talk.ask(line.text);
    expect(await talk.engine.silences()).toMatchObject([{ scope: { kind: "node.down" }, reason: "maintenance" }]);
  });

  test("has a limit per destination", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts silence node.down for:1h");
    const [one] = await talk.engine.silences();
    for (let index = 2; index <= 100; index += 1) await talk.engine.putSilence({ ...one!, id: `x${index}` }, "ann");
    expect(await talk.ask("alerts silence all for:1h")).toMatch(saying("!", 100));
    talk.become({ here: ELSEWHERE });
    expect(await talk.ask("alerts silence all for:1h")).toMatch(saying("✓", "until 13:00 UTC"));
    expect(await talk.engine.silences()).toHaveLength(101);
  });

  test.each([
    ["network.stalled mainnet 1 8 hours", { what: "network.stalled mainnet 1", for: "8 hours" }],
    ["node.down mainnet a:1 3 until:resolved", { what: "node.down mainnet a:1 3", until: "resolved" }],
    ["node.down mainnet a:1 3 1h b", { what: "node.down mainnet a:1 3", for: "1h", subject: "b" }],
    ["node.down 2h a:1", { what: "node.down", for: "2h", subject: "a:1" }],
    ["all 07:00 07:30", { what: "all", for: "07:00", subject: "07:30" }],
    ["8 hours", { what: "8 hours" }],
  ])("of %s takes the words before a time for the alert", (words, options) => {
    expect(parseLine(`alerts silence ${words}`, commands, nanoseconds(0n)).options).toEqual(options);
  });

  test("until an alert is over is of that alert, and says so wherever it is named; then it says when it ends", async () => {
    const { talk, name } = await nodeDown();
    expect((await talk.suggest("alerts silence", "until", "re", { what: name })).map(({ value }) => value)).toEqual([
      "resolved",
    ]);
    for (const what of ["node.down", "a:1", "all", "network.stalled"]) {
      const ends = (await talk.suggest("alerts silence", "until", "", { what })).map(({ value }) => value);
      expect(ends).toEqual(["07:00", "18:00", "tomorrow", "tomorrow 07:00"]);
    }
    const said = await talk.ask(`alerts silence ${name} until:resolved reason:repair`);
    const latest = "2026-02-14 12:00:30 UTC at the latest";
    expect(said).toMatch(saying("✓", "a:1", "mainnet", "10 min after", latest, "repair", "Firing now"));
    const id = idIn(talk.lastReply);
    const now = Number(talk.now() / 1_000_000n);
    expect(await talk.engine.silences()).toMatchObject([
      {
        id,
        scope: { network: "mainnet", kind: "node.down", subject: "a:1" },
        from: now,
        until: now + 30 * 24 * HOUR,
        untilOver: ["node.down|mainnet|a:1|1"],
      },
    ]);
    expect(shown((await owedReplies(talk, ops)).at(-1)!)).toMatch(
      saying("ann silenced node outages of a:1 on mainnet", "Until 10 min after it is over", latest, "repair"),
    );
    expect(await talk.ask("alerts silences")).toMatch(saying("until it is over", "until 10 min after it is over", id));
    expect(await talk.ask("alerts status")).toMatch(saying("node outages of a:1 on mainnet", "until it is over, by"));
    expect(await talk.ask("alerts add node.down subjects:sim-1")).not.toContain("until an alert is over");
    // Once more, also in other words, it is the same silence.
    talk.advance(3 * 60_000);
    const again = await talk.ask('alerts silence "node.down|mainnet|a:1|1" until:RESOLVED');
    expect(again).toMatch(saying("• Silenced already", latest, id));
    expect(await talk.engine.silences()).toHaveLength(1);
    await see(talk, 8, [stalled("good"), down("good")]);
    const { episode } = (await talk.engine.history("node.down|mainnet|a:1|1"))!;
    const end = Number(BigInt(episode.ended!) / 1_000_000n) + 10 * 60_000;
    const [known] = await talk.engine.silences();
    expect([known?.id, known?.until, known?.untilOver]).toEqual([id, end, undefined]);
    const clock = `until ${new Date(end).toISOString().slice(11, 16)}`;
    const listed = await talk.ask("alerts silences");
    expect(listed).toMatch(saying("left", clock, id));
    expect(listed).not.toContain("over");
    expect(await talk.ask("alerts log silence")).toMatch(
      saying(`${id} ends at`, "node outages of a:1 on mainnet is over"),
    );
    // It is over already: a silence now would be of the next one.
    const late = await talk.ask(`alerts silence "${name}" until:resolved`);
    expect(late).toMatch(saying("! Nothing is silenced: that is over", "alerts silence what:node.down"));
    expect(await talk.ask("alerts silence node.down a:1 until:resolved")).toMatch(/^!/u);
    expect(await talk.engine.silences()).toHaveLength(1);
  });

  test("until an alert is over stands beside one for a time, and is ended like it", async () => {
    const { talk, name } = await nodeDown();
    await talk.ask(`alerts silence "${name}" for:8h`);
    await talk.ask(`alerts silence "${name}" until:resolved zone:Europe/Berlin`);
    const id = idIn(talk.lastReply);
    expect(await talk.ask(`alerts silence "${name}" for:1h`)).toMatch(saying("• Silenced already"));
    expect(await talk.engine.silences()).toHaveLength(2);
    expect(await talk.ask(`alerts unsilence ${id}`)).toMatch(saying("✓", "still keeps all of that back"));
    expect((await talk.engine.silences()).map(({ untilOver }) => untilOver)).toEqual([undefined]);
    await see(talk, 8, [stalled("good"), down("good")]);
    expect(await talk.engine.silences()).toMatchObject([{ until: expect.any(Number) as number }]);
    expect((await talk.ask("alerts silences")).split("\n")[0]).toContain("until 20:00 UTC");
  });

  test("until an alert is over covers a subscription to it, until then", async () => {
    const { talk, name } = await nodeDown();
    await talk.ask(`alerts silence "${name}" until:resolved`);
    expect(await talk.ask("alerts list")).not.toContain("2026-02-14");
    const add = await talk.ask("alerts add node.down,network.time-back");
    expect(add).toMatch(saying("in part", "alerts silences"));
    const everything = await talk.ask("alerts silence all for:1h");
    expect(everything).toMatch(saying("✓"));
  });

  test.each([
    ["node.down", "alerts silence “node.down mainnet a:1 1” until:resolved"],
    ["all", "alerts silence “node.down mainnet a:1 1” until:resolved"],
    ["", "alerts silence “node.down mainnet a:1 1” until:resolved"],
    ["node.down subject:sim-1", "alerts status"],
    ["network.stalled", "alerts status"],
    ["BTC/USDT", "alerts status"],
    ["EPISODE from:22:00", "alerts silence “node.down mainnet a:1 1” until:resolved"],
    ["EPISODE for:1h", "alerts silence “node.down mainnet a:1 1” until:resolved"],
    ["EPISODE every:day", "alerts silence “node.down mainnet a:1 1” until:resolved"],
  ])("until an alert is over, of “%s”, is refused with what is right", async (what, line) => {
    const { talk, name } = await nodeDown();
    const said = await talk.askFor(`alerts silence ${what.replace("EPISODE", `"${name}"`)} until:resolved`);
    expect(said.failure).toBe("caller");
    expect(await talk.engine.silences()).toEqual([]);
    expect(plainText(said.title)).toMatchSnapshot();
    expect(said.blocks.at(-1)).toMatchObject({ kind: "code", text: line.replaceAll(/[“”]/gu, '"') });
    await talk.ask(line.replaceAll(/[“”]/gu, '"'));
    expect(await talk.engine.silences()).toHaveLength(line === "alerts status" ? 0 : 1);
  });

  test("resolved in place of a span is answered with the line that says it", async () => {
    const { talk, name } = await nodeDown();
    const { blocks } = await talk.askFor(`alerts silence "${name}" resolved`);
    expect(blocks.at(-1)).toMatchObject({ kind: "code", text: `alerts silence "${name}" until:resolved` });
  });

  test("may begin later and come again by the clock of a zone", async () => {
    const talk = await talkInOps();
    // Noon in UTC is 13:00 in Berlin: its next 22:00 is today, its next 12:30 tomorrow.
    await talk.ask("alerts silence all from:22:00 for:2h every:week zone:Europe/Berlin until:2026-06-30");
    const once = await talk.ask("alerts silence all from:12:30 for:30m zone:Europe/Berlin");
    expect(once).toMatch(saying("from 2026-01-16 12:30 to 2026-01-16 13:00 by the clock of Europe/Berlin"));
    await talk.ask("alerts silence all from:2h until:2026-01-16T00:00:00Z zone:Europe/Berlin");
    await talk.ask('alerts silence all from:"2026-07-01 08:00" for:1d zone:America/New_York');
    const byStart = (await talk.engine.silences()).toSorted((a, b) => a.from - b.from);
    expect(byStart).toMatchObject([
      { from: NOON + 2 * HOUR, until: Date.UTC(2026, 0, 16) },
      {
        from: Date.UTC(2026, 0, 15, 21),
        until: Date.UTC(2026, 0, 15, 23),
        recurrence: { every: "week", zone: "Europe/Berlin", until: Date.UTC(2026, 5, 30, 22) },
      },
      { from: Date.UTC(2026, 0, 16, 11, 30), until: Date.UTC(2026, 0, 16, 12) },
      { from: Date.UTC(2026, 6, 1, 12), until: Date.UTC(2026, 6, 2, 12) },
    ]);
    expect(await talk.ask("alerts silences")).toMatch(
      saying("Thursday", "22:00", "2 h", "by the clock of Europe/Berlin", "2026-01-15 21:00:00"),
    );
  });

  test("and quiet hours are by the caller's clock, where no zone is named, and say so", async () => {
    const talk = await talkInOps();
    await talk.ask("my zone Asia/Tokyo");
    expect(await talk.ask("alerts silence all until:23:00")).toMatch(saying("until 23:00 by the clock of Asia/Tokyo"));
    expect((await talk.engine.silences()).map(({ until }) => until)).toEqual([Date.UTC(2026, 0, 15, 14)]);
    expect(await talk.ask("alerts silence node.down for:1h")).not.toContain("Asia/Tokyo");
    expect(await talk.ask("alerts add node.down quiet:22:00-07:00")).toContain("22:00 to 07:00 Asia/Tokyo");
    // What was set before keeps its zone.
    await talk.ask("my zone UTC");
    await talk.ask(`alerts edit ${(await talk.engine.subscriptions()).at(-1)?.id} quiet:23:00-07:00`);
    expect((await talk.engine.subscriptions()).at(-1)?.quietHours).toMatchObject({ from: "23:00", zone: "Asia/Tokyo" });
  });

  test("that is ended reports the consequence, and the log the change", async () => {
    const talk = await talkInOps();
    const made = async (line: string): Promise<string> => {
      await talk.ask(`alerts silence ${line}`);
      return idIn(talk.lastReply);
    };
    const later = await made("all from:22:00 for:1h");
    expect(await talk.ask(`alerts unsilence ${later}`)).toMatchSnapshot("before its beginning");
    const [all, kind] = [await made("all for:1h"), await made("node.down for:2h")];
    expect(await talk.ask(`alerts unsilence ${kind}`)).toMatch(saying(all));
    const again = await made("node.down for:3h");
    expect(await talk.ask(`alerts unsilence ${all}`)).toMatch(saying(again));
    const last = await talk.ask(`alerts unsilence ${again}`);
    expect(last).toMatch(saying("✓", "node outages"));
    for (const id of [later, all, kind]) expect(last).not.toContain(id);
    expect(last).toMatchSnapshot("the last one");
    const log = await talk.ask("alerts log silence");
    expect(log).toContain(`${again} ended, by ann: node outages`);
    expect(log).toContain(`${all} made, by ann: everything, until 2026-01-15 13:00:00`);
  });

  test("that is ended in quiet hours says that these suppress all but critical alerts, and until when", async () => {
    const talk = await talkInOps();
    const unsilenced = async (id: string) => (await talk.ask(`alerts unsilence ${id}`)).replaceAll(/\s+/gu, " ");
    const ended = async (): Promise<string> => {
      expect(await talk.ask("alerts silence node.down for:1h")).toContain("quiet hours");
      return unsilenced(idIn(talk.lastReply));
    };
    await talk.ask("alerts add node.down quiet:11:00-14:00");
    await see(talk, 1, [down("good")]);
    await talk.ask("alerts silence node.down for:1h");
    const id = idIn(talk.lastReply);
    await see(talk, 5, [down("bad")]);
    expect(await unsilenced(id)).toMatch(saying("quiet hours", "until 14:00 UTC"));
    const delivered = async () => (await owed(talk, ops)).filter((gist) => gist.includes("node.down of a:1"));
    expect(await delivered()).toEqual([]);
    await talk.ask("alerts add network.stalled quiet:11:00-15:00");
    expect(await ended()).toMatch(saying("quiet hours", "until 14:00 UTC"));
    await talk.ask("alerts add market.auction subject:BTC/USDT quiet:11:00-15:00");
    await talk.ask("alerts silence all for:1h");
    const all = idIn(talk.lastReply);
    expect(await unsilenced(all)).toMatch(saying("until 14:00 UTC", "15:00"));
    talk.advance(3 * HOUR);
    expect(await ended()).not.toContain("quiet hours");
    expect(await delivered()).toHaveLength(1);
  });

  test("of a subject, of a kind's subject, of one network", async () => {
    const talk = await talkInOps();
    const { marketId } = talk.samples;
    await talk.ask("alerts silence BTC/USDT for:1h");
    await talk.ask("alerts silence market.auction subject:BTC/USDT for:1h");
    await talk.ask("alerts silence network.stalled for:1h network:testnet");
    await talk.ask("alerts silence node.down subject:sim-1 for:1h");
    const destination = "discord//1122334455667788990/";
    const scopes = (await talk.engine.silences()).map(({ scope }) => scope);
    expect(scopes).toHaveLength(4);
    expect(scopes).toEqual(
      expect.arrayContaining([
        { destination, network: "mainnet", subject: marketId },
        { destination, network: "mainnet", kind: "market.auction", subject: marketId },
        { destination, network: "testnet", kind: "network.stalled" },
        { destination, network: "mainnet", kind: "node.down", subject: "sim-1" },
      ]),
    );
  });

  test("made at the console holds everywhere, is announced where it matters, and is ended only there", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down");
    talk.become({ here: ELSEWHERE });
    await talk.ask("alerts add network.stalled");
    talk.become({ here: CONSOLE_PAGE });
    await talk.ask("alerts silence node.down for:1h");
    const id = idIn(talk.lastReply);
    expect(await owed(talk, ops)).toContain("silenced by ann: node.down");
    expect(await owed(talk, elsewhere)).toHaveLength(1);
    expect(await owed(talk, theConsole)).toEqual([]);
    talk.become({ here: OPS });
    expect(await talk.ask("alerts silences")).toContain("all channels");
    expect(await talk.ask(`alerts unsilence ${id}`)).toMatch(saying("!", id, "ann"));
    expect(await talk.engine.silences()).toHaveLength(1);
    talk.become({ here: CONSOLE_PAGE });
    expect(await talk.ask(`alerts unsilence ${id}`)).toMatch(saying("✓", "node outages"));
  });

  test("of a personal watch is for direct messages, and for the console by its name", async () => {
    const talk = await talkInOps();
    talk.become({ here: DIRECT });
    expect(await talk.ask("alerts silence order.final for:1h")).toMatch(saying("✓", "closed orders"));
    talk.become({ here: CONSOLE_PAGE });
    expect(await talk.ask("alerts silence order.final for:1h")).toMatch(saying("!", "order.final"));
    expect(await talk.ask("alerts silence order.final for:1h to:console")).toMatch(saying("✓", "closed orders"));
  });

  test("of one node is not announced where only others are watched", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down sim-1");
    talk.become({ here: ELSEWHERE });
    await talk.ask("alerts add node.down sim-2");
    talk.become({ here: CONSOLE_PAGE });
    await talk.ask("alerts silence node.down subject:sim-1 for:1h");
    expect((await owed(talk, ops)).at(-1)).toBe("silenced by ann: mainnet node.down sim-1");
    expect((await owed(talk, elsewhere)).join()).not.toContain("silenced");
  });

  test("of another channel is not seen here", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts silence all for:1h");
    const id = idIn(talk.lastReply);
    talk.become({ here: ELSEWHERE });
    expect(await talk.ask("alerts silences")).toContain("Nothing is silenced");
    expect(await talk.ask(`alerts unsilence ${id}`)).toMatch(saying("!", id));
    expect(await talk.engine.silences()).toHaveLength(1);
  });

  test.each(["alerts silence all for:1h", "alerts unsilence abcde"])(
    "%s is for those who manage the channel",
    async (line) => {
      const talk = await talkInOps();
      talk.become({ caller: bob });
      expect(await talk.ask(line)).toMatch(/^! .*manage this channel/u);
      expect(await talk.engine.silences()).toEqual([]);
      expect(await owed(talk, ops)).toEqual([]);
    },
  );

  test.each<[string, RegExp]>([
    ["", saying("how long?", "1h")],
    ["node.down", saying("how long?", "1h")],
    ["for:1h until:22:00", /^!/u],
    ["for:31d", saying(30)],
    ["until:2026-01-15T11:00", /^!/u],
    ["from:2026-01-14T11:00 for:1h", /^!/u],
    [
      "from:22:00 every:day until:2026-06-30",
      saying("alerts silence all from:22:00 every:day until:2026-06-30 for:2h"),
    ],
    ["from:22:00 until:07:00 every:day", saying("alerts silence all from:22:00 every:day until:2026-02-14 for:9h")],
    ["for:24h every:day until:2026-06-30", /^!/u],
    ["for:1h every:day", saying("alerts silence all every:day until:2026-02-14 for:1h")],
    ["for:1h every:day until:2028-01-01", /^!/u],
    ["for:soon", saying("soon")],
    ["from:someday for:1h", saying("from", "someday")],
    ["for:1h zone:Berlin", saying("Europe/Berlin")],
    ["for:0h", saying("0h", "2d")],
    ["night", saying("alerts silence all night")],
    ['"api 1"', saying("api 1", "alerts silence all night")],
    ["node.down reason:deploy", saying("how long?", "1h")],
    ["node.dwon for:1h", saying("node.dwon", "node.down")],
    ["nonsense for:1h", saying("nonsense")],
    ["network.stalled subject:BTC/USDT for:1h", /^!/u],
    ["order.final for:1h", /^!/u],
  ])("“%s” is refused with what is right", async (values, expected) => {
    const talk = await talkInOps();
    const said = await talk.ask(`alerts silence ${values}`);
    expect(said).toMatch(expected);
    expect(said).toMatchSnapshot();
    expect(talk.lastReply.failure).toBe("caller");
    expect(await talk.engine.silences()).toEqual([]);
  });
});
