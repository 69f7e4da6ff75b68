import { afterAll, expect, inject, test } from "vitest";

import { commands } from "../../commands/index.ts";
import { fullText } from "../../src/reply/full-text.ts";
import { ASKED, MEANT } from "../support/questions/asked.ts";
import { IN_HASTE } from "../support/questions/in-haste.ts";
import { HELD_OUT } from "../support/questions/held-out.ts";
import { linesOf } from "../support/said.ts";
import { openSimulatorTalk, type SimulatorTalk } from "../support/simulator-talk.ts";
import { auction, down, stalled } from "../alerts/readings.ts";
import { DIRECT, see } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

/** For questions that change nothing: begun once. */
let shared: Promise<SimulatorTalk> | undefined;
const sharedTalk = (): Promise<SimulatorTalk> => (shared ??= openSimulatorTalk({ nodes: 3 }));
afterAll(async () => (await shared)?.[Symbol.asyncDispose]());

type Question = keyof typeof MEANT;

/** A third of the phrasings, and all of them where cases are many. */
const few = (lines: readonly string[]): readonly string[] =>
  inject("manyRuns") ? lines : lines.filter((_, index) => index % 3 === 0);

async function measure(table: Readonly<Record<Question, readonly string[]>>) {
  const talk = await talkToSimulator({ nodes: 3 });
  const wrong: string[] = [];
  const missed: string[] = [];
  let count = 0;
  for (const question of Object.keys(MEANT) as Question[]) {
    for (const line of table === ASKED ? table[question] : few(table[question])) {
      count += 1;
      const reply = await talk.askFor(line);
      const said = fullText(reply);
      if (MEANT[question].test(said)) continue;
      (reply.failure === undefined ? wrong : missed).push(`${question}: ${line} => ${said.slice(0, 300)}`);
    }
  }
  return { wrong, missed, count };
}

test("each phrasing of the seven questions is answered, or offered as one press", async () => {
  expect(await measure(ASKED)).toMatchObject({ wrong: [], missed: [] });
}, 60_000);

test("of phrasings by which no word was chosen, eight of ten are, too, and none wrongly", async () => {
  const { wrong, missed, count } = await measure(HELD_OUT);
  expect(wrong).toEqual([]);
  expect(missed.length).toBeLessThanOrEqual((20 * count) / 173);
}, 60_000);

test("of phrasings in haste, nine of ten are, too, and none wrongly", async () => {
  const { wrong, missed, count } = await measure(IN_HASTE);
  expect(wrong).toEqual([]);
  expect(missed.length).toBeLessThanOrEqual(count / 10);
}, 60_000);

test.each([
  ["what broke last nite", MEANT["what happened last night"]],
  ["anything happen in the last hour", /^Not known: [^\n]*\n+Since 2026-01-15 11:00 UTC/u],
  ["what happened in the past hour", /^Not known: [^\n]*\n+Since 2026-01-15 11:00 UTC/u],
  ["overnight status", MEANT["what happened last night"]],
  ["is anything broken right now", MEANT["is the network healthy"]],
  ["which nodes are there", MEANT["is the network healthy"]],
  ["how much downtime did node 2 have yesterday", /^Not known of sim-2 yesterday/u],
  ["bitcon price", MEANT["spread of BTC"]],
  ["export lastweek", /^Whose ledger\?/u],
  ["why wont my order go in", MEANT["why was my order rejected"]],
  ["sub this channel", MEANT["subscribe this channel"]],
  ["who silenced node 2", /^Nothing is silenced/u],
  ["who silenced node 2 for two hours", /^Nothing is silenced/u],
  ["silence n2 2h", MEANT["silence node 2 for two hours"]],
  ["stop bugging me about node 2 for a couple of hours", MEANT["silence node 2 for two hours"]],
  ["Export past week + verify", MEANT["export last week and check it"]],
  ["is something offline", MEANT["is the network healthy"]],
  // The first word calls a command, which takes a network behind it.
  ["network status", MEANT["is the network healthy"]],
  ["node status", MEANT["is the network healthy"]],
  ["are we good?", MEANT["is the network healthy"]],
  ["did my order get filled", /Which order\?/u],
  ["sign this channel up", /Subscribe the console to/u],
  ["unsilence node 2", /^No silence of “sim-2” holds here/u],
  ["report problems to this channel", MEANT["subscribe this channel"]],
  ["my statement of last week please", MEANT["export last week and check it"]],
  // One letter wrong.
  ["netwrok ok?", MEANT["is the network healthy"]],
  ["btc pirce", MEANT["spread of BTC"]],
  ["silense nod 2 two hours", MEANT["silence node 2 for two hours"]],
  ["exprot last wek", MEANT["export last week and check it"]],
  ["download last weeks trades", MEANT["export last week and check it"]],
  // What says most of it is no part of a verb.
  ["shut up about node 2 until 7am", /^Silence all of sim-2 [^]* until 2026-01-16 07:00:00 UTC\?/u],
  ["silence all alerts of the 2nd node for 2 hours", MEANT["silence node 2 for two hours"]],
  ["hey bot anything go wrong overnight?", /^Overnight is not known/u],
  ["is sim-2 ok", /^sim-2 is healthy, block \d+, 0 blocks behind$/mu],
  ["node 2 seems slow", /^sim-2 is healthy/u],
  ["whats node two at", /^sim-2 is healthy/u],
  ["the network gut?", /^Show network health\?[^]*Not understood: “gut”\./u],
  ["show me the biggest stakers", /^\d+ parties stake /u],
  ["which node is slowest", /^Show network health\?[^]*Not understood: “slowest”\./u],
  ["tell me if testnet is up", /^testnet is healthy/u],
  ["check the file /tmp/x/y.csv", /^Verify an export\?[^]*Not understood: “\/tmp\/x\/y\.csv”\./u],
  ["market show DOGEX", /Did you mean DOGE\/USDT\?/u, "caller"],
  ["verify the file i got yesterday", /^Did you mean ledger verify or/u],
  ["top stakers", /^\d+ parties stake /u],
  ["who is the bigest staker", /^\d+ parties stake (?![^]*Not understood)/u],
  ["when was the last chekpoint", /^Newest checkpoint: (?![^]*Not understood)/u],
  ["last week checkpoints", /^Show checkpoints newest\?[^]*Not understood: “last week”\./u],
  ["btc sprd", MEANT["spread of BTC"]],
  ["how's mainnet doin", /^mainnet is healthy(?![^]*Not understood)/u],
  ["who is on call", /^No subscriptions/u],
  ["damn thing down again?", MEANT["is the network healthy"]],
  // Of what was, what was told.
  ["how long was node 2 down last night", /^Not known of sim-2 last night/u],
  ["how long was node 2 down this week", /^Not known of sim-2: [^\n]*\n+Since 2026-01-12/u],
  ["when did node 2 go down", /^Not known of sim-2: /u],
  ["was node 1 ok yesterday", /^Not known of sim-1 yesterday/u],
  ["did the network stall yesterday", /^Yesterday is not known/u],
  ["what was broken this morning", /^This morning is not known: [^\n]*\n+Since 2026-01-15 00:00/u],
  ["what happened on monday", /^Not known: [^\n]*\n+From 2026-01-12/u],
  ["what happened to btc last night", /^Not known of BTC\/USDT last night/u],
  ["what the hell is btc at", MEANT["spread of BTC"]],
  ["cuanto bitcoin price", MEANT["spread of BTC"]],
  ["exprt USDT lst week and verfy", /^Whose ledger\?/u],
  ["order refused!!!", MEANT["why was my order rejected"]],
  ["was my last bid accepted", MEANT["why was my order rejected"]],
  ["unsub this channel", /^There is no subscription here/u],
  ["when was the last outage", /^Not known: /u],
  ["keep us posted here", MEANT["subscribe this channel"]],
  ["is this channel subscribed", /^No subscriptions/u],
  ["shut node 2 up til 6pm", /^Silence all of sim-2 [^]* until 2026-01-15 18:00:00 UTC\?/u],
  // Parts of days, and names of times; it is Thursday, noon.
  ["dont page us about sim-1 tonight", /^Silence all of sim-1 [^]* until 2026-01-16 07:00:00 UTC\?/u],
  ["shut up node 2 till tomorrow morning", /^Silence all of sim-2 [^]* until 2026-01-16 07:00:00 UTC\?/u],
  ["silence node 2 until tonight", /until 2026-01-15 22:00:00 UTC\?/u],
  ["silence node 2 till the evening", /until 2026-01-15 18:00:00 UTC\?/u],
  ["silence node 2 for the weekend", /until 2026-01-19 00:00:00 UTC\?/u],
  ["silence node 2 next week", /from 2026-01-19 00:00:00 UTC to 2026-01-26 00:00:00 UTC\?/u],
  ["silence node 2 tomorrow night", /from 2026-01-16 22:00:00 UTC to 2026-01-17 07:00:00 UTC\?/u],
  ["silence node 2 until tomorrow night", /until 2026-01-16 22:00:00 UTC\?/u],
  ["mute sim-3 till lunch", /until 2026-01-16 12:00:00 UTC\?/u],
  ["silence node 2 until the weekend", /until 2026-01-17 00:00:00 UTC\?/u],
  ["silence node 2 until friday at 6pm", /until 2026-01-16 18:00:00 UTC\?/u],
  ["silence sim-1 from tonight until tomorrow morning", /from 2026-01-15 22:00:00 UTC to 2026-01-16 07:00:00 UTC\?/u],
  ["silence sim-1 from 22:00 to 23:00", /from 2026-01-15 22:00:00 UTC to 2026-01-15 23:00:00 UTC\?/u],
  ["silence node 2 for 2h this evening", /from 2026-01-15 18:00:00 UTC to 2026-01-15 20:00:00 UTC\?/u],
  ["silence node 2 for 2h tonight", /from 2026-01-15 22:00:00 UTC to 2026-01-16 00:00:00 UTC\?/u],
  ["silence node 2 until this morning", /^That silence would end before it begins/u, "caller"],
  ["what happened on tuesday night", /From 2026-01-13 22:00 to 2026-01-14 07:00 UTC/u],
  ["anything go wrong overnight", /^Overnight is not known: [^]* to 2026-01-15 07:00 UTC/u],
  ["what broke fri evening", /From 2026-01-09 18:00 to 2026-01-10 00:00 UTC/u],
  ["recap of the weekend", /From 2026-01-10 00:00 to 2026-01-12 00:00 UTC/u],
  ["what happened in october", /From 2025-10-01 00:00 to 2025-11-01 00:00 UTC/u],
  ["what happened from 1 jan to 7 jan", /From 2026-01-01 00:00 to 2026-01-08 00:00 UTC/u],
  ["what happened between 1am and 5am", /From 2026-01-15 01:00 to 2026-01-15 05:00 UTC/u],
  // Pictures of what is named; all markets by a superlative.
  ["show me the chart of btc", /^Nothing is kept that could be drawn of BTC\/USDT in that time/u],
  ["show the chart of mainnet", /^Nothing is kept that could be drawn of mainnet in that time/u],
  ["draw the price of eth/usdt, last 7d", /^Nothing is kept[^]*chart what:ETH\/USDT last:7d/u],
  ["picture of blocks", /^Nothing is kept that could be drawn of blocks of mainnet/u],
  ["which market has the tightest spread", /^\S+ has the tightest spread, 0\.\d+ %(?![^]*Not understood)/u],
  ["wer is the best spread", /^\S+ has the tightest spread/u],
  ["what block are we at", MEANT["is the network healthy"]],
  // What begins as a wish is one, whatever it is about; what was asks for no change.
  ["how do i get told when a node dies", /^Subscribe the console to the ops alerts/u],
  ["i want notification when a node goes offline", /^Subscribe the console to the ops alerts/u],
  [
    "subscribe this channel to market prices of eth/usdt above 5k",
    /^Subscribe the console to mark prices of ETH\/USDT, above 5,000 /u,
  ],
  ["tell us when btc spread above 1%", /^Subscribe the console to values of markets of BTC\/USDT, spread above 1 % /u],
  ["let me know if my order gets filled", /alerts add kinds:order\.final/u],
  ["when was the channel told of the halt", /^Not known: nobody is subscribed/u],
  ["which alerts did this channel get yesterday", /^Yesterday is not known/u],
  ["what did the bot say yesterday", /^Yesterday is not known/u],
  ["am i muted", /^Nothing is silenced/u],
  ["did you silence node 2", /^Nothing is silenced/u],
  ["dont wake me up tonight", /^Silence everything [^]* until 2026-01-16 07:00:00 UTC\?/u],
  ["leave me alone for an hour", /^Silence everything [^]* for 1 h\?/u],
  ["ur exchange ate my order", /^Show order\?[^]*Not understood: “ate”/u],
  ["no more pages about sim-3 today", /^Silence all of sim-3 [^]* until 2026-01-16 00:00:00 UTC\?/u],
  ["make this channel hear of halts", /^Subscribe the console to stalls on mainnet\?/u],
  ["validators still signing?", MEANT["is the network healthy"]],
  ["use new york time for me", /^Save time zone America\/New_York\?/u],
  // Quarters; what is gained or held is in the ledger.
  ["export q3", /^Whose ledger\?[^]*From\W+q3 \(2025-07-01 to 2025-09-30\)/u],
  ["csv for q4 2025, verified please", /^Whose ledger\?[^]*From\W+q4 2025/u],
  ["my balance usdt", /^Whose ledger\?[^]*Asset\W+USDT/u],
  ["what happened yesterday between 1am and 5am", /From 2026-01-14 01:00 to 2026-01-14 05:00 UTC/u],
  ["export 1 jan to 7 jan", /From\W+1 jan \(2026-01-01\)\s+To\W+7 jan \(2026-01-07\)/u],
  ["csv of my fees in october", /From\W+october/u],
  ["give me my ledger for 2025 and make sure its right", /^Whose ledger\?[^]*From\W+2025[^]*it is unchanged/u],
  // Kinds by everyday nouns, of what stands beside them.
  ["send stalls to this channel", /^Subscribe the console to stalls on mainnet\?/u],
  ["tell this channel about outages", /^Subscribe the console to stalls, node outages on mainnet\?/u],
  ["subscribe this room to node problems", /^Subscribe the console to the nodes alerts/u],
  ["tell us when node 2 lags", /^Subscribe the console to node lags of sim-2 on mainnet\?/u],
  ["tell us when BTC halts", /^Subscribe the console to the markets alerts of BTC/u],
  ["wake me up if node 3 goes down", /^Subscribe the console to the nodes alerts of sim-3/u],
  ["shut up about auctions on AAVE for a day", /^Silence auctions of AAVE\/USDC on mainnet in all channels for 1 d\?/u],
  ["silence node 2 for 2h, there is an outage", /alerts silence what:sim-2 for:2h/u],
  ["silence everything for 2h because of the outage", /^Silence everything /u],
  ["silence stalls and lags for 2h", /^Silence what\?/u],
  // What was, misspelt or between two hours.
  ["was there a stall on friday", /From 2026-01-09 00:00 to 2026-01-10/u],
  // What ends later today ends now; what began this instant, the day before.
  ["did mainnet stop between 11:30 and 12:30", /Since 2026-01-15 11:30 UTC/u],
  ["what happened since lunch", /Since 2026-01-14 12:00 UTC/u],
  ["what hapened since yesterday 6pm", /Since 2026-01-14 18:00 UTC/u],
  ["what happened on monday between 2 and 4am", /From 2026-01-12 02:00 to 2026-01-12 04:00 UTC/u],
  ["who acknowledged the stall", /^Not known/u],
  ["how much is btc today", MEANT["spread of BTC"]],
  ["AVAX/USDT spread", /^Which market\?[^]*Not understood: “AVAX\/USDT”/u],
  ["ok thanks!", /^You are welcome$/u],
  // Signs, other markets, more than one thing.
  ["ping me if DOGE > 0.5", /^Subscribe the console to mark prices of DOGE\/USDT, above 0\.5 /u],
  ["why didnt my eth order go thru", /^Which order\?\s+The newest rejected orders in eth /u],
  ["what went wrong with my last order", /^Which order\?\s+The newest rejected orders of /u],
  ["tell this channel about BTC only", /^(?![^]*Not understood)Subscribe the console to the markets alerts of BTC/u],
  [
    "subscribe #ops to mainnet",
    /^Alerts cannot go to “#ops”[^]*to:slack:<channel id>[^]*Or ask in that channel: “subscribe this channel”/u,
    "caller",
  ],
  // What is gained is in the ledger, of whom and of what it is said.
  ["how much USDT did i make last week", /^Whose ledger\?\s+Asset: USDT\s+From: last week/u],
  ["how much party d59213fa earn last week in xyz", /^The ledger of which asset\?[^]*Not understood: [^.]*“xyz”/u],
  ["how much fees did i pay last month", /^Whose ledger\?\s+From: last month/u],
  // Who took an alert asks for no change.
  ["has anyone acked the stall", /^Not known(?![^]*alerts ack)/u],
  ["who is handling the outage", /^Not known(?![^]*alerts ack)/u],
  ["acknowledge the stall", /^(?!Did you mean)[^]*/u],
  ["check the file", /^Verify an export\?/u],
  ["is my csv still the original", /^Verify an export\?/u],
  ["check file exports/x.csv", /^“exports\/x\.csv” is a name, and no file came with it/u, "caller"],
  ["what was going on last saturday", /^Not known: [^\n]*\n+From 2026-01-10 00:00/u],
  ["how long was it stopped", /^Not known: /u],
  ["did mainnet ever stop this week", /^Not known on mainnet: [^\n]*\n+Since 2026-01-12/u],
  ["save party abc", /^Which party is yours\?[^]*Not understood: “abc”/u],
  ["is sim 3 behind", /^sim-3 is healthy/u],
  ["how long has it been down", /^mainnet is healthy(?![^]*Not understood)/u],
  ["wen did it stop", /^Not known/u],
  ["set alert BTC 100k", /^Subscribe the console to mark prices of BTC\/USDT, above 100,000 /u],
  ["stalls only pls", /^Subscribe the console to stalls on mainnet\?/u],
  ["silence the stall til 8", /^Silence stalls [^]* until 2026-01-16 08:00:00 UTC\?/u],
  ["dont ping us between 22 and 7", /from 2026-01-15 22:00:00 UTC to 2026-01-16 07:00:00 UTC\?/u],
  ["price of dodge coin", /^DOGE\/USDT trades at/u],
  ["which markets are halted rn", /^14 of 27 markets trade(?![^]*Not understood)/u],
  ["which market has the worst spread", /^\S+ has the widest spread, 0\.\d+ %/u],
  ["wich markets are closed", /^10 of 27 markets are over/u],
  ["market with biggest volume", /^List markets\?[^]*Not understood: “biggest”, “volume”/u],
  ["what happened over nite", /^Overnight is not known/u],
  ["warum ist mein order abgelehnt", /^No command answers “warum[^]*Ask in English\. Did you mean order\?/u, "caller"],
  ["silence nodes 2 and 3 for 2h", /^Silence what\?[^]*sim-2[^]*sim-3/u],
  ["are nodes 1 and 2 fine", /^Which node\?[^]*sim-1[^]*sim-2/u],
  ["what happened tonight", /^Not known: [^\n]*\n+From 2026-01-14 22:00 to 2026-01-15 07:00/u],
  ["tell us here when the chain is stuck", /^Subscribe the console to stalls on mainnet\?/u],
  ["let this channel know if blocks stop", /^Subscribe the console to stalls on mainnet\?/u],
  ["ping us here when chain stucks", /^Subscribe the console to stalls on mainnet\?/u],
  ["ping us here when mainnet gets stuck", /^Subscribe the console to stalls on mainnet\?/u],
  // A network alone, or beside one word that nobody knows.
  ["yo is mainnet borked rn??", /^Show network health on mainnet\?[^]*Not understood: “borked”\./u],
  ["testnet?", /^testnet is healthy(?![^]*Not understood)/u],
  // Words of times, one letter off; beside one that nobody knows.
  [
    "mute node 3 til tomorow mornign",
    /^Silence all of sim-3 [^]* until 2026-01-16 07:00:00 UTC\?(?![^]*Not understood)/u,
  ],
  ["what happened on wendesday", /From 2026-01-14 00:00 to 2026-01-15 00:00 UTC/u],
  ["mute node 3 til tomorrow blorp", /until 2026-01-16 00:00:00 UTC\?[^]*Not understood: “blorp”/u],
  // A typed line says its mistake, and the node that a sentence would mean.
  ["alerts silence node 2 for two hours", /^“node 2” is no episode[^]*Did you mean sim-2\?[^]*what:sim-2/u, "caller"],
  ["silence node 2 tomorrow 22:00 for 2 hours", /from 2026-01-16 22:00:00 UTC to 2026-01-17 00:00:00 UTC\?/u],
])("%s, in the short words of a phone, is understood", async (line, meant, failure?: string) => {
  const reply = await (await sharedTalk()).askFor(line);
  expect([reply.failure, fullText(reply)]).toEqual([failure, expect.stringMatching(meant)]);
});

test.each(["was this csv tampered with", "is my export genuine"])("%s asks for the file", async (line) => {
  const [action] = (await (await sharedTalk()).askFor(line)).actions;
  expect(action).toMatchObject({ form: true, invocation: { command: "ledger verify", options: {} } });
});

test.each([
  "who won the cup",
  "good morning everyone",
  "why is the sky blue",
  "how much is the fish",
  "stop it",
  "i love you",
])("%s asks for nothing here", async (line) => {
  const talk = await talkToSimulator({ nodes: 3 });
  expect(await talk.askFor(line)).toMatchObject({ failure: "caller" });
});

test.each(commands.map((one) => [one.name, one] as const))("%s says how people ask for it", (_, { asked, options }) => {
  expect(asked?.length).toBeGreaterThan(0);
  for (const [, name] of asked?.join(" ").matchAll(/\{([^}]*)\}/gu) ?? []) {
    expect(["network", ...Object.keys(options)]).toContain(name);
  }
});

test("the alert is the open one, and asked for where several are", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  const asked = async (line: string): Promise<unknown[]> => [
    fullText(await talk.askFor(line)).split("\n")[0],
    ...linesOf(await talk.askFor(line)),
  ];
  const [stall, node] = [
    'alerts ack episode:"network.stalled mainnet 1"',
    'alerts ack episode:"node.down mainnet sim-2 1"',
  ];
  expect(await asked("acknowledge the alert")).toEqual(["There is no open alert here"]);
  await talk.ask("alerts add node.down,network.stalled style:plain");
  await see(talk, 1, [stalled("good"), down("good", "sim-2")]);
  await see(talk, 60, [stalled("bad"), down("good", "sim-2")]);
  for (const line of ["acknowledge the alert", "ack it", "acknowledge the stall"])
    expect(await asked(line)).toEqual(["Acknowledge: mainnet makes no block?", stall]);
  await see(talk, 4, [stalled("bad"), down("bad", "sim-2")]);
  expect(await asked("acknowledge the alert")).toEqual(["Which alert?", stall, node]);
  expect(await asked("acknowledge node 2")).toEqual(["Acknowledge: sim-2 on mainnet does not answer?", node]);
  await talk.ask("alerts ack node.down");
  expect(await asked("acknowledge node 2")).toEqual([
    expect.stringMatching(/^Nothing changed: .* has acknowledged that already/u),
    expect.anything(),
  ]);
  expect(linesOf(await talk.askFor("silence"))[0]).toBe('alerts silence what:"network.stalled mainnet 1"');
  expect(linesOf(await talk.askFor("silence")).at(-1)).toBe("alerts silence what:all");
});

test.each(["silence everything until 7am", "forget everything about me"])(
  "%s changes something, and is only offered",
  async (line) => {
    const talk = await talkToSimulator();
    const reply = await talk.askFor(line);
    expect(reply.failure).toBeUndefined();
    const [first] = reply.actions;
    expect(first !== undefined && "invocation" in first ? first.invocation.command : "").toMatch(
      /^(?:alerts silence|my forget)$/u,
    );
    expect(linesOf(await talk.askFor("alerts silences"))).toEqual(expect.not.arrayContaining([/unsilence/u]));
  },
);

test("what a question says is filled in: networks, markets, ranges, ends, orders", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  expect(fullText(await talk.askFor("is testnet healthy?"))).toContain("testnet is healthy");
  expect(linesOf(await talk.askFor("silence everything until 7am"))).toEqual([
    "alerts silence what:everything until:7am",
  ]);
  expect(fullText(await talk.askFor("export since yesterday"))).toContain("ledger export from:yesterday to:now");
  expect(linesOf(await talk.askFor("please silence sim-3 overnight on testnet"))).toEqual([
    "alerts silence what:sim-3 until:07:00 network:testnet",
  ]);
  for (const line of ["why order ab12", "why was order ab12 rejected"]) {
    // There is no such order.
    expect(await talk.askFor(line)).toMatchObject({ failure: "caller" });
    expect(fullText(talk.lastReply)).toMatch(/order “ab12”/u);
  }
  const { orderId } = talk.samples;
  expect(fullText(await talk.askFor(`what is the state of order ${orderId}`))).toMatch(/Active/u);
});

test("of a value that alone is lacking, those that may be meant are to choose from, but not where others see them", async () => {
  const talk = await talkToSimulator();
  const lines = linesOf(await talk.askFor("why was my order rejected"));
  const forms = lines.map((line) => line.replaceAll(/[0-9a-f]{64}/gu, "…"));
  expect([...new Set(forms)]).toEqual([
    "order id:… network:mainnet",
    "order state:rejected party:… network:mainnet",
    "my party",
  ]);
  expect(await talk.ask(lines[0]!)).toMatch(/^✗ Rejected: /u);
  expect(linesOf(await talk.askFor('ask "why was my order rejected" private:no'))).toEqual([
    "order state:rejected network:mainnet",
  ]);
});

test("why an order failed is asked of those that failed, however that is said", async () => {
  const talk = await talkToSimulator();
  for (const [state, ...lines] of [
    ["rejected", "why did my order fail", "why was my last order turned down", "why won't my order go through"],
    ["rejected", "my bid was knocked back", "order no accepted why", "my order got binned"],
    ["rejected", "my order was knocked back", "why did my order get blocked", "my order got thrown out"],
    ["cancelled", "why was my order canceled"],
    ["stopped", "why has my order been stopped"],
  ]) {
    for (const line of lines) {
      const offered = linesOf(await talk.askFor(`ask "${line}" private:no`));
      expect([line, ...offered]).toEqual([line, `order state:${state} network:mainnet`]);
    }
  }
});

test("of the last order that was rejected, the answer comes at once", async () => {
  const talk = await talkToSimulator();
  const first = linesOf(await talk.askFor("order state:rejected"))[1] ?? "";
  await talk.ask(`my party ${partyOf(fullText(await talk.askFor(first)))}`);
  for (const line of ["why was my last order rejected", "why did my latest order fail"]) {
    expect(fullText(await talk.askFor(line))).toMatch(/^Rejected: /u);
  }
  expect(fullText(await talk.askFor("why were my last orders rejected"))).toMatch(/^Which order\?/u);
  expect(fullText(await talk.askFor("my last order"))).toMatch(/^(?!Which)[^]*Party: /u);
  // Others see no order of the caller's party.
  expect(linesOf(await talk.askFor('ask "why was my last order rejected" private:no'))).toHaveLength(1);
});

function partyOf(said: string): string {
  return /Party: ([0-9a-f]{64})/u.exec(said)?.[1] ?? "";
}

test("of two markets, each is one press", async () => {
  const talk = await sharedTalk();
  for (const [line, other] of [
    ["spread of bitcoin and link", "LINK/USDC"],
    ["spread of bitcoin and ether", "eth"],
  ]) {
    const lines = linesOf(await talk.askFor(line!));
    expect([line, ...lines]).toEqual([line, "market show market:BTC/USDT", `market show market:${other}`]);
  }
});

test("what only reads runs where every word is explained, else it is offered with what was understood", async () => {
  const talk = await sharedTalk();
  for (const [line, offered, unread] of [
    // A word that is no name, too; a time that the command has no option for; a comparison.
    ["how much stake does alice have", "stake", "alice"],
    ["show checkpoints of yesterday", "checkpoints", "yesterday"],
    ["why is node 3 slow since friday", "time node:sim-3", "friday"],
    ["which orders were not rejected", "order", "not"],
    // What is excepted is no value.
    ["is everything fine except node 2?", "time", "except node 2"],
    ["is everything up but node 2", "time", "but node 2"],
    ["spread of btc without eth", "market show market:BTC/USDT", "without eth"],
    ["what happened except on testnet", "alerts told", "except on testnet"],
    ["network status excluding testnet", "time", "excluding testnet"],
    ["open orders for btc", "order market:BTC/USDT", "open"],
    ["why did the exchange reject my order for usdt", "order state:rejected", "usdt"],
  ]) {
    const said = fullText(await talk.askFor(line!));
    expect([line, ...linesOf(talk.lastReply)]).toEqual([line, offered]);
    expect(said).toContain(`Not understood: “${unread}”`);
  }
  // A negation that complains turns nothing, nor does one at the end.
  expect(fullText(await talk.askFor("why is the network not healthy"))).toMatch(/^mainnet is healthy/u);
  expect(fullText(await talk.askFor("network healthy or not"))).toMatch(/^mainnet is healthy/u);
  expect(fullText(await talk.askFor("alert me when usdt depegs"))).toMatch(
    /^Subscribe to which alerts\?[^]*Not understood: “usdt”, “depegs”\./u,
  );
  for (const [line, said, quoted] of [
    ["spread of BTC but not on testnet", /^Show market BTC\/USDT\?/u, "but not on testnet"],
    ["spread of link not on mainnet", /^Show market LINK\/USDC\?/u, "not on mainnet"],
    [
      "when did sim-3 last fall behind, not counting testnet",
      /^Show network health of sim-3\?/u,
      "not counting testnet",
    ],
    ["is anything broken other than testnet", /^Show network health\?/u, "other than testnet"],
    ["subscribe me to btc but no auctions", /^Subscribe to which alerts\?/u, "but no auctions"],
    ["dont show the markets of testnet", /^No command answers/u, "dont show"],
  ] as const) {
    const reply = fullText(await talk.askFor(line));
    expect([line, reply]).toEqual([line, expect.stringMatching(said)]);
    expect(reply).toContain(quoted);
    expect(linesOf(talk.lastReply).filter((one) => one.includes("network:"))).toEqual([]);
  }
  expect(fullText(await talk.askFor("silence all nodes except 2 for an hour"))).toMatch(/^Silence what\?/u);
  expect(linesOf(talk.lastReply).every((one) => one.includes(" for:1h what:"))).toBe(true);
});

test("an id in a question is one value, and what is beside it the other", async () => {
  const talk = await talkToSimulator();
  talk.become({ here: DIRECT });
  const [line] = linesOf(await talk.askFor("export last week for 028a7dcf USDT and check it"));
  expect(line).toBe('ledger export party:028a7dcf asset:USDT check:yes from:"last week"');
});

test("of markets, those that have ended are no candidates beside live ones", async () => {
  const talk = await talkToSimulator();
  expect(fullText(await talk.askFor("spread on ETH"))).toMatch(/It fits ETH\/BTC, ETH\/USDT\. /u);
  // Nor do they take the name from one: a line says it, and is read back.
  expect(linesOf(talk.lastReply)).toEqual(["market show market:ETH/BTC", "market show market:ETH/USDT"]);
  expect(fullText(await talk.askFor("market show market:ETH/BTC"))).toMatch(/^ETH\/BTC/u);
  const watched = linesOf(await talk.askFor("tell me when ETH drops below 3000"));
  expect(watched[0]).toMatch(/^alerts add .*subjects:ETH\/BTC low:3000/u);
  expect(fullText(await talk.askFor(watched[0] as string))).toMatch(/ETH\/BTC/u);
});

test("an export in words is three presses: the party, the asset, the file", async () => {
  const talk = await talkToSimulator();
  const whose = linesOf(await talk.askFor("export last week and check it"));
  const [, party] = whose;
  expect(party).toMatch(/^ledger export check:yes from:"last week" party:[0-9a-f]{64}$/u);
  expect(whose).toContain("my party");
  const [asset] = linesOf(await talk.askFor(party as string));
  expect(asset).toMatch(/^ledger export check:yes from:"last week" party:[0-9a-f]{64} asset:/u);
  const done = await talk.askFor((asset as string).replace(/asset:.*$/u, "asset:USDT"));
  const [file] = done.attachments;
  // What is checked needs no button for it.
  expect(linesOf(done)).toEqual([]);
  expect(fullText(done)).toMatch(/Checked before it is handed over: read back, the file is unchanged\./u);
  expect(await talk.ask(`ledger verify sha256:${file?.sha256.slice(0, 12)}`)).toMatch(
    /^• This is the SHA-256 of the file of export/u,
  );
  await talk.ask(`my party ${/party:(\w+)/u.exec(party as string)?.[1]}`);
  expect(linesOf(await talk.askFor("export last week"))[0]).toMatch(/^ledger export from:"last week" asset:/u);
});

test("an export is offered as a sentence, and goes on to say what it is of", async () => {
  const talk = await talkToSimulator();
  // It is long to make, so that whoever typed all of it where nobody else reads is asked, too.
  for (const here of [undefined, DIRECT]) {
    if (here !== undefined) talk.become({ here });
    const offered = await talk.askFor("export last week for 028a7dcf USDT and check it");
    expect(offered.attachments).toEqual([]);
    expect(fullText(offered)).toMatch(/^Export a ledger of 028a7dcf in USDT from last week and check it\?/u);
  }
  const next = linesOf(await talk.askFor("export last week and check it")).find((line) => line.includes(" party:"));
  expect(fullText(await talk.askFor(next ?? ""))).toMatch(
    /^The ledger of which asset\?\s+To export a ledger of [0-9a-f]{8}…[0-9a-f]{4} from last week and check it, give its symbol \(USDT\) or id\./u,
  );
});

test.each([
  ["order failed", /^Which order\?/u],
  ["order status", /^Which order\?/u],
  ["order rejected", /^Rejected: /u],
  ["order abcdef", /^No order “abcdef”/u],
  ["market show nowhere", /^No market “nowhere”/u],
])("%s: a value that is none may be a word of the question", async (line, said) => {
  const talk = await talkToSimulator();
  await talk.ask(`order ${talk.samples.rejectedOrderId}`);
  expect(fullText(await talk.askFor(line)).replace("SIMULATED · ", "")).toMatch(said);
});

test("what is no question about the network is said so, with help; a slip keeps its suggestion", async () => {
  const talk = await talkToSimulator();
  const none = await talk.askFor("what is the weather like?");
  expect([none.failure, linesOf(none)]).toEqual(["caller", ["time", "market list", "alerts status", "help"]]);
  const near = await talk.askFor("explain the checkpoint hash like i am five");
  expect(linesOf(near)).toEqual(["checkpoints", "time", "market list", "alerts status", "help"]);
  const slip = await talk.askFor("markte lsit");
  expect(slip.failure).toBe("caller");
  expect(fullText(slip)).toContain("market list");
});

test.each([
  ["silence the XYZ market for 2h", "XYZ", /^Silence what\?/u],
  ["silence the wobble for two hours", "wobble", /^Silence what\?/u],
  ["spread of XYZ", "XYZ", /^Which market\?/u],
  ["subscribe this channel to Zork", "Zork", /^Subscribe /u],
  ["what happened on 99 may", "99", /Not/u],
])("%s: what is not understood is said, and nothing is widened or run by it", async (line, word, title) => {
  const talk = await talkToSimulator({ nodes: 3 });
  const said = fullText(await talk.askFor(line));
  expect(said).toMatch(title);
  expect(said).toContain("Not understood: ");
  expect(said).toMatch(new RegExp(`“[^”]*${word}”`, "u"));
  const silencing = linesOf(talk.lastReply).filter((one) => one.startsWith("alerts silence"));
  expect(silencing.filter((one) => !one.includes(" what:"))).toEqual([]);
});

test.each([
  ["silence node 9 for two hours", /^There is no node 9 on mainnet\s+Its nodes: sim-1, sim-2, sim-3\./u, "sim-1"],
  ["is node 9 healthy", /^There is no node 9 on mainnet/u, "sim-1"],
  ["devnet ok?", /^There is no devnet here\s+Networks here: mainnet, testnet\./u, "mainnet"],
])("%s: what is not here is said, with what is", async (line, said, other) => {
  const talk = await sharedTalk();
  expect(fullText(await talk.askFor(line))).toMatch(said);
  expect(linesOf(talk.lastReply)[0]).toBe(`ask ${line.replace(/node 9|devnet/u, other)}`);
});

test("what is subscribed already is said, and what is not is offered", async () => {
  const talk = await talkToSimulator();
  await talk.askFor("alerts add");
  const said = fullText(await talk.askFor("subscribe this channel to Zork"));
  expect(said).toMatch(/^Subscribe to which alerts\?.*Subscribed already: .*the ops alerts on mainnet/su);
  expect(linesOf(talk.lastReply)).toContain("alerts add kinds:market.price");
  expect(linesOf(talk.lastReply)).not.toContain("alerts add kinds:node.down");
  expect(fullText(await talk.askFor("subscribe this channel to node.down"))).toMatch(/^Subscribed already: /u);
});

test("of a node, its own state is the answer", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  expect(fullText(await talk.askFor("is node 2 healthy"))).toMatch(/^sim-2 is healthy, block \d+/u);
  expect(linesOf(talk.lastReply)[0]).toBe("time node:sim-2 network:mainnet");
  talk.simulator.faults.set({ kind: "die", network: "mainnet", node: 3 });
  expect(fullText(await talk.askFor("is node 3 ok"))).toMatch(/^sim-3 is down: /u);
  expect(talk.lastReply.tone).toBe("bad");
  expect(fullText(await talk.askFor("is node 2 ok"))).toMatch(
    /^sim-2 is healthy[^\n]*; mainnet is healthy[^\n]*1 of 3/u,
  );
});

test.each(["is anything broken", "is the network ok", "everything green?"])(
  "%s: an open alert of a market is named in the first line",
  async (line) => {
    const talk = await talkToSimulator();
    await talk.ask("alerts add market.auction");
    for (const state of ["good", "bad"] as const) await see(talk, 2, [auction(state)]);
    const [first = ""] = fullText(await talk.askFor(line)).split("\n");
    expect(first).toMatch(/^mainnet .*; .* is in an auction$/u);
    expect(linesOf(talk.lastReply)).toContain("alerts status network:mainnet");
  },
);

const HALT = /^mainnet makes blocks again, after /u;

test("why blocks stopped is told by the newest alert of it, and after a day by none", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  await talk.ask("alerts add");
  const why = "why did block production stop";
  expect(fullText(await talk.askFor(why))).toMatch(/^mainnet is healthy/u);
  for (const state of ["good", "bad", "good"] as const) await see(talk, 20, [stalled(state)]);
  for (const line of [why, "why is mainnet stalled", "what caused the halt"])
    expect([line, fullText(await talk.askFor(line))]).toEqual([line, expect.stringMatching(HALT)]);
  expect(fullText(await talk.askFor("who acknowledged the stall"))).toMatch(
    /^mainnet made no block [^]*Nobody has taken it\./u,
  );
  expect(talk.lastReply.failure).toBeUndefined();
  talk.advance(2 * 86_400_000);
  expect(fullText(await talk.askFor(why))).not.toMatch(HALT);
});

test("two questions in one are both offered", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  for (const [line, ...offered] of [
    ["silence node 2 for 1h and spread of btc", "alerts silence what:sim-2 for:1h", "market show market:BTC/USDT"],
    [
      "subscribe this channel and silence node 2 for 2h",
      "alerts silence what:sim-2 for:2h",
      "alerts add subjects:sim-2",
    ],
    ["what happened last night and why was my order rejected", 'alerts told when:"last night"', "order state:rejected"],
    ["is testnet ok and whats the spread of eth", "time network:testnet", "market show market:eth network:testnet"],
  ] as const) {
    expect([line, ...linesOf(await talk.askFor(line))]).toEqual([line, ...offered]);
  }
});

test("what may be one of several things is asked back, and is no mistake", async () => {
  const talk = await talkToSimulator();
  for (const line of [
    "what does one ether cost",
    "subscribe this channel to market alerts for ETH",
    "export last week",
  ]) {
    expect(await talk.askFor(line)).toMatchObject({ asks: true, actions: expect.arrayContaining([expect.anything()]) });
    expect([line, talk.lastReply.failure]).toEqual([line, undefined]);
  }
  // A line that names a command and lacks its value is one.
  expect(await talk.askFor("market show")).toMatchObject({ failure: "caller" });
});

test("a silence without its end offers spans, and one of nothing named asks what, too", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  const spans = await talk.askFor("silence node 2");
  expect(fullText(spans)).toMatch(/^Silence for how long\?/u);
  expect(linesOf(spans)).toEqual(expect.arrayContaining(["alerts silence what:sim-2 for:1h"]));
  expect(linesOf(spans).every((line) => line.startsWith("alerts silence what:sim-2 for:"))).toBe(true);
  expect(fullText(await talk.askFor("silence alerts please"))).toMatch(/^Silence what\?/u);
});

test("of what there is, one press ends each; of what there is not, that is said", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  for (const line of [
    "end the silence",
    "unsubscribe this channel",
    "stop telling us",
    "do not subscribe this channel",
  ]) {
    expect(fullText(await talk.askFor(line))).toMatch(/^There is no (?:silence|subscription) here/u);
  }
  await talk.askFor("alerts silence what:sim-2 for:2h");
  await talk.askFor("alerts add");
  expect(fullText(await talk.askFor("end the silence"))).toMatch(/^End a silence: which one\?/u);
  expect(linesOf(talk.lastReply)).toEqual([expect.stringMatching(/^alerts unsilence id:\w{5}$/u)]);
  expect(fullText(await talk.askFor("unsubscribe this channel"))).toMatch(/The ops alerts on mainnet/u);
  expect(linesOf(talk.lastReply)).toEqual([expect.stringMatching(/^alerts remove id:\w{5}$/u)]);
});

test("the one subscription to a market is what is removed; of several, those to it come first", async () => {
  const talk = await talkToSimulator();
  await talk.askFor("alerts add");
  const [high] = linesOf(await talk.askFor("alerts add subjects:BTC/USDT high:190k"));
  const removed = high?.replace("edit", "remove");
  for (const line of ["remove all my btc alerts", "unsubscribe me from btc", "turn off btc price alerts"])
    expect([line, ...linesOf(await talk.askFor(line))]).toEqual([line, removed]);
  await talk.askFor("alerts add subjects:BTC/USDT low:10k");
  const [first, second, other] = linesOf(await talk.askFor("remove all my btc alerts"));
  expect([first, second]).toContain(removed);
  expect(other).toMatch(/^alerts remove id:/u);
  expect(fullText(await talk.askFor("unack rice"))).toMatch(/^An acknowledgement cannot be taken back/u);
});

test("what somebody says not to do is not offered, but its opposite", async () => {
  const talk = await talkToSimulator({ nodes: 3 });
  const silencing = "please do not silence node 2 for two hours";
  expect(fullText(await talk.askFor(silencing))).toMatch(/^No silence of “sim-2” holds here/u);
  await talk.askFor("alerts silence what:sim-2 for:2h");
  for (const [line, ...offered] of [
    ["don't silence node 2", "alerts unsilence id:sim-2"],
    ["dont silense node 2", "alerts unsilence id:sim-2"],
    // None runs.
    ["don't export"],
    ["never export the ledger of last week"],
    ["don't alert us here"],
  ]) {
    const lines = linesOf(await talk.askFor(line!));
    expect([line, ...lines.filter((one) => /^(?:alerts [^s]|alerts (?:un)?silence |ledger)/u.test(one))]).toEqual([
      line,
      ...offered,
    ]);
  }
  expect(fullText(await talk.askFor("don't export"))).toMatch(/^There is no running export here/u);
  expect(fullText(await talk.askFor("don't unsubscribe"))).toMatch(/^No subscriptions/u);
  expect(linesOf(await talk.askFor("export last week but don't check it"))[1]).toMatch(/^ledger export check:no /u);
  // To be unable is no order.
  expect(linesOf(await talk.askFor("why can I not export last week"))).toContainEqual(
    expect.stringMatching(/^ledger export/u),
  );
});

test.each([
  ["silence node 2 for 2 hours, maintenance", "maintenance"],
  ["silence node 2 for 2 hours for maintenance", "maintenance"],
  ["silence node 2 for 2 hours reason maintenance", "maintenance"],
  ["silence node 2 because of a disk swap for 2 hours", '"disk swap"'],
  ["Silence node 2 for 2 hours because Bob's DISK, in rack B-12, fails", `"Bob's DISK, in rack B-12, fails"`],
])("%s: the reason is kept", async (line, reason) => {
  expect(linesOf(await (await sharedTalk()).askFor(line))).toEqual([
    `alerts silence what:sim-2 for:2h reason:${reason}`,
  ]);
});

test("a price of a market is told of as that", async () => {
  const talk = await talkToSimulator();
  const said = fullText(await talk.askFor("subscribe this channel to BTC price alerts below 90k"));
  expect([said.includes("Not understood"), ...linesOf(talk.lastReply)]).toEqual([
    false,
    "alerts add subjects:BTC/USDT low:90k",
  ]);
});
