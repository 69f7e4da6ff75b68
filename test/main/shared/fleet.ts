// Several whole processes on one PostgreSQL: what is owed to them, what stands on the platforms, and whether that is it.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { type AlertEngine, createAlertEngine } from "../../../src/alerts/engine/engine.ts";
import type { AlertEvent } from "../../../src/alerts/judge/kinds/event.ts";
import { systemClock } from "../../../src/api/clock.ts";
import { silentLog } from "../../../src/log.ts";
import { createStore, type DatabaseStore } from "../../../src/store/create-store.ts";
import { subscriptionOf } from "../../../bench/support/subscription-of.ts";
import type { ChainLists } from "../../campaign/data-nodes.ts";
import { readRows } from "../../campaign/database.ts";
import { judgeLists, judgeRepeats } from "../../campaign/judge.ts";
import { judgeOutbox, stillOwed } from "../../campaign/judge-outbox.ts";
import { discordTranscript, slackTranscript, type Transcript } from "../../campaign/transcript.ts";
import { createSandbox, type Ended, type Running } from "../../support/bellwether.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { destinationKey } from "../../../src/alerts/destination.ts";

/** Nothing answers there: the processes watch a network that tells nothing. */
const NO_NODE = "http://127.0.0.1:9";
const WATCHER = { name: "test", every: 1000 };
const DRAINED_MILLIS = 10_000;
const NONE: ChainLists = { checkpoints: [], snapshots: [] };

/** One channel, and the checkpoints of a network of its own, of which it is told each. */
interface Channel {
  readonly network: string;
  readonly platform: "discord" | "slack";
  readonly id: string;
  readonly told: Told[];
}

interface Told {
  readonly block: number;
  readonly hash: string;
}

/** What is owed, and by whom it was delivered how. */
export interface Judgement {
  readonly owed: number;
  readonly markedRepeats: number;
  readonly faults: readonly string[];
}

export class Fleet implements AsyncDisposable {
  readonly discord: FakeDiscord;
  readonly slack: FakeSlack;
  /** Those that were started and not replaced. */
  readonly running: Running[] = [];
  readonly #url: string;
  readonly #theirs: string;
  readonly #channels: readonly Channel[];
  readonly #store: DatabaseStore;
  readonly #engine: AlertEngine;
  readonly #sandbox = createSandbox();

  private constructor(url: string, theirs: string, discord: FakeDiscord, slack: FakeSlack, channels: Channel[]) {
    this.#url = url;
    this.#theirs = theirs;
    this.discord = discord;
    this.slack = slack;
    this.#channels = channels;
    const log = silentLog();
    const store = createStore({ url, log });
    this.#store = store;
    this.#engine = createAlertEngine({
      store,
      config: DEFAULT_ALERTS_CONFIG,
      clock: systemClock,
      log,
      simulated: new Set(),
      onOwed: () => store.processes.announce(),
    });
  }

  /** `url` is the test's own way to the database, `theirs` that of the processes. */
  static async open(options: { url: string; theirs?: string; discord: number; slack: number }): Promise<Fleet> {
    const { url, theirs = url } = options;
    const [discord, slack] = await Promise.all([FakeDiscord.start(), FakeSlack.start()]);
    const ids = [
      ...Array.from({ length: options.discord }, () => ({ platform: "discord" as const, id: discord.channel() })),
      ...Array.from({ length: options.slack }, () => ({ platform: "slack" as const, id: slack.channel() })),
    ];
    const channels = ids.map((one, index): Channel => ({ ...one, network: `net${index}`, told: [] }));
    const fleet = new Fleet(url, theirs, discord, slack, channels);
    await fleet.#store.transaction(async ({ alerts }) => {
      const rows = channels.map(({ platform, id, network }, index) =>
        subscriptionOf(index, { platform, channel: id }, ["checkpoint.new"], "each", network),
      );
      await alerts.subscriptions.put(rows);
    });
    // The first observation of a network tells nothing.
    for (const { network } of channels) await fleet.#observe(network);
    return fleet;
  }

  /** Starts another one; resolves once it runs. */
  async start(): Promise<Running> {
    const one = this.#sandbox.run(["start"], {
      DATABASE_URL: this.#theirs,
      WEB_PORT: "0",
      LOG_LEVEL: "error",
      TESTNET_URLS: NO_NODE,
      DEFAULT_NETWORK: "testnet",
      DISCORD_TOKEN: this.discord.state.token,
      DISCORD_API_URL: this.discord.apiUrl,
      ...(this.#channels.some(({ platform }) => platform === "slack") ? this.#slackEnv() : {}),
    });
    this.running.push(one);
    await one.printed(/Bellwether runs/u);
    return one;
  }

  #slackEnv(): Record<string, string> {
    const { botToken, appToken } = this.slack.state;
    return { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_API_URL: this.slack.apiUrl };
  }

  /** Kills one with SIGKILL, and starts another in its place. */
  async replace(index: number): Promise<void> {
    const [one] = this.running.splice(index, 1);
    await one?.kill("SIGKILL");
    await this.start();
  }

  /** So many more events for each channel of a platform, one after the other: each is a message of its own. */
  async owe(counts: { readonly discord: number; readonly slack: number }): Promise<void> {
    for (let round = 0; round < Math.max(counts.discord, counts.slack); round += 1) {
      for (const { network, platform, told } of this.#channels) {
        if (round >= counts[platform]) continue;
        const row = rowOf(network, told.length + 1);
        await this.#observe(network, row);
        told.push(row);
      }
    }
  }

  /** Like a watcher: whether it was kept is asked before it is tried again. */
  async #observe(network: string, row?: Told): Promise<void> {
    const last = row?.block ?? 0;
    for (;;) {
      try {
        const stored = (await this.#engine.snapshot(network, WATCHER.name))?.data as { last?: number } | undefined;
        if (stored?.last === last) return;
        const at = systemClock.wallClock();
        const events = row === undefined ? [] : [checkpoint(network, row, String(at))];
        await this.#engine.processObservation({
          network,
          watcher: WATCHER,
          snapshot: { last },
          readings: [],
          events,
          at,
        });
        return;
      } catch {
        await sleep(200);
      }
    }
  }

  /** How many messages stand on the platforms. */
  get standing(): number {
    return this.#transcripts().reduce((sum, { messages }) => sum + messages.length, 0);
  }

  /** Resolves once so many messages stand there. */
  async stands(count: number): Promise<void> {
    while (this.standing < count) await sleep(10);
  }

  /** Resolves once nothing is owed any more, or after so long. */
  async settled(millis: number): Promise<void> {
    const giveUpAt = Date.now() + millis;
    while (Date.now() < giveUpAt && (await stillOwed(this.#url, giveUpAt).catch(() => 1)) > 0) await sleep(200);
  }

  /** All end in order; gives what went wrong with that. */
  async drain(): Promise<string[]> {
    const ends = await Promise.all(this.running.splice(0).map(drainOne));
    return ends.flatMap(({ code, stderr, millis }) => [
      ...(code === 0 ? [] : [`a process did not end in order (${code}): ${stderr}`]),
      ...(millis < DRAINED_MILLIS ? [] : [`a process took ${Math.round(millis)} ms to end`]),
    ]);
  }

  /** The deliveries that a process which has ended was still sending, or whose arrival is unknown. */
  async leftOver(): Promise<readonly unknown[]> {
    const unknown = "state = 'sending' OR (state = 'owed' AND uncertain_since IS NOT NULL)";
    return readRows(this.#url, `SELECT id, destination, state FROM alert_deliveries WHERE ${unknown}`);
  }

  /** Judges the platforms by what was owed, apart from the bot's records, and these by the platforms. */
  async judge(): Promise<Judgement> {
    const faults: string[] = [];
    let owed = 0;
    let markedRepeats = 0;
    const transcripts = this.#transcripts();
    for (const [index, transcript] of transcripts.entries()) {
      const { told = [] } = this.#channels[index] ?? {};
      const lists = judgeLists(transcript, { before: NONE, begun: NONE, end: { ...NONE, checkpoints: told } });
      const repeats = judgeRepeats(transcript);
      owed += lists.count;
      markedRepeats += repeats.marked;
      faults.push(...lists.faults, ...repeats.faults);
    }
    const keys = new Map(
      this.#channels.map(({ platform, id }, index) => [
        destinationKey({ platform, channel: id }),
        transcripts[index] as Transcript,
      ]),
    );
    const outbox = await judgeOutbox(this.#url, Date.now(), keys);
    return { owed, markedRepeats, faults: [...faults, ...outbox.faults, ...this.#complaints()] };
  }

  #complaints(): string[] {
    return [...this.discord.complaints(), ...this.slack.complaints()].map((one) => `a platform complains: ${one}`);
  }

  #transcripts(): Transcript[] {
    return this.#channels.map(({ platform, id, network }) =>
      platform === "discord" ? discordTranscript(this.discord, network, id) : slackTranscript(this.slack, network, id),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sandbox.cleanUp();
    await Promise.all([this.discord.stop(), this.slack.stop(), this.#store.close()]);
  }
}

async function drainOne(one: Running): Promise<Ended & { readonly millis: number }> {
  const began = performance.now();
  const ended = await one.kill("SIGTERM");
  return { ...ended, millis: performance.now() - began };
}

function rowOf(network: string, block: number): Told {
  return { block, hash: createHash("sha256").update(`${network} ${block}`).digest("hex") };
}

function checkpoint(network: string, { block, hash }: Told, at: string): AlertEvent {
  return { kind: "checkpoint.new", network, subject: "", key: `${block}/${hash}`, at, atBlock: String(block), hash };
}
