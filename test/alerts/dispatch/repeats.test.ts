import { afterEach, expect, it } from "vitest";

import { stalled } from "../readings.ts";
import { isRepeat } from "../../support/gist.ts";
import { aSubscription } from "../samples.ts";
import { Stage } from "../stage.ts";

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

it("a live message that may be a repeat goes on saying so when it is edited", async () => {
  stage = await Stage.open();
  const { sender, engine } = stage;
  await engine.putSubscription(aSubscription({ style: "live" }), "ada");
  await stage.rounds(1, [stalled("good")]);
  sender.outcome = (_what, tries) => (tries === 1 ? "posted-unknown" : "ok");
  await stage.rounds(8, [stalled("bad")]);
  sender.outcome = () => "ok";
  await stage.rounds(8, [stalled("good")]);
  const [first, repeat, resolve] = sender.posts;
  expect([first, repeat, resolve].map((post) => isRepeat(post!.reply))).toEqual([false, true, false]);
  const edits = sender.edits.filter(({ message }) => message === repeat?.message);
  expect(edits.at(-1)?.gist).toMatch(/^resolved/u);
  expect(edits.every(({ reply }) => isRepeat(reply))).toBe(true);
});
