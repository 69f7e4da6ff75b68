import { describe, expect, test } from "vitest";

import { asButtons } from "../../src/reply/fold.ts";
import { fullText } from "../../src/reply/full-text.ts";
import { down, price, stalled } from "../alerts/readings.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { saying } from "../support/said.ts";
import {
  ann,
  bob,
  CONSOLE_PAGE,
  deliver,
  DIRECT,
  ELSEWHERE,
  elsewhere,
  oneNodeDown,
  OPS,
  ops,
  owed,
  owedReplies,
  see,
  shown,
  talkInOps,
  theConsole,
} from "./alert-channel.ts";

/** The episode of the node that is down, by its id in the answer, not in the buttons below. */
const ACKNOWLEDGED = /Episode\s+node\.down mainnet a:1 1/u;

describe("an episode", () => {
  test.each([
    "node.down|mainnet|a:1|1",
    "NODE.DOWN",
    "node.down a:1",
    "a:1",
    "node.down mainnet 1",
    "node|main|a",
    "node.down|mainnet|a:1|",
    "node.down mainnet a:1 1",
  ])("may be typed as %s", async (typed) => {
    const talk = await oneNodeDown();
    expect(await talk.ask(`alerts why "${typed}"`)).toMatch(saying("!", "a:1", "mainnet"));
  });

  test("that is over tells why it fired, not why it is good again", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down style:plain");
    const others = [stalled("good"), down("good", "b:1")];
    await see(talk, 1, [down("good"), ...others]);
    await see(talk, 4, [{ ...down("bad"), why: "refuses the connection" }, ...others]);
    expect(await talk.ask("alerts why node.down")).toMatch(/^ *Why +refuses the connection/mu);
    await see(talk, 20, [{ ...down("good"), why: "answers again" }, ...others]);
    const said = await talk.ask("alerts why node.down");
    expect(said).toContain("resolved");
    // Of what is over there is nothing left to do.
    expect(said).not.toContain("What to do");
    expect(said).toMatch(/^ *Why +refuses the connection/mu);
  });

  test("is told without the edits that only keep its message up to date", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down style:live");
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 4, [stalled("good"), down("bad")]);
    await deliver(talk, new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) }));
    await talk.ask("alerts ack node.down");
    expect(await owed(talk, ops)).not.toEqual([]);
    const said = await talk.ask("alerts why node.down");
    expect(said).toContain("alert sent");
    expect(said).not.toMatch(/^ *update/mu);
  });

  test("must be distinguished from others", async () => {
    const talk = await oneNodeDown();
    await see(talk, 4, [stalled("good"), down("bad"), down("bad", "b:1")]);
    const said = await talk.ask("alerts why node.down");
    expect(said).toMatch(saying("!", "node.down", 2));
    // Of two that are as bad, the newer one first.
    expect(said).toContain("node.down mainnet b:1 1, node.down mainnet a:1 1");
    expect(await talk.ask("alerts why node.down mainnet b:1 1")).toMatch(saying("!", "b:1"));
    expect(await talk.ask('alerts why "|||"')).toMatch(saying("!", "|||"));
    expect(await talk.ask("alerts why node.dwon")).toMatch(saying("!", "node.dwon", "node.down"));
  });

  test("is distinguished by its network, and by its id where words are not enough", async () => {
    const talk = await oneNodeDown();
    const [of, alike] = ["ab".repeat(32), "cd".repeat(32)];
    await talk.ask("alerts add market.price BTC/USDT high:70000");
    const subscription = (await talk.engine.subscriptions()).find(({ kinds }) => kinds.includes("market.price"))!;
    await talk.engine.putSubscriptions([{ ...subscription, subjects: [of, alike] }], "ann");
    for (const dear of ["1", "80000"]) await see(talk, 1, [price(dear, of), price(dear, alike)]);
    const said = await talk.ask("alerts why BTC/USD network:mainnet");
    expect(said).toMatch(saying("!", 2));
    expect(said).toContain("market.price{high=70000} mainnet abababab 1, market.price{high=70000} mainnet cdcdcdcd 1");
    const timeline = await talk.ask("alerts why market.price{high=70000} mainnet cdcdcdcd 1");
    expect(timeline).toMatch(/Episode +market\.price\{high=70000\} mainnet cdcdcdcd 1$/mu);
    expect(await talk.ask("alerts why node.down network:testnet")).toMatch(saying("!", "node.down", "testnet"));
    expect(await talk.ask("alerts ack node.down network:testnet")).toMatch(saying("!", "testnet"));
    expect(await talk.ask("alerts ack node.down network:mainnet")).toMatch(saying("✓", "a:1"));
  });

  test("of a market is found by a prefix of its name, where that is no other's whole name", async () => {
    const talk = await oneNodeDown();
    const [of, longer] = ["ab".repeat(32), "cd".repeat(32)];
    const [subscription] = await talk.engine.subscriptions();
    const parameters = { "market.price": { high: "70000" } };
    await talk.engine.putSubscriptions([{ ...subscription!, id: "dear2", kinds: ["market.price"], parameters }], "ann");
    const quarterly = (amount: string) => ({ ...price(amount, longer), label: "BTC/USD-230630" }) as const;
    for (const dear of ["1", "80000"]) await see(talk, 1, [price(dear, of), quarterly(dear)]);
    expect(await talk.ask("alerts why BTC/USD")).toContain("BTC/USD 80,000, above 70,000 on mainnet");
    expect(await talk.ask("alerts why BTC/USD-2")).toContain("BTC/USD-230630 80,000, above 70,000 on mainnet");
    expect(await talk.ask("alerts why BTC")).toMatch(saying("!", 2));
    expect(await talk.ask("alerts why BT")).toMatch(saying("!", "BT"));
  });

  test.each(["alerts why", "alerts ack"])(
    "left out of %s is chosen from the open ones, the worst first",
    async (line) => {
      const talk = await oneNodeDown();
      await see(talk, 7, [stalled("bad"), down("bad")]);
      const { actions, failure } = await talk.askFor(line);
      expect(failure).toBe("caller");
      expect(asButtons(actions)).toMatchObject([
        {
          label: expect.stringContaining("mainnet"),
          invocation: { options: { episode: "network.stalled mainnet 1" } },
        },
        { label: expect.stringContaining("a:1"), invocation: { options: { episode: "node.down mainnet a:1 1" } } },
      ]);
      expect(await talk.press(line)).toMatch(/Episode +network\.stalled mainnet 1$/mu);
    },
  );

  test("is told apart from others of the same name by its beginning, open ones first", async () => {
    const talk = await oneNodeDown();
    for (const _ of [1, 2]) {
      await see(talk, 20, [stalled("good"), down("good")]);
      await see(talk, 20, [stalled("good"), down("bad")]);
    }
    const labels = asButtons((await talk.askFor("alerts why")).actions).map(({ label }) => label);
    expect(labels).toHaveLength(3);
    expect(new Set(labels).size).toBe(3);
    expect(labels.map((label) => label.includes("resolved"))).toEqual([false, true, true]);
    // Slack's limit for a label.
    expect(labels.every((label) => label.length <= 75)).toBe(true);
    // The question stands in none of the lines, or before all of them.
    expect(talk.lastReply.actions).toHaveLength(1);
    expect((await talk.ask("alerts why")).split("Which one").length).toBeLessThanOrEqual(2);
  });

  test("is named without a key of machines, by a name that finds it among others that begin alike", async () => {
    const talk = await oneNodeDown();
    await see(talk, 4, [stalled("good"), down("bad"), down("bad", "a:10")]);
    for (const node of ["a:1", "a:10"]) {
      const said = await talk.ask(`alerts why "node.down mainnet ${node} 1"`);
      expect(said).toMatch(new RegExp(`Episode +node\\.down mainnet ${node} 1$`, "mu"));
      expect(said).not.toContain("|");
    }
    for (const line of ["alerts status", "alerts log", "alerts ack a:10", "alerts ack a:10"]) {
      expect(await talk.ask(line)).not.toContain("|");
    }
    expect(await talk.ask('alerts silence "node.down mainnet a:10 1" for:1h')).toContain("a:10");
    expect(await talk.ask('alerts log "node.down mainnet a:10 1"')).not.toContain("a:1 1");
  });

  test("tells each of its steps once", async () => {
    const talk = await oneNodeDown();
    const said = fullText(await talk.askFor("alerts why node.down"));
    expect(said.match(/\bfired\b/gu)).toHaveLength(1);
  });

  test("that is over is found where none is open: the last one of its subject", async () => {
    const talk = await oneNodeDown();
    await see(talk, 6, [stalled("good"), down("good")]);
    expect(await talk.ask("alerts why node.down")).toMatch(saying("✓", "a:1", "mainnet"));
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("•", "a:1"));
  });

  test("is completed, open ones first, within what platforms take", async () => {
    const talk = await oneNodeDown();
    expect((await talk.suggest("alerts why", "episode", "")).map(({ value }) => value)).toEqual([
      "node.down mainnet a:1 1",
    ]);
    expect((await talk.suggest("alerts ack", "episode", "a:1"))[0]?.label).toMatch(saying("a:1", "mainnet", "warning"));
    const silenceable = (await talk.suggest("alerts silence", "what", "")).map(({ value }) => value);
    expect(silenceable.slice(0, 3)).toEqual(["node.down mainnet a:1 1", "sim-1", "network.stalled"]);
    expect(silenceable.at(-1)).toBe("all");
    expect((await talk.suggest("alerts silence", "what", "node.d")).map(({ value }) => value)).not.toContain("all");
    const market = "ab".repeat(32);
    const high = "70000.123456789012345678";
    await talk.engine.putSubscriptions(
      [
        {
          ...(await talk.engine.subscriptions())[0]!,
          id: "long1",
          kinds: ["market.price"],
          parameters: { "market.price": { high, low: `-${high}` } },
        },
      ],
      "ann",
    );
    await see(talk, 1, [price("1", market)]);
    await see(talk, 1, [price("80000", market)]);
    const [choice] = await talk.suggest("alerts why", "episode", "market.price");
    expect(choice!.value.length).toBeLessThanOrEqual(100);
    const timeline = await talk.ask(`alerts why ${choice!.value}`);
    expect(timeline).toMatch(saying("!", "BTC/USD", "80,000", "70,000.123456789012345678", "mainnet"));
    const above = "above 70,000.123456789012345678";
    expect(timeline).toMatch(new RegExp(String.raw`fired\s+[\d-]+ [\d:]+\s+${above} `, "u"));
    expect(await talk.ask("alerts log market.price")).toContain("fired · BTC/USD 80,000, above");
  });

  test.each(["why", "ack", "silence"])("is completed on a line by what people call it: alerts %s", async (command) => {
    const talk = await oneNodeDown();
    const market = "ab".repeat(32);
    await talk.engine.putSubscriptions(
      [
        {
          ...(await talk.engine.subscriptions())[0]!,
          id: "dear1",
          kinds: ["market.price"],
          parameters: { "market.price": { high: "70000" } },
        },
      ],
      "ann",
    );
    for (const dear of ["1", "80000"]) await see(talk, 1, [price(dear, market)]);
    const [line] = await talk.completeLine(`alerts ${command} BTC`);
    expect(line).toBe(`alerts ${command} "market.price mainnet BTC/USD 1"`);
    const said = await talk.ask(`${line}${command === "silence" ? " for:1h" : ""}`);
    expect(said).toMatch(
      command === "silence" ? saying("mark prices", "BTC/USD", "mainnet") : saying("BTC/USD", "70,000"),
    );
  });
});

describe("an acknowledgement", () => {
  test("comes from the alert's own button, is announced once, and twice changes nothing", async () => {
    const talk = await oneNodeDown();
    const alert = (await owedReplies(talk, ops)).at(-1)!;
    const button = alert.actions.find((one) => "invocation" in one && one.invocation.command === "alerts ack");
    if (button === undefined || !("invocation" in button)) throw new Error("no such button");
    const asked = { here: OPS, caller: ann, signal: AbortSignal.timeout(5000), ...button.invocation };
    expect(shown(await talk.bot.run(asked))).toMatch(saying("✓", "a:1", "mainnet"));
    expect(shown(await talk.bot.run(asked))).toMatch(saying("•", "ann"));
    expect((await owed(talk, ops)).filter((gist) => gist.startsWith("acknowledged"))).toEqual([
      "acknowledged by ann: node.down of a:1 on mainnet",
    ]);
    expect((await talk.engine.openEpisodes())[0]?.acknowledged?.by).toBe("ann");
  });

  test("is for managers of a channel that was notified", async () => {
    const talk = await oneNodeDown();
    talk.become({ caller: bob });
    expect(await talk.ask("alerts ack node.down")).toMatch(/^! .*manage this channel/u);
    talk.become({ here: ELSEWHERE, caller: ann });
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("!", "node outages", "a:1", "mainnet"));
    expect((await talk.engine.openEpisodes())[0]?.acknowledged).toBeUndefined();
    talk.become({ here: CONSOLE_PAGE });
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("✓", "a:1", "mainnet", ACKNOWLEDGED));
    expect(await owed(talk, ops)).toContain("acknowledged by ann: node.down of a:1 on mainnet");
  });

  test("in direct messages ends one's own reminders, and no channel's", async () => {
    const talk = await oneNodeDown();
    // In direct messages Discord gives everybody all rights there are.
    talk.become({ here: DIRECT, caller: { ...bob, mayManageChannel: true } });
    await talk.ask("alerts add node.down");
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("✓", "a:1", "mainnet"));
    expect((await talk.engine.openEpisodes())[0]?.acknowledged).toBeUndefined();
    expect((await owed(talk, ops)).join()).not.toContain("acknowledged");
    talk.become({ here: OPS, caller: ann });
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("✓", "a:1", "mainnet"));
  });

  test("is everybody's in their own direct messages, on Slack a full member's for all", async () => {
    const talk = await oneNodeDown();
    const here = { ...DIRECT, platform: "slack", channel: "D0123ABCD", workspace: "T01" } as const;
    talk.become({ here, caller: bob });
    await talk.ask("alerts add node.down");
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("✓", "a:1", "mainnet", ACKNOWLEDGED));
    expect(await talk.ask("alerts silence node.down for:1h")).toMatch(saying("✓", "node outages"));
    expect(await talk.press("alerts unsilence")).toMatch(saying("✓", "node outages"));
    expect((await talk.engine.openEpisodes())[0]?.acknowledged).toBeUndefined();
    talk.become({ here, caller: { ...ann, id: bob.id } });
    expect(await talk.ask("alerts ack node.down")).toMatch(saying("✓", "a:1", "mainnet", ACKNOWLEDGED));
    expect((await talk.engine.openEpisodes())[0]?.acknowledged?.by).toBe("ann");
  });

  test("pressed in a message is announced in other places alone, and nowhere that shows it by an edit alone", async () => {
    const talk = await oneNodeDown();
    const live = { ...OPS, channel: "3333333333333333333" };
    talk.become({ here: ELSEWHERE });
    await talk.ask("alerts add node.down style:plain");
    talk.become({ here: live });
    await talk.ask("alerts add node.down");
    const [episode] = await talk.engine.openEpisodes();
    const pressed = { platform: "discord", channel: OPS.channel!, message: "1" };
    const ack = { command: "alerts ack", options: { episode: episode!.id } };
    const asked = { here: OPS, caller: ann, signal: AbortSignal.timeout(5000), ...ack, pressed };
    expect(shown(await talk.bot.run(asked))).toMatch(saying("✓", "a:1", "mainnet"));
    const announced = await Promise.all(
      [ops, elsewhere, { platform: "discord", channel: live.channel }].map(async (place) =>
        (await owed(talk, place)).filter((gist) => gist.startsWith("acknowledged")),
      ),
    );
    expect(announced).toEqual([[], ["acknowledged by ann: node.down of a:1 on mainnet"], []]);
  });

  test("made at the console is not announced there: the alert shows it", async () => {
    const talk = await oneNodeDown();
    talk.become({ here: CONSOLE_PAGE });
    await talk.ask("alerts add node.down to:console");
    const before = await owed(talk, theConsole);
    await talk.ask("alerts ack node.down");
    expect(before).toContain("warning: node.down of a:1 on mainnet");
    expect((await owed(talk, theConsole)).join()).not.toContain("acknowledged");
    expect(await owed(talk, ops)).toContain("acknowledged by ann: node.down of a:1 on mainnet");
  });

  test("is announced wherever its reminders end", async () => {
    const talk = await oneNodeDown();
    talk.become({ here: ELSEWHERE });
    await talk.ask("alerts add node.down style:thread");
    await talk.ask("alerts ack node.down");
    for (const place of [ops, elsewhere]) {
      expect((await owed(talk, place)).filter((gist) => gist.includes("acknowledged"))).toEqual([
        "acknowledged by ann: node.down of a:1 on mainnet",
      ]);
    }
  });
});

describe("the timeline of an episode", () => {
  test("shows what was pending, queued, tried, sent, silenced and received", async () => {
    const talk = await oneNodeDown();
    const sender = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
    let refused = 0;
    sender.outcome = (_what, tries) => {
      if (tries > 1) return "ok";
      refused += 1;
      return refused === 2 ? "lost-unknown" : "ok";
    };
    await deliver(talk, sender);
    const said = await talk.ask("alerts why node.down");
    // Sent, tried, fired, pending.
    expect(said).toMatch(saying("sent", 2, 1, "no answer", "fired", "pending"));
    expect(await talk.ask('alerts log "alert sent"')).toMatch(/alert sent[\s\S]*attempt 2, after 11 s/u);
    await talk.ask("alerts why node.down");
    await talk.press("alerts silence");
    await see(talk, 6, [stalled("good"), down("good"), down("good", "b:1")]);
    expect(await talk.ask("alerts why node.down")).toMatch(saying("✓", "a:1", "mainnet", "resolved"));
  });

  test("names a block in the log as its message does", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add checkpoint.new events:each");
    const observe = (...blocks: readonly string[]) =>
      talk.engine.processObservation({
        network: "mainnet",
        watcher: { name: "checkpoints", every: 15_000 },
        snapshot: {},
        readings: [],
        events: blocks.map((atBlock) => ({
          kind: "checkpoint.new" as const,
          network: "mainnet",
          subject: "",
          key: `${atBlock}/h`,
          at: String(talk.now()),
          atBlock,
          hash: "h",
        })),
        at: talk.now(),
      });
    await observe();
    await observe("175190914");
    await deliver(talk, new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) }));
    const log = await talk.ask('alerts log "event sent"');
    expect(log).toContain("175,190,914");
    expect(log).not.toContain("175190914");
  });

  test("says what suppressed a trigger", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down");
    await talk.ask("alerts silence all for:1h reason:upgrade");
    await see(talk, 1, [down("good")]);
    await see(talk, 4, [down("bad")]);
    expect(await talk.ask("alerts why node.down")).toMatch(
      /suppressed by silence\s+[\d-]+ [\d:]+\s+silence \w+ by ann: upgrade\s+here/u,
    );
  });

  test("does not say that all is well where nobody saw the end", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts add market.price BTC/USDT high:70000");
    const [one] = await talk.engine.subscriptions();
    const subject = one!.subjects[0] ?? "";
    for (const dear of ["1", "80000"]) await see(talk, 1, [price(dear, subject)]);
    await talk.ask(`alerts remove ${one!.id}`);
    const said = await talk.ask("alerts why market.price");
    expect(said).toMatch(saying("•", "BTC/USD on mainnet was above 70,000"));
    expect(said).toContain("withdrawn");
  });

  test("hides other channels' deliveries", async () => {
    const talk = await oneNodeDown();
    talk.become({ here: ELSEWHERE });
    const said = await talk.ask("alerts why node.down");
    expect(said).not.toContain("1122334455667788990");
    expect(said).toMatch(saying("!", 1));
    talk.become({ here: CONSOLE_PAGE });
    expect(await talk.ask("alerts why node.down")).toContain("discord 1122334455667788990");
  });
});
