import { afterEach, describe, expect, test } from "vitest";

import { createAlertDesk } from "../../src/alerts/alert-desk.ts";
import { SendError } from "../../src/alerts/sender.ts";
import { drill } from "../../src/answers/alert-drill.ts";
import type { Destination } from "../../src/alerts/sender.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { plainText } from "../../src/reply/plain.ts";
import { Stage } from "../alerts/stage.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { ann, bob, OPS, ops, owed, owedReplies, shown, theConsole } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

const senders = (now: () => number) => [
  new FakeSender({ platform: "discord", now }),
  new FakeSender({ platform: "slack", now }),
];
const general: Destination = { platform: "slack", channel: "C0123ABCD" };

/** A drill in virtual time, as operators ask for it, on platforms that the test may break. */
async function drilled(destinations: readonly Destination[], play: (stage: Stage) => Promise<void>) {
  const own = await Stage.open({ senders });
  stage = own;
  const desk = createAlertDesk(own.engine, own.config, () => ["discord", "slack"]);
  const progress: string[] = [];
  const context = {
    here: OPS,
    caller: ann,
    alerts: desk,
    api: { simulated: false },
    signal: AbortSignal.timeout(10_000),
    progress: (reply: Reply) => void progress.push(plainText(reply.title)),
  };
  const running = drill(context, destinations, own.clock);
  await play(own);
  return { said: shown(await running), progress, own };
}

describe("a drill", () => {
  test("goes the whole way and tells the delay at each destination", async () => {
    const { said, own } = await drilled([ops, general], async ({ clock }) => {
      await clock.advance(1000);
    });
    expect(said).toContain("DRILL · 2 of 2 messages arrived");
    expect(said).toMatch(/this channel\s+arrived\s+0 ms/u);
    expect(said).toMatch(/channel C0123ABCD on Slack\s+arrived\s+0 ms/u);
    expect(own.senders.map((sender) => sender.posts.map(({ title }) => title))).toEqual([
      ["DRILL · TEST · Alerts arrive here"],
      ["DRILL · TEST · Alerts arrive here"],
    ]);
  });

  test("waits no longer than half a minute, and says what is still on its way or was refused", async () => {
    const { said, progress } = await drilled([ops, general], async ({ clock, senders: [discord, slack] }) => {
      discord!.fate = () => new SendError("retry", "503 from Discord");
      slack!.fate = () => new SendError("unhealable", "no_text");
      await clock.advance(60_000);
    });
    expect(said).toContain("DRILL · 0 of 2 messages arrived");
    expect(said).toMatch(/this channel\s+not yet, after 30 s\s+–\s+503 from Discord/u);
    expect(said).toMatch(/on Slack\s+given up\s+–\s+no_text/u);
    expect(progress.at(0)).toMatch(/^Drill: \d of 2 messages have arrived$/u);
  });

  test("ends at once when nobody waits for it any more", async () => {
    const own = await Stage.open({ senders });
    stage = own;
    own.sender.fate = () => "hang";
    const desk = createAlertDesk(own.engine, own.config, () => ["discord"]);
    const given = new AbortController();
    const context = { here: OPS, caller: ann, alerts: desk, api: { simulated: false }, progress: () => {} };
    const running = drill({ ...context, signal: given.signal }, [ops], own.clock);
    await own.clock.advance(500);
    given.abort(new DOMException("no longer wanted", "AbortError"));
    await expect(running).rejects.toThrow("no longer wanted");
  });

  test("is owed even where nothing delivers at the moment, and says so", async () => {
    const talk = await talkToSimulator();
    expect(await talk.ask("alerts drill")).toMatch(/the console\s+owed: nothing delivers there/u);
    expect(await owed(talk, theConsole)).toEqual(["DRILL · TEST · Alerts arrive here"]);
    expect(shown((await owedReplies(talk, theConsole))[0]!)).toContain("Nothing is wrong.");
  });

  test("of all places is for operators; of a channel for those who manage it", async () => {
    const talk = await talkToSimulator();
    talk.become({ here: OPS, caller: ann });
    await talk.ask("alerts add node.down");
    expect(await talk.ask("alerts drill to:all")).toContain("Only the terminal and the console can tell another place");
    talk.become({ caller: bob });
    expect(await talk.ask("alerts drill")).toContain("Only people who manage this channel can");
    talk.become({ here: { platform: "terminal", files: OPS.files }, caller: ann });
    expect(await talk.ask("alerts drill to:all")).toContain("0 of 2 messages arrived");
    expect((await owed(talk, ops)).at(-1)).toBe("DRILL · TEST · Alerts arrive here");
  });
});
