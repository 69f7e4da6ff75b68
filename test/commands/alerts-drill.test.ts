import { afterEach, describe, expect, test } from "vitest";

import { DRILL_NETWORK, drillSubscriptions } from "../../src/alerts/drill.ts";
import { createAlertEngine } from "../../src/alerts/engine/engine.ts";
import { destinationKey } from "../../src/alerts/routing/subscription.ts";
import { type Destination, SendError } from "../../src/alerts/sender.ts";
import { type AlertService, createAlertService } from "../../src/alerts/service/service.ts";
import { runDrill } from "../../src/answers/alerts/episodes/drill.ts";
import { episodeTimelineReply } from "../../src/answers/alerts/episodes/episode-timeline.ts";
import { silentLog } from "../../src/log.ts";
import { PLATFORMS } from "../../src/main/platforms/platforms.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { createDrills, type Drills, drillSettings } from "../../src/watchers/drills.ts";
import { down } from "../alerts/readings.ts";
import { aSubscription } from "../alerts/samples.ts";
import { Stage } from "../alerts/stage.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { ann, bob, OPS, ops, shown, theConsole } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

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

const serviceOf = (own: Stage): AlertService => createAlertService(own.engine, own.config, () => ["discord", "slack"]);

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

const titles = ({ senders }: Stage): string[][] =>
  senders.map((sender) => sender.posts.map(({ title }) => title.replaceAll(/drill-\w+/gu, "drill-x")));

const WHOLE = ["DRILL · WARNING · drill-x is down on drill", "DRILL · RESOLVED · drill-x answers again on drill"];

describe("a drill", () => {
  test("goes the whole way, from an observation to the end of the alert, and reports the delays at each destination", async () => {
    const own = await open();
    const { said, progress } = ask(own, [ops, general]);
    await watch(own, 4000);
    const answer = shown(await said);
    expect(answer).toContain("DRILL · arrived at 2 of 2 places");
    expect(answer).toMatch(/this channel\s+arrived\s+0 ms\s+arrived\s+0 ms/u);
    expect(answer).toMatch(/channel C0123ABCD on Slack\s+arrived\s+0 ms\s+arrived\s+0 ms/u);
    expect(titles(own)).toEqual([WHOLE, WHOLE]);
    expect(own.senders.map(({ edits }) => edits.at(-1)?.title)).toEqual([
      expect.stringMatching(/^DRILL · RESOLVED/u),
      expect.stringMatching(/^DRILL · RESOLVED/u),
    ]);
    expect(progress).toContain("Drill: 2 of 4 messages have arrived");
    const [post] = own.sender.posts;
    expect(shown(post!.reply)).toContain("there is no such node, and nothing is wrong");
    expect(shown(post!.reply)).toContain("which ann asked for");
  });

  test("is an episode like any other: pending, fired, sent, recovered", async () => {
    const own = await open();
    const { said } = ask(own, [ops]);
    await watch(own, 4000);
    await said;
    const [episode] = await own.engine.lastEpisodes(1, DRILL_NETWORK);
    const history = await own.engine.history(episode!.id);
    const timeline = shown(episodeTimelineReply(history!, { here: OPS, caller: ann, platforms: PLATFORMS }));
    expect(timeline).toMatch(/DRILL · drill-\w+ answers again on drill: the whole story/u);
    expect(timeline).toContain("there is no such node, and nothing is wrong");
    expect(history?.decisions.map(({ what }) => what)).toEqual(["pending", "fired", "recovering", "resolved"]);
    expect(history?.deliveries.map(({ phase, state }) => `${phase} ${state}`)).toEqual([
      "trigger sent",
      "state sent",
      "resolve sent",
      "state sent",
    ]);
  });

  test("touches nothing that is real, whose lists do not show it", async () => {
    const own = await open();
    await own.engine.putSubscription(aSubscription({ destination: ops, kinds: ["node.down"] }), "ada");
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
    expect(titles(own)[0]).toEqual(WHOLE);
    expect(await own.engine.openEpisodes()).toEqual([real]);
    // Over, it is asked for no more.
    expect((await own.engine.subscriptions()).map(({ state }) => state)).toEqual(["removed", "active"]);
  });

  test("continues after a crash, with one alert and one end", async () => {
    const own = await open();
    const { said } = ask(own, [ops]);
    said.catch(() => undefined);
    await watch(own, 1250);
    expect(titles(own)[0]).toEqual(WHOLE.slice(0, 1));
    await drills?.stop();
    await own.restart(60_000);
    await watch(own, 4000);
    expect(titles(own)[0]).toEqual(WHOLE);
    await said.catch(() => undefined);
  });

  test("is begun by the next process where none watches, unless that comes too late", async () => {
    const own = await open();
    const at = own.now();
    const asked = (name: string) => drillSubscriptions(name, [ops], { id: "1", name: "ann" }, at, PLATFORMS);
    await own.engine.putSubscriptions(asked("drill-1"), "ann");
    await own.restart(3_000_000);
    await watch(own, 4000);
    expect(titles(own)[0]).toEqual(WHOLE);
    await drills?.stop();
    await own.engine.putSubscriptions(asked("drill-2"), "ann");
    await own.restart(1_000_000);
    await watch(own, 4000);
    expect(titles(own)[0]).toEqual(WHOLE);
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
    const answer = shown(await said);
    expect(answer).toMatch(/this channel\s+kept back.+suppressed by silence: silence q by bob: quiet/u);
    expect(answer).toContain("arrived at 1 of 2 places");
    expect(titles(own)).toEqual([[], WHOLE]);
  });

  test("waits at most half a minute, and says which messages are undelivered or refused", async () => {
    const own = await open();
    const [discord, slack] = own.senders;
    discord!.outcome = () => new SendError("retry", "503 from Discord");
    slack!.outcome = () => new SendError("permanent", "no_text");
    const { said } = ask(own, [ops, general]);
    await watch(own, 32_000);
    const answer = shown(await said);
    expect(answer).toContain("DRILL · arrived at 0 of 2 places");
    expect(answer).toMatch(/this channel\s+not yet, after 30 s.+503 from Discord/u);
    expect(answer).toMatch(/on Slack\s+given up\s+–\s+given up\s+–\s+no_text/u);
  });

  test("that a destination refused for good is not said to be retried", async () => {
    const own = await open();
    own.sender.outcome = () => new SendError("gone", "Unknown Channel");
    const { said } = ask(own, [ops, general]);
    await watch(own, 4000);
    const answer = shown(await said);
    expect(answer).toMatch(/this channel\s+given up\s+–\s+given up\s+–\s+Unknown Channel/u);
    expect(answer).toContain("What was given up is not tried again");
    expect(answer).not.toContain("24 h");
  });

  test("that could not be delivered before its end says both in one message", async () => {
    const own = await open();
    own.sender.outcome = (_delivery, tries) => (tries < 3 ? new SendError("retry", "503") : "ok");
    const { said } = ask(own, [ops]);
    await watch(own, 30_000);
    expect(shown(await said)).toMatch(/this channel\s+arrived.+in the same message/u);
    expect(titles(own)[0]).toEqual(["DRILL · FIRED AND RESOLVED · drill-x answers again on drill"]);
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
    const answer = await talk.ask("alerts drill");
    expect(answer).toMatch(/the console\s+owed: nothing delivers there/u);
    expect(answer.replaceAll(/\s+/gu, " ")).toContain("No Bellwether runs on this database");
    expect(await talk.engine.subscriptions()).toMatchObject([{ network: DRILL_NETWORK, destination: theConsole }]);
    expect(await talk.ask("alerts list")).toContain("No subscriptions");
  });

  test("of all destinations is for operators; of a channel for its managers", async () => {
    const talk = await talkToSimulator();
    talk.become({ here: OPS, caller: ann });
    await talk.ask("alerts add node.down");
    expect(await talk.ask("alerts drill to:all")).toContain("Only the terminal and the console can tell another place");
    talk.become({ caller: bob });
    expect(await talk.ask("alerts drill")).toContain("Only people who manage this channel can");
    talk.become({ here: { platform: "terminal", files: OPS.files }, caller: ann });
    expect(await talk.ask("alerts drill to:all")).toContain("arrived at 0 of 2 places");
    // Again is the same again.
    await talk.press("Again");
    expect(talk.lastReply.actions.find(({ label }) => label === "Again")).toMatchObject({
      invocation: { options: { to: "all" } },
    });
    const drilled = (await talk.engine.subscriptions()).filter(({ network }) => network === DRILL_NETWORK);
    expect(drilled.map(({ destination }) => destination)).toEqual(expect.arrayContaining([theConsole, ops]));
  });
});
