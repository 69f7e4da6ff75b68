import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { StepName } from "../../src/alerts/dependencies.ts";
import { createSandbox, type Running } from "../support/bellwether.ts";
import { FakeDiscord } from "../support/fake-discord/fake-discord.ts";
import { FakeSlack } from "../support/fake-slack/fake-slack.ts";
import { freePort } from "../support/free-port.ts";
import { SeededRandom } from "./seeded-random.ts";
import { ConsoleReader } from "./console-reader.ts";
import { Companions, type SharedDatabase } from "./companions.ts";
import { type ChainLists, DataNodes } from "./data-nodes.ts";
import { judgeMarkets, storedMarkets, type StoredMarkets } from "./judge-markets.ts";
import {
  type ChainTruth,
  firstOf,
  judgeGoneBack,
  judgeLists,
  judgeOutages,
  judgeRepeats,
  judgeReset,
} from "./judge.ts";
import { judgeLooks } from "./judge-looks.ts";
import { judgeOutbox, stillOwed } from "./judge-outbox.ts";
import { type Bot, type Kill, type KillOutcome, roundsStored, runUntilKilled, startBot } from "./bot-runs.ts";
import { type Outage, OUTAGES } from "./outages.ts";
import { subscribe } from "./subscribe.ts";
import { type Transcript, consoleTranscript, discordTranscript, slackTranscript, titleOf } from "./transcript.ts";
import { destinationKey } from "../../src/alerts/destination.ts";

/** The watchers observe ten times a second; thresholds of minutes are a third of a second here. */
const CONFIG = {
  poll: { time: "100ms", checkpoints: "100ms", rest: "100ms" },
  stalled: { for: "300ms", criticalFor: "3s" },
  lagging: { behind: "60s", blocks: 100, for: "300ms" },
  // A busy machine may miss an answer or two, or four.
  down: { rounds: 5 },
  blind: { rounds: 5 },
  keep: { rounds: 2, for: "300ms" },
  // The network's time runs too fast here, and nothing is to be gathered into digests.
  clock: { drift: "365d", for: "1s" },
  overdue: { factor: 1000, atLeast: "365d" },
  flap: { episodes: 1000, within: "1s" },
  remind: { every: "1h", times: 0 },
};

/**
 * Several processes have a part each of what a node allows, also those that have just been killed: with five of them it is
 * three requests a second. One of them watches, and asks no more.
 */
const SHARED_CONFIG = {
  ...CONFIG,
  poll: { time: "1s", checkpoints: "2s", rest: "4s" },
  stalled: { for: "3s", criticalFor: "15s" },
  lagging: { behind: "200s", blocks: 100, for: "2s" },
  down: { rounds: 4 },
  blind: { rounds: 4 },
  keep: { rounds: 2, for: "1s" },
  flap: { episodes: 1000, within: "3s" },
};

/** The first round of a process fires nothing; on a busy machine some show nothing, since no node answers in time. */
const ROUNDS_UNTIL_TOLD = 1 + 2 * CONFIG.down.rounds;
/** The watchers of the network's lists, and how many of their rounds have certainly seen what was there before. */
const LIST_WATCHERS = ["checkpoints", "snapshots", "markets"];
const ROUNDS_UNTIL_SEEN = 3;

export interface SceneResult {
  readonly seed: number;
  readonly ends: ReadonlyMap<KillOutcome, number>;
  /** The steps at which it was killed. */
  readonly reached: ReadonlySet<StepName>;
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  /** One line for each thing that happened. */
  readonly timeline: readonly string[];
}

export interface ScenePace {
  /** The outages; all unless named. */
  readonly outages?: readonly Outage["name"][];
  readonly longMillis?: number;
  /** Long enough after a start for every watcher to observe more than once. */
  readonly observeMillis?: number;
  /**
   * How long the last run may take to deliver what is still owed: Slack takes a message a second and channel, and what
   * four processes died with waits for 4 min.
   */
  readonly lastMillis?: number;
  /** Whether the chain is reset at the end. */
  readonly reset?: boolean;
  readonly shared?: SharedDatabase;
}

/** Plays one scene: outages come and go while the bot is killed as listed, and started again each time. */
export async function playScene(seed: number, kills: readonly Kill[], pace: ScenePace = {}): Promise<SceneResult> {
  const several = pace.shared !== undefined;
  const { longMillis = several ? 9000 : 6000, observeMillis = 4000, lastMillis = 360_000, reset = true } = pace;
  const random = new SeededRandom(seed);
  const sandbox = createSandbox();
  const [discord, slack, nodes] = await Promise.all([
    FakeDiscord.start(),
    FakeSlack.start(),
    DataNodes.start(`campaign-${seed}`),
  ]);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const database = pace.shared?.url ?? `file:${path.join(sandbox.folder, "campaign.db")}`;
  const config = path.join(sandbox.folder, "alerts.json");
  writeFileSync(config, JSON.stringify(several ? SHARED_CONFIG : CONFIG));
  const channels = {
    "discord ops": discord.channel(),
    "discord chain": discord.channel(),
    "discord live": discord.channel(),
    "discord markets": discord.channel(),
    "slack ops": slack.channel(),
    "slack chain": slack.channel(),
    "slack live": slack.channel(),
  };
  await subscribe(database, channels);
  const env = {
    WEB_PORT: String(port),
    DATABASE_URL: database,
    LOG_LEVEL: "error",
    ALERTS_CONFIG: config,
    DEFAULT_NETWORK: "testnet",
    TESTNET_URLS: nodes.urls.join(","),
    DISCORD_TOKEN: discord.state.token,
    DISCORD_API_URL: discord.apiUrl,
    SLACK_BOT_TOKEN: slack.state.botToken,
    SLACK_APP_TOKEN: slack.state.appToken,
    SLACK_API_URL: slack.apiUrl,
  };
  // Where others watched, it may have to wait for the death of the last one. What the process before it died with waits
  // for 10 s, which may be all that is owed.
  const stepMillis = 10_000 + (several ? 12_000 : 7000);
  const bot: Bot = { env, sandbox, longMillis, longRounds: ROUNDS_UNTIL_TOLD, stepMillis };
  const timeline: string[] = [];
  const began = performance.now();
  const note = (line: string): void =>
    void timeline.push(`${((performance.now() - began) / 1000).toFixed(1)} s  ${line}`);
  const reader = new ConsoleReader(`${origin}/api/alerts`, (alert) => {
    if (alert.episode !== undefined) note(`  the console has: ${titleOf(alert)}`);
  });
  const companions = new Companions(bot, random, note, pace.shared ?? {});
  const ends = new Map<KillOutcome, number>();
  const reached = new Set<StepName>();
  const happened: string[] = [];
  const run = async (kill: Kill, meanwhile: () => Promise<void> = async () => undefined): Promise<void> => {
    const ended = await runUntilKilled(bot, kill, meanwhile);
    note(`the bot ended ${JSON.stringify(kill)}: ${ended}`);
    ends.set(ended, (ends.get(ended) ?? 0) + 1);
    if ("at" in kill && ended === "at the step") reached.add(kill.at);
  };
  try {
    const known = await nodes.lists();
    await companions.start(pace.shared?.companions ?? 0);
    await run({ after: "long" });
    const begun = await nodes.lists();
    const outages = random.shuffled(OUTAGES.filter(({ name }) => pace.outages?.includes(name) ?? true));
    for (let at = 0, turn = 0; at < kills.length; at += 2, turn += 1) {
      // An outage begins in one turn, and ends in the next.
      const outage = turn % 2 === 0 ? outages[(turn / 2) % outages.length] : undefined;
      const change = changing(nodes, outage, random.between(0, 2000), note);
      const [first = { after: "long" }, second] = kills.slice(at, at + 2);
      await companions.trouble(first);
      await companions.makeWay(first);
      await run(first, change);
      await companions.gather();
      if (second !== undefined) {
        await companions.makeWay(second);
        await run(second);
        await companions.gather();
      }
      // An outage that lasted for the whole of a long run is certainly announced, or over.
      await run({ after: "long" });
      if (outage !== undefined) happened.push(outage.name);
    }
    // From here on one process writes the console's stream to its end.
    const unordered = await companions.stop();
    const wentBack = companions.failovers > 0;
    await nodes.heal();
    const whole = reset ? await runWithReset(bot, nodes, observeMillis, random.between(0, 1500), note) : undefined;
    const last = await lastRun(bot, nodes, database, reader, { observeMillis, lastMillis }, note);
    const end = whole ?? last.lists;
    await reader.stop();
    const transcripts = [
      ...(["ops", "chain", "live", "markets"] as const).map((name) =>
        discordTranscript(discord, `discord ${name}`, channels[`discord ${name}`]),
      ),
      ...(["ops", "chain", "live"] as const).map((name) =>
        slackTranscript(slack, `slack ${name}`, channels[`slack ${name}`]),
      ),
      consoleTranscript(reader),
    ];
    const markets = await storedMarkets(database, keyOf("discord markets", channels));
    const judged = judge(transcripts, happened, { before: known, begun, end }, markets, reset, wentBack);
    const keys = new Map(transcripts.map((one) => [keyOf(one.name, channels), one]));
    const outbox = await judgeOutbox(database, last.before, keys, wentBack);
    const looks = await judgeLooks(database);
    const goneBack = judgeGoneBack(consoleTranscript(reader), companions.failovers);
    const complaints = [...discord.complaints(), ...slack.complaints()].map((one) => `a platform complains: ${one}`);
    // What the console has read last may be lost: then its stream begins anew.
    const gaps = reader.gaps === 0 || wentBack ? [] : [`the console's stream had ${reader.gaps} gaps`];
    return {
      seed,
      ends,
      reached,
      counts: { ...judged.counts, deliveries: outbox.deliveries, failovers: companions.failovers },
      faults: [...judged.faults, ...outbox.faults, ...looks.faults, ...goneBack, ...complaints, ...gaps, ...unordered],
      timeline,
    };
  } finally {
    await reader.stop();
    await sandbox.cleanUp();
    await Promise.all([discord.stop(), slack.stop(), nodes.stop()]);
  }
}

function changing(
  nodes: DataNodes,
  outage: Outage | undefined,
  delay: number,
  note: (line: string) => void,
): () => Promise<void> {
  return async () => {
    await sleep(delay);
    if (outage === undefined) await nodes.heal();
    else await nodes.fail(outage.fault);
    note(outage === undefined ? "all is well again" : `there is a ${outage.name}`);
  };
}

/** Resets the chain and kills the bot soon after. Returns the lists before the reset, which the bot has observed. */
async function runWithReset(
  bot: Bot,
  nodes: DataNodes,
  observeMillis: number,
  left: number,
  note: (line: string) => void,
): Promise<ChainLists> {
  const process = startBot(bot);
  const lists = await observedLists(process, bot, nodes, observeMillis);
  await nodes.fail({ kind: "history-reset" });
  await sleep(left);
  await process.kill("SIGKILL");
  note("the chain began anew, and the bot ended");
  return lists;
}

/** Lists that the bot has certainly observed since. */
async function observedLists(process: Running, bot: Bot, nodes: DataNodes, observeMillis: number): Promise<ChainLists> {
  await process.printed(/Bellwether runs/u);
  await sleep(observeMillis);
  const lists = await nodes.lists();
  await Promise.all([
    sleep(observeMillis),
    roundsStored(process, bot, ["sources"], ROUNDS_UNTIL_TOLD),
    roundsStored(process, bot, LIST_WATCHERS, ROUNDS_UNTIL_SEEN),
  ]);
  return lists;
}

/** Delivers what is left, and ends in order. Returns the lists that the bot has observed, and the time of the last one. */
async function lastRun(
  bot: Bot,
  nodes: DataNodes,
  database: string,
  reader: ConsoleReader,
  { observeMillis, lastMillis }: Required<Pick<ScenePace, "observeMillis" | "lastMillis">>,
  note: (line: string) => void,
): Promise<{ lists: ChainLists; before: number }> {
  const process = startBot(bot);
  const lists = await observedLists(process, bot, nodes, observeMillis);
  const before = Date.now();
  while ((await stillOwed(database, before)) > 0 && Date.now() - before < lastMillis) await sleep(100);
  note(`everything was delivered but ${await stillOwed(database, before)}`);
  await reader.readFiles();
  const { code, stderr } = await process.kill("SIGTERM");
  if (code !== 0) throw new Error(`the bot did not end in order (${code}): ${stderr}`);
  return { lists, before };
}

function judge(
  transcripts: readonly Transcript[],
  happened: readonly string[],
  truth: ChainTruth,
  stored: StoredMarkets | undefined,
  reset: boolean,
  wentBack: boolean,
) {
  const faults: string[] = [];
  const counts = {
    "checkpoints and snapshots": 0,
    "changes of markets": 0,
    auctions: 0,
    outages: 0,
    messages: 0,
    "marked repeats": 0,
    pictures: 0,
  };
  for (const one of transcripts) {
    if (one.name === "discord markets") {
      const judged = judgeMarkets(one, stored);
      counts["changes of markets"] += judged.count;
      counts.auctions += judged.auctions;
      faults.push(...judged.faults);
    }
    // A stream that begins anew repeats its last alerts.
    const repeats = judgeRepeats(wentBack && one.platform === "web" ? { ...one, messages: [...firstOf(one)] } : one);
    counts.messages += one.messages.length;
    counts.pictures += one.messages.reduce((sum, { pictures = 0 }) => sum + pictures, 0);
    counts["marked repeats"] += repeats.marked;
    faults.push(...repeats.faults);
    if (/chain|console/u.test(one.name)) {
      const judged = judgeLists(one, truth);
      counts["checkpoints and snapshots"] += judged.count;
      faults.push(...judged.faults, ...(reset ? judgeReset(one) : []));
    }
    if (/ops|live|console/u.test(one.name)) {
      const judged = judgeOutages(one, happened);
      counts.outages += judged.count;
      faults.push(...judged.faults);
    }
  }
  return { counts, faults };
}

function keyOf(name: string, channels: Readonly<Record<string, string>>): string {
  const [platform = ""] = name.split(" ");
  const channel = channels[name];
  return destinationKey(channel === undefined ? { platform: "web", channel: "console" } : { platform, channel });
}
