import { afterEach, beforeEach, expect, test } from "vitest";

import { DiscordSender } from "../../src/adapters/discord/send/send.ts";
import { closeRest, createRest } from "../../src/adapters/discord/transport/rest.ts";
import { createDispatcher } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { nowMillis } from "../../src/alerts/dependencies.ts";
import type { AlertEvent } from "../../src/alerts/judge/kinds/event.ts";
import { KIND_GROUPS } from "../../src/alerts/judge/kinds/kinds.ts";
import type { Reading } from "../../src/alerts/judge/kinds/reading.ts";
import { subscriptionRow } from "../../src/alerts/route/subscription.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { silentLog } from "../../src/log.ts";
import { createStore } from "../../src/store/create-store.ts";
import { auction, stalled } from "../alerts/readings.ts";
import { aSubscription } from "../alerts/samples.ts";
import { NOON } from "../alerts/stage.ts";
import { VirtualClock } from "../api/virtual-clock.ts";
import { FakeDiscord } from "../support/fake-discord/fake-discord.ts";
import { textOf as discordText } from "../support/fake-discord/person.ts";
import { FakeSlack } from "../support/fake-slack/fake-slack.ts";
import { textOf as slackText } from "../support/fake-slack/person.ts";
import { runs } from "../support/runs.ts";
import { scratchDatabase } from "../support/scratch-database.ts";
import { senderOn } from "./slack/sending.ts";
import { destinationKey } from "../../src/alerts/destination.ts";

// A thousand markets enter an auction within a minute, and the network stalls in the midst: through the engine, the
// outbox, the dispatcher and the adapters, to a fake of each platform.

const MARKETS = Array.from({ length: 1000 }, (_, index) => `market-${String(index).padStart(3, "0")}`);

let discord: FakeDiscord;
let slack: FakeSlack;
beforeEach(async () => {
  [discord, slack] = await Promise.all([FakeDiscord.start(), FakeSlack.start()]);
});
afterEach(() => Promise.all([discord.stop(), slack.stop()]));

const LOOKS: readonly (readonly [how: string, counts: readonly number[], seconds: number])[] = [
  ["looked at once a minute", [500, 1000], 60],
  ["looked at every five seconds", Array.from({ length: 13 }, (_, look) => Math.min(1000, 80 * (look + 1))), 5],
];

// The fast tests look once a minute.
test.each(LOOKS.slice(0, runs(10).numRuns))(
  "the stall is the next message on every platform, and the markets are five at most: %s",
  async (_how, counts, seconds) => {
    const clock = new VirtualClock(NOON, { settle: () => idle() });
    const log = silentLog();
    const database = await scratchDatabase();
    const store = createStore({ url: database.file, log, now: () => nowMillis(clock) });
    const places = [
      { platform: "discord", channel: discord.channel() },
      { platform: "slack", channel: slack.channel() },
    ];
    const rest = createRest({ token: discord.state.token, apiUrl: discord.apiUrl, rejectOnRateLimit: () => true });
    const payloads = { put: () => Promise.resolve("key"), get: () => Promise.resolve(undefined) };
    const senders = [new DiscordSender(rest, { payloads, log, ttlMillis: 1000 }), senderOn(slack.apiUrl)];
    const parts = { store, config: DEFAULT_ALERTS_CONFIG, clock, log, simulated: new Set<string>() };
    const dispatcher = createDispatcher({ ...parts, senders, describe, random: () => 0 });
    const engine = createAlertEngine(parts);
    const end = new AbortController();
    const running = dispatcher.run(end.signal);

    /** Resolves once nothing is being sent, and nothing could be. */
    async function idle(): Promise<void> {
      for (let quiet = 0; quiet < 2;) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        const busy = await store.transaction(async ({ alerts: { outbox, chunks } }) => {
          const open = (await Promise.all(places.map((one) => outbox.openOf(destinationKey(one))))).flat();
          const isNow = ({ state, run_at }: (typeof open)[number]): boolean =>
            state === "sending" || run_at <= nowMillis(clock);
          return open.some(isNow) || (await chunks.oldestAt()) !== undefined;
        });
        quiet = busy ? 0 : quiet + 1;
      }
    }
    async function look(
      name: string,
      every: number,
      readings: readonly Reading[],
      events: readonly AlertEvent[] = [],
    ): Promise<void> {
      const at = clock.wallClock();
      const watcher = { name, every: every * 1000 };
      await engine.processObservation({ network: "mainnet", watcher, snapshot: {}, readings, events, at });
    }
    const lookAtMarkets = (from: number, to: number): Promise<void> =>
      look(
        "markets",
        seconds,
        MARKETS.map((one, index) => auction(index < to ? "bad" : "good", one)),
        // Looked at more often than by default, they would be a digest each time.
        MARKETS.slice(from, seconds === 60 ? to : from).map((subject) => ({
          kind: "market.state",
          network: "mainnet",
          subject,
          key: subject,
          at: String(clock.wallClock()),
          before: { state: "STATE_ACTIVE" },
          after: { state: "STATE_SUSPENDED" },
        })),
      );
    const shown = [
      () => [...discord.state.messages.values()].map((one) => discordText(one)),
      () => slack.state.messages.filter(({ thread }) => thread === undefined).map((one) => slackText(one)),
    ];
    const isStall = (text: string): boolean => /makes no block/u.test(text);

    await store.transaction(({ alerts }) =>
      alerts.subscriptions.put(
        places.map((destination, index) => {
          const kinds = [...KIND_GROUPS.ops, ...KIND_GROUPS.markets];
          return subscriptionRow(aSubscription({ id: `s${index}`, destination, kinds, events: "usual" }), 0);
        }),
      ),
    );
    for (const state of ["good", "good"] as const) {
      await look("sources", 5, [stalled(state)]);
      await lookAtMarkets(0, 0);
      await clock.advance(5000);
    }
    let had = 0;
    const next: string[] = [];
    for (const [index, count] of counts.entries()) {
      await lookAtMarkets(had, count);
      had = count;
      if (index === Math.floor(counts.length / 2) - (counts.length === 2 ? 1 : 0)) {
        // Both are owed before anything is sent.
        const before = shown.map((of) => of().length);
        await look("sources", 5, [stalled("bad", { badForMillis: 30_000 })]);
        dispatcher.wake();
        await idle();
        next.push(...shown.map((of, platform) => of()[before[platform] ?? 0] ?? ""));
      }
      dispatcher.wake();
      for (let second = 0; second < seconds; second += 5) {
        await clock.advance(5000);
        await engine.upkeep();
        dispatcher.wake();
      }
    }
    for (let round = 0; round < 6; round += 1) {
      await look("sources", 5, [stalled("good")]);
      await engine.upkeep();
      dispatcher.wake();
      await clock.advance(5000);
    }
    await clock.advance(20_000);
    expect(next.map(isStall)).toEqual([true, true]);
    for (const of of shown) {
      const markets = of().filter((text) => text.includes("market"));
      expect(markets.length).toBeLessThanOrEqual(5);
      const told = markets.flatMap((text) => /(\d+) markets on \S+ are in an auction/u.exec(text)?.[1] ?? []);
      expect(told.reduce((sum, count) => sum + Number(count), 0)).toBe(1000);
    }
    // A file for each message, and one more where it has grown since: none for each edit.
    const posted = slack.state.messages.filter(({ thread }) => thread === undefined);
    const files = posted.map(({ ts }) =>
      slack.state.messages.filter((one) => one.thread === ts && one.files.length > 0),
    );
    expect(Math.max(...files.map(({ length }) => length))).toBeLessThanOrEqual(2);
    end.abort();
    await idle();
    await running;
    closeRest(rest);
    await store.close();
    await database.remove();
    expect([discord.complaints(), slack.state.violations]).toEqual([[], []]);
  },
  60_000,
);
