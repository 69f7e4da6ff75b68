import { afterEach, describe, expect, test } from "vitest";

import { fromMillis } from "../../src/units/time.ts";
import { DRILL_NETWORK } from "../../src/alerts/judge/rules/episode.ts";
import { episodeRow } from "../../src/alerts/judge/rules/episode.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { SendError } from "../../src/alerts/sender.ts";
import { type AlertService, createAlertService } from "../../src/alerts/service/service.ts";
import { drillSubscriptions, runDrill } from "../../src/answers/alerts/episodes/drill.ts";
import { episodeTimelineReply } from "../../src/answers/alerts/episodes/episode-timeline.ts";
import { silentLog } from "../../src/log.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { createDrills, type Drills, drillSettings } from "../../src/watchers/drills.ts";
import { down } from "../alerts/readings.ts";
import { aSubscription } from "../alerts/samples.ts";
import { Stage } from "../alerts/stage.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { linesOf, rowsOf, saying } from "../support/said.ts";
import { ann, bob, OPS, ops, owedMessages, shown, talkInOps, theConsole } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";
import { type Destination, destinationKey } from "../../src/alerts/destination.ts";
import { PLATFORMS } from "../support/platforms.ts";

let stage: Stage | undefined;
let drills: Drills | undefined;
afterEach(async () => {
  await drills?.stop();
  await stage?.close();
  [stage, drills] = [undefined, undefined];
});

const general: Destination = { platform: "slack", channel: "C0123ABCD" };

async function open(): Promise<Stage> {
  const senders = (now: () => number) => [
    new FakeSender({ platform: "discord", now }),
    new FakeSender({ platform: "slack", now }),
  ];
  stage = await Stage.open({ senders });
  return stage;
}

/** What a process does once a second with what is drilled, until so much time has passed. */
async function watch(own: Stage, millis: number): Promise<void> {
  const log = silentLog();
  const config = drillSettings(own.config);
  const { store, clock } = own;
  const onOwed = (): void => own.dispatcher.wake();
  const engine = createAlertEngine({ store, config, clock, log, simulated: new Set(), onOwed });
  drills = createDrills({ engine, config, clock, log });
  for (let passed = 0; passed < millis; passed += 250) {
    if (passed % 1000 === 0) drills.watch(await own.engine.subscriptions());
    await clock.advance(250);
  }
}

const serviceOf = (own: Stage): AlertService =>
  createAlertService(own.engine, own.config, { platforms: () => ["discord", "slack"] });

/** A drill in virtual time, as operators ask for it, on platforms that the test may break. */
function ask(own: Stage, destinations: readonly Destination[], signal: AbortSignal = new AbortController().signal) {
  const progress: string[] = [];
  const context = {
    here: OPS,
    caller: ann,
    platforms: PLATFORMS,
    alerts: serviceOf(own),
    signal,
    progress: (reply: Reply) => void progress.push(plainText(reply.title)),
  };
  return { progress, said: runDrill(context, destinations, own.clock) };
}

const posted = ({ senders }: Stage): string[][] =>
  senders.map((sender) => sender.posts.map(({ gist }) => gist.replaceAll(/drill-\w+/gu, "drill-x")));

const WHOLE = ["drill warning: node.down of drill-x on drill", "drill resolved: node.down of drill-x on drill"];

describe("a drill", () => {
  test("goes the whole way, from an observation to the end of the alert, and reports the delays at each destination", async () => {
    const own = await open();
    const { said, progress } = ask(own, [ops, general]);
    await watch(own, 4000);
    const answer = await said;
    expect(answer.tone).toBe("good");
    expect(shown(answer)).toMatch(saying("DRILL", 2, 2, "0 ms", "0 ms", "C0123ABCD", "Slack", "0 ms", "0 ms"));
    expect(posted(own)).toEqual([WHOLE, WHOLE]);
    expect(own.senders.map(({ edits }) => edits.at(-1)?.gist)).toEqual([
      expect.stringMatching(/^drill resolved/u),
      expect.stringMatching(/^drill resolved/u),
    ]);
    expect(progress).toContainEqual(expect.stringMatching(saying(2, 4)));
    expect(shown(own.sender.posts[0]!.reply)).toMatch(saying("ann"));
  });

  test("is an episode like any other: pending, fired, sent, recovered", async () => {
    const own = await open();
    const { said } = ask(own, [ops]);
    await watch(own, 4000);
    await said;
    const episode = (await own.engine.lastEpisodes(9)).find(({ network }) => network === DRILL_NETWORK);
    const history = await own.engine.history(episode!.id);
    const timeline = shown(
      episodeTimelineReply(history!, {
        here: OPS,
        caller: ann,
        platforms: PLATFORMS,
        now: () => fromMillis(own.now()),
      }),
    );
    expect(timeline).toMatch(saying("DRILL", /drill-\w+/u, "drill"));
    expect(history?.decisions.map(({ what }) => what)).toEqual(["pending", "fired", "recovering", "resolved"]);
    expect(history?.deliveries.map(({ phase, state }) => `${phase} ${state}`)).toEqual([
      "trigger sent",
      "resolve sent",
    ]);
  });

  test("may be silenced, also once it is over; everything that comes of it says that it is a drill", async () => {
    const talk = await talkInOps();
    const own = await open();
    const { said } = ask(own, [ops]);
    await watch(own, 4000);
    // A platform that folds the answer has Details of its own.
    expect((await said).actions.map(({ label }) => label)).not.toContain("Details");
    const episode = (await own.engine.lastEpisodes(9)).find(({ network }) => network === DRILL_NETWORK);
    await talk.store.transaction(({ alerts }) => alerts.watch.putEpisodes([episodeRow(episode!)]));
    const what = episode!.id;
    expect(await talk.ask(`alerts silence "${what}" for:1h`)).toMatch(saying("✓", "node outages", episode!.subject));
    expect(await talk.engine.silences()).toMatchObject([
      { scope: { network: DRILL_NETWORK, subject: episode!.subject } },
    ]);
    expect(await owedMessages(talk, ops)).toMatchObject([{ change: { what: "silenced" }, drill: true }]);
    expect(await talk.press("alerts unsilence")).toMatch(saying("✓", "node outages"));
    expect(await talk.engine.silences()).toEqual([]);
    // The networks that people can name are the real ones.
    await talk.ask(`alerts ack "${what}"`);
    expect(linesOf(talk.lastReply).filter((line) => line.startsWith("alerts silence"))).toEqual([]);
  });

  test("touches nothing that is real, whose lists do not show it", async () => {
    const own = await open();
    await own.engine.putSubscriptions([aSubscription({ destination: ops, kinds: ["node.down"] })], "ada");
    await own.rounds(4, [down("bad")]);
    const [real] = await own.engine.openEpisodes("mainnet");
    own.sender.posts.splice(0);
    const { said } = ask(own, [ops]);
    await watch(own, 1500);
    const service = serviceOf(own);
    expect((await own.engine.openEpisodes()).map(({ network }) => network)).toEqual(["mainnet", DRILL_NETWORK]);
    expect(await service.openEpisodes()).toEqual([real]);
    expect(await service.lastEpisodes(9)).toEqual([real]);
    expect((await service.subscriptions()).map(({ network }) => network)).toEqual(["mainnet"]);
    await watch(own, 4000);
    await said;
    expect(posted(own)[0]).toEqual(WHOLE);
    expect(await own.engine.openEpisodes()).toEqual([real]);
    // Over, it is asked for no more.
    expect((await own.engine.subscriptions()).map(({ state }) => state)).toEqual(["removed", "active"]);
  });

  test("continues after a crash, with one alert and one end", async () => {
    const own = await open();
    const { said } = ask(own, [ops]);
    said.catch(() => undefined);
    await watch(own, 1250);
    expect(posted(own)[0]).toEqual(WHOLE.slice(0, 1));
    await drills?.stop();
    await own.restart(60_000);
    await watch(own, 4000);
    expect(posted(own)[0]).toEqual(WHOLE);
    await said.catch(() => undefined);
  });

  test("is begun by the next process where none watches, unless that comes too late", async () => {
    const own = await open();
    const at = own.now();
    const asked = (name: string) => drillSubscriptions(name, [ops], { id: "1", name: "ann" }, at, PLATFORMS);
    await own.engine.putSubscriptions(asked("drill-1"), "ann");
    await own.restart(3_000_000);
    await watch(own, 4000);
    expect(posted(own)[0]).toEqual(WHOLE);
    await drills?.stop();
    await own.engine.putSubscriptions(asked("drill-2"), "ann");
    await own.restart(1_000_000);
    await watch(own, 4000);
    expect(posted(own)[0]).toEqual(WHOLE);
    expect((await own.engine.subscriptions()).map(({ state }) => state)).toEqual(["removed", "removed"]);
  });

  test("is suppressed like a real alert, and says by what", async () => {
    const own = await open();
    const at = own.now();
    const scope = { destination: destinationKey(ops) };
    const silence = { id: "q", scope, from: at, until: at + 3_600_000, by: "bob", created: at, reason: "quiet" };
    await own.engine.putSilence(silence, "bob");
    const { said } = ask(own, [ops, general]);
    await watch(own, 4000);
    const answer = await said;
    expect(answer.tone).toBe("warning");
    expect(shown(answer)).toMatch(saying(1, 2, "silence", "q", "bob", "quiet"));
    expect(posted(own)).toEqual([[], WHOLE]);
  });

  test("waits at most half a minute, and says which messages are undelivered or refused", async () => {
    const own = await open();
    const [discord, slack] = own.senders;
    discord!.outcome = () => new SendError("retry", "503 from Discord");
    slack!.outcome = () => new SendError("permanent", "no_text");
    const { said } = ask(own, [ops, general]);
    await watch(own, 32_000);
    const answer = await said;
    expect(answer.tone).toBe("bad");
    expect(shown(answer)).toMatch(saying("DRILL", 0, 2, "30 s", "503 from Discord", "C0123ABCD", "no_text"));
  });

  test("that a destination refused for good is not said to be retried", async () => {
    const own = await open();
    own.sender.outcome = () => new SendError("gone", "Unknown Channel");
    const { said } = ask(own, [ops, general]);
    await watch(own, 4000);
    const answer = shown(await said);
    expect(answer).toMatch(saying("Unknown Channel"));
    expect(answer).not.toMatch(saying("24 h"));
  });

  test("that could not be delivered before its end says both in one message", async () => {
    const own = await open();
    own.sender.outcome = (_delivery, tries) => (tries < 3 ? new SendError("retry", "503") : "ok");
    const { said } = ask(own, [ops]);
    await watch(own, 30_000);
    expect(shown(await said)).toMatch(saying("✓", "DRILL", 1, 1));
    expect(posted(own)[0]).toEqual(["drill fired and resolved: node.down of drill-x on drill"]);
  });

  test("ends at once for whom nobody waits any more", async () => {
    const own = await open();
    const given = new AbortController();
    const { said } = ask(own, [ops], given.signal);
    await own.clock.advance(500);
    given.abort(new DOMException("no longer wanted", "AbortError"));
    await expect(said).rejects.toThrow("no longer wanted");
  });

  test("is stored even while nobody watches, and says so", async () => {
    const talk = await talkToSimulator();
    expect(await talk.ask("alerts drill")).toMatch(saying("!", "DRILL", 0, 1));
    expect(await talk.engine.subscriptions()).toMatchObject([{ network: DRILL_NETWORK, destination: theConsole }]);
    expect(rowsOf(await talk.askFor("alerts list"))).toEqual([]);
  });

  test("of all destinations is for operators; of a channel for its managers", async () => {
    const talk = await talkToSimulator();
    talk.become({ here: OPS, caller: ann });
    await talk.ask("alerts add node.down");
    expect((await talk.askFor("alerts drill to:all")).failure).toBe("caller");
    talk.become({ caller: bob });
    expect((await talk.askFor("alerts drill")).failure).toBe("caller");
    talk.become({ here: { platform: "terminal", files: OPS.files }, caller: ann });
    expect(await talk.ask("alerts drill to:all")).toMatch(saying(0, 2));
    // Again is the same again.
    await talk.press("alerts drill to:all");
    expect(linesOf(talk.lastReply)).toContain("alerts drill to:all");
    const drilled = (await talk.engine.subscriptions()).filter(({ network }) => network === DRILL_NETWORK);
    expect(drilled.map(({ destination }) => destination)).toEqual(expect.arrayContaining([theConsole, ops]));
  });
});
