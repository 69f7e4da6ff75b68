import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { StepName } from "../../src/alerts/dependencies.ts";
import { destinationKey } from "../../src/alerts/routing/subscription.ts";
import { makePlace } from "../support/bellwether.ts";
import { FakeDiscord } from "../support/fake-discord/fake-discord.ts";
import { FakeSlack } from "../support/fake-slack/fake-slack.ts";
import { freePort } from "../support/free-port.ts";
import { Dice } from "./chance.ts";
import { ConsoleReader } from "./console-reader.ts";
import { type ChainLists, DataNodes } from "./data-nodes.ts";
import { judgeMarkets, keptMarkets, type KeptMarkets } from "./judge-markets.ts";
import { type ChainTruth, judgeLists, judgeOutages, judgeRepeats, judgeReset } from "./judge.ts";
import { judgeLedger, stillOwed } from "./ledger.ts";
import { type Bot, type Death, type Ended, live, startBot } from "./lives.ts";
import { type Outage, OUTAGES } from "./outages.ts";
import { subscribe } from "./subscribe.ts";
import { type Heard, heardOnConsole, heardOnDiscord, heardOnSlack } from "./told.ts";

/** The watchers look ten times a second; what takes minutes in life takes a third of a second. */
const CONFIG = {
  poll: { time: "100ms", checkpoints: "100ms", rest: "100ms" },
  stalled: { for: "300ms", criticalFor: "3s" },
  lagging: { behind: "60s", blocks: 100, for: "300ms" },
  // A busy machine may miss an answer or two, or four.
  down: { rounds: 5 },
  blind: { rounds: 5 },
  keep: { rounds: 2, for: "300ms" },
  // The network's time runs ahead of itself here, and nothing is to be gathered into digests.
  clock: { drift: "365d", for: "1s" },
  overdue: { factor: 1000, atLeast: "365d" },
  flap: { episodes: 1000, within: "1s" },
  remind: { every: "1h", times: 0 },
};

export interface SceneResult {
  readonly seed: number;
  readonly ends: ReadonlyMap<Ended, number>;
  /** The steps at which it was killed. */
  readonly reached: ReadonlySet<StepName>;
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
  /** What happened, line by line. */
  readonly story: readonly string[];
}

export interface ScenePace {
  /** Which outages there are; all unless named. */
  readonly outages?: readonly Outage["name"][];
  readonly longMillis?: number;
  /** After a start, in so long everything is looked at, more than once. */
  readonly looksMillis?: number;
  /** How long the last life may take to deliver what is still owed: Slack takes a message a second and channel. */
  readonly lastMillis?: number;
  /** Whether the chain begins anew at the end. */
  readonly reset?: boolean;
}

/** Plays one scene: outages come and go while the bot dies as the list says, and is started again each time. */
export async function playScene(seed: number, deaths: readonly Death[], pace: ScenePace = {}): Promise<SceneResult> {
  const { longMillis = 6000, looksMillis = 4000, lastMillis = 90_000, reset = true } = pace;
  const dice = new Dice(seed);
  const place = makePlace();
  const [discord, slack, nodes] = await Promise.all([
    FakeDiscord.start(),
    FakeSlack.start(),
    DataNodes.start(`campaign-${seed}`),
  ]);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const file = path.join(place.folder, "campaign.db");
  const config = path.join(place.folder, "alerts.json");
  writeFileSync(config, JSON.stringify(CONFIG));
  const channels = {
    "discord ops": discord.channel(),
    "discord chain": discord.channel(),
    "discord live": discord.channel(),
    "discord markets": discord.channel(),
    "slack ops": slack.channel(),
    "slack chain": slack.channel(),
    "slack live": slack.channel(),
  };
  await subscribe(file, channels);
  const env = {
    WEB_PORT: String(port),
    DATABASE_URL: `file:${file}`,
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
  const bot: Bot = { env, place, longMillis };
  const reader = new ConsoleReader(`${origin}/api/alerts`);
  const story: string[] = [];
  const began = performance.now();
  const note = (line: string): void => void story.push(`${((performance.now() - began) / 1000).toFixed(1)} s  ${line}`);
  const ends = new Map<Ended, number>();
  const reached = new Set<StepName>();
  const happened: string[] = [];
  const die = async (death: Death, meanwhile: () => Promise<void> = async () => undefined): Promise<void> => {
    const ended = await live(bot, death, meanwhile);
    note(`the bot ended ${JSON.stringify(death)}: ${ended}`);
    ends.set(ended, (ends.get(ended) ?? 0) + 1);
    if ("at" in death && ended === "at the step") reached.add(death.at);
  };
  try {
    const known = await nodes.lists();
    await die({ after: "long" });
    const begun = await nodes.lists();
    const outages = dice.shuffled(OUTAGES.filter(({ name }) => pace.outages?.includes(name) ?? true));
    for (let at = 0, turn = 0; at < deaths.length; at += 2, turn += 1) {
      // An outage begins in one turn, and ends in the next.
      const outage = turn % 2 === 0 ? outages[(turn / 2) % outages.length] : undefined;
      const change = changing(nodes, outage, dice.between(0, 2000), note);
      const [first = { after: "long" }, second] = deaths.slice(at, at + 2);
      await die(first, change);
      if (second !== undefined) await die(second);
      // What lasted for the whole of a long life is told, or over, for certain.
      await die({ after: "long" });
      if (outage !== undefined) happened.push(outage.name);
    }
    await nodes.heal();
    const whole = reset ? await lifeWithReset(bot, nodes, looksMillis, dice.between(0, 1500), note) : undefined;
    const last = await lastLife(bot, nodes, file, reader, { looksMillis, lastMillis }, note);
    const end = whole ?? last.lists;
    await reader.stop();
    const heard = [
      ...(["ops", "chain", "live", "markets"] as const).map((name) =>
        heardOnDiscord(discord, `discord ${name}`, channels[`discord ${name}`]),
      ),
      ...(["ops", "chain", "live"] as const).map((name) =>
        heardOnSlack(slack, `slack ${name}`, channels[`slack ${name}`]),
      ),
      heardOnConsole(reader),
    ];
    const markets = keptMarkets(file, keyOf("discord markets", channels));
    const judged = judge(heard, happened, { before: known, begun, end }, markets, reset);
    const keys = new Map(heard.map((one) => [keyOf(one.name, channels), one]));
    const ledger = judgeLedger(file, last.before, keys);
    const complaints = [...discord.complaints(), ...slack.complaints()].map((one) => `a platform complains: ${one}`);
    const gaps = reader.gaps === 0 ? [] : [`the console's stream had ${reader.gaps} gaps`];
    return {
      seed,
      ends,
      reached,
      counts: { ...judged.counts, deliveries: ledger.deliveries },
      faults: [...judged.faults, ...ledger.faults, ...complaints, ...gaps],
      story,
    };
  } finally {
    await reader.stop();
    await place.cleanUp();
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

/** The chain begins anew, and the bot dies soon after. Gives what the chain had before, while the bot looked at it. */
async function lifeWithReset(
  bot: Bot,
  nodes: DataNodes,
  looksMillis: number,
  left: number,
  note: (line: string) => void,
): Promise<ChainLists> {
  const process = startBot(bot);
  await process.printed(/Bellwether runs/u);
  await sleep(looksMillis);
  const lists = await nodes.lists();
  await sleep(looksMillis);
  await nodes.fail({ kind: "history-reset" });
  await sleep(left);
  await process.kill("SIGKILL");
  note("the chain began anew, and the bot ended");
  return lists;
}

/** Delivers what is left, and ends in order. Gives what the chain had while the bot looked, and up to when all is told. */
async function lastLife(
  bot: Bot,
  nodes: DataNodes,
  file: string,
  reader: ConsoleReader,
  { looksMillis, lastMillis }: Required<Pick<ScenePace, "looksMillis" | "lastMillis">>,
  note: (line: string) => void,
): Promise<{ lists: ChainLists; before: number }> {
  const process = startBot(bot);
  await process.printed(/Bellwether runs/u);
  await sleep(looksMillis);
  const lists = await nodes.lists();
  await sleep(looksMillis);
  const before = Date.now();
  while (stillOwed(file, before) > 0 && Date.now() - before < lastMillis) await sleep(100);
  note(`everything was delivered but ${stillOwed(file, before)}`);
  await reader.readFiles();
  const { code, stderr } = await process.kill("SIGTERM");
  if (code !== 0) throw new Error(`the bot did not end in order (${code}): ${stderr}`);
  return { lists, before };
}

function judge(
  heard: readonly Heard[],
  happened: readonly string[],
  truth: ChainTruth,
  kept: KeptMarkets | undefined,
  reset: boolean,
) {
  const faults: string[] = [];
  const counts = {
    "checkpoints and snapshots": 0,
    "changes of markets": 0,
    auctions: 0,
    outages: 0,
    messages: 0,
    "marked repeats": 0,
  };
  for (const one of heard) {
    if (one.name === "discord markets") {
      const judged = judgeMarkets(one, kept);
      counts["changes of markets"] += judged.told;
      counts.auctions += judged.auctions;
      faults.push(...judged.faults);
    }
    const repeats = judgeRepeats(one);
    counts.messages += one.messages.length;
    counts["marked repeats"] += repeats.marked;
    faults.push(...repeats.faults);
    if (/chain|console/u.test(one.name)) {
      const judged = judgeLists(one, truth);
      counts["checkpoints and snapshots"] += judged.told;
      faults.push(...judged.faults, ...(reset ? judgeReset(one) : []));
    }
    if (/ops|live|console/u.test(one.name)) {
      const judged = judgeOutages(one, happened);
      counts.outages += judged.told;
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
