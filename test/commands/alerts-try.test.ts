import { expect, test } from "vitest";

import { fullText } from "../../src/reply/full-text.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { toMillis } from "../../src/units/time.ts";
import { DAY, HOUR, keepLooks, MINUTE } from "../support/kept-looks.ts";
import { linesOf, saying } from "../support/said.ts";
import { down, stalled } from "../alerts/readings.ts";
import { see } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

/** A conversation where looks of a month are kept: three lags, two of them at night, and an outage. */
async function talkAfterAMonth(more: Partial<Parameters<typeof keepLooks>[2]> = {}) {
  const talk = await talkToSimulator();
  await keepLooks(talk.store, toMillis(talk.now()), {
    since: 30 * DAY,
    troubles: [
      { ago: 20 * DAY + 9 * HOUR, lasts: 14 * MINUTE, behind: 3 * MINUTE },
      { ago: 10 * DAY + 10 * HOUR, lasts: 4 * MINUTE, behind: 90_000 },
      { ago: 5 * DAY + 2 * HOUR, lasts: 6 * MINUTE, behind: 3 * MINUTE, node: "sim-1" },
      { ago: 3 * DAY, lasts: 5 * MINUTE },
    ],
    ...more,
  });
  return talk;
}

test("a threshold is told how often it would have told, the longest and the nights, and each alert", async () => {
  const talk = await talkAfterAMonth();
  const said = await talk.askFor("alerts try node.lagging behind:50s");
  expect(plainText(said.title)).toMatch(/In 30 days .* 3 times, 14 min at most, 2 at night/u);
  expect(said.blocks).toContainEqual(expect.objectContaining({ kind: "table", name: "alerts-try" }));
  expect(fullText(said)).toMatch(/sim-1 lags behind/u);
  expect(linesOf(talk.lastReply)).toContain("alerts add kinds:node.lagging behind:50s");
  expect(await talk.ask("alerts try node.lagging behind:2m")).toMatch(saying("•", "twice", "1 at night"));
  expect(await talk.ask("alerts try node.lagging sim-1 behind:50s")).toMatch(saying("•", "once"));
  expect(await talk.ask("alerts try node.down rounds:100")).toMatch(saying("•", "30 days", "nothing"));
});

test("an alert that was really told then is named, and opened by alerts why", async () => {
  const talk = await talkToSimulator();
  await see(talk, 1, [stalled("good"), down("good", "sim-2")]);
  await see(talk, 4, [stalled("good"), down("bad", "sim-2")]);
  await see(talk, 4, [stalled("good"), down("good", "sim-2")]);
  talk.advance(3 * MINUTE);
  await keepLooks(talk.store, toMillis(talk.now()), {
    since: 2 * DAY,
    troubles: [{ ago: 4 * MINUTE, lasts: 30_000 }],
  });
  expect(await talk.ask("alerts try node.down rounds:2")).toMatch(saying("once", "node.down mainnet sim-2 1"));
  expect(await talk.ask('alerts why "node.down mainnet sim-2 1"')).toMatch(saying("sim-2", /answers again/u));
});

test("less than a day is no count, and neither is nothing", async () => {
  const talk = await talkToSimulator();
  await keepLooks(talk.store, toMillis(talk.now()), { since: 3 * HOUR });
  expect(await talk.ask("alerts try node.down rounds:2")).toMatch(saying("•", "cannot be said yet", "watched for 3 h"));
  const unseen = await talk.ask("alerts try node.down rounds:2 network:testnet");
  expect(unseen).toMatch(saying("•", "kept"));
  expect(unseen).not.toMatch(/ 0 |nothing\./u);
});

test("a single day is counted where more is kept, also with a gap in it", async () => {
  const talk = await talkAfterAMonth({ unseen: [{ ago: 9 * HOUR, lasts: 4 * HOUR }] });
  expect(await talk.ask("alerts try node.down rounds:2 days:1")).toMatch(saying("•", "In 19 h", "nothing", "Not seen"));
  expect(await talk.ask("alerts try node.down rounds:2 days:2")).toMatch(
    saying("•", "In a day", "nothing", "Not seen"),
  );
});

test("each of several kinds has a line, one of which nothing is kept is named and never counted as calm", async () => {
  const talk = await talkAfterAMonth();
  const events = await talk.ask("alerts try checkpoint.new,core.upgraded");
  expect(events).toMatch(saying("•", "checkpoint.new", "core.upgraded"));
  expect(events).not.toContain("told you nothing");
  expect(await talk.ask("alerts try node.down,core.upgraded rounds:2")).toMatch(
    saying("•", "once", "Not counted", "core.upgraded"),
  );
  const said = fullText(await talk.askFor("alerts try node.down,node.lagging,network.clock rounds:2 behind:50s"));
  expect(said).toMatch(/4 times[\s\S]*Node lags: 3 times[\s\S]*Node outages: once/u);
});

test("gaps are named and are no calm", async () => {
  const unseen = [
    { ago: 25 * DAY, lasts: 6 * HOUR },
    { ago: 15 * DAY, lasts: 6 * HOUR },
  ];
  const talk = await talkAfterAMonth({ unseen });
  expect(await talk.ask("alerts try node.lagging behind:50s")).toMatch(
    saying("•", "29 days", /[67] h.{0,7} from 2025-12-21/u, /[67] h.{0,7} from 2025-12-31/u),
  );
});

test("impossible thresholds get the sentence of alerts add", async () => {
  const talk = await talkToSimulator();
  for (const what of ["node.lagging behind:soon", "node.down high:1", "market.price BTC/USDT", "node.dwon"]) {
    const [tried, added] = [await talk.ask(`alerts try ${what}`), await talk.ask(`alerts add ${what}`)];
    expect(tried.split("\n")[0]).toBe(added.split("\n")[0]);
  }
});

test("a line that is offered tries, too", async () => {
  const talk = await talkToSimulator();
  for (const what of ["BTC/USDT foo", "foo"]) {
    const said = await talk.ask(`alerts try ${what}`);
    expect(said).toContain("alerts try ");
    expect(said).not.toContain("alerts add");
  }
});

test("an alert that a worse one kept back all the while is counted apart", async () => {
  const talk = await talkToSimulator();
  await see(talk, 1, [stalled("good"), down("good", "sim-1")]);
  await see(talk, 40, [stalled("good"), down("bad", "sim-1")]);
  await see(talk, 6, [stalled("good"), down("good", "sim-1")]);
  const lag = { ago: 2 * MINUTE, lasts: MINUTE, behind: 90_000, node: "sim-1" };
  const troubles = [{ ...lag, ago: DAY + HOUR, lasts: 5 * MINUTE }, lag];
  await keepLooks(talk.store, toMillis(talk.now()), { since: 2 * DAY, troubles });
  const said = await talk.ask("alerts try node.lagging behind:50s for:10s");
  expect(said).toMatch(saying("•", "once, 5 min at most", "Kept back  once, behind a worse alert"));
});
