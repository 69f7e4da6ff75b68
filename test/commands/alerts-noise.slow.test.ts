import { expect, test } from "vitest";

import { DEFAULT_ALERTS_CONFIG } from "../../src/alerts/alerts-config.ts";
import { createAlertService } from "../../src/alerts/service/service.ts";
import { homeSubscriptions } from "../../src/main/platforms/home-subscriptions.ts";
import { fullText } from "../../src/reply/full-text.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { toMillis } from "../../src/units/time.ts";
import { down, stalled } from "../alerts/readings.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { HOUR, keepLooks, MINUTE } from "../support/kept-looks.ts";
import { PLATFORMS } from "../support/platforms.ts";
import { linesOf, saying } from "../support/said.ts";
import { ann, bob, deliver, idIn, OPS, see, talkInOps } from "./alert-channel.ts";

test("a subscription that tells often is named with what to do about it, until it is left as it is", async () => {
  const talk = await talkInOps();
  await talk.ask("alerts add node.down,network.stalled style:plain");
  const id = idIn(talk.lastReply);
  const sender = new FakeSender({ platform: "discord", now: () => toMillis(talk.now()) });
  const troubles = 11;
  const trouble = async (): Promise<void> => {
    await see(talk, 4, [stalled("good"), down("bad", "sim-2")]);
    await see(talk, 6, [stalled("good"), down("good", "sim-2")]);
    talk.advance(3 * HOUR);
  };
  for (let count = 1; count < troubles; count += 1) await trouble();
  await deliver(talk, sender);
  talk.advance(MINUTE);
  expect(await talk.ask("alerts list")).not.toContain("this week");
  await trouble();
  await deliver(talk, sender);
  talk.advance(MINUTE);
  const looks = Array.from({ length: troubles }, (_, at) => ({
    ago: (at + 1) * 3 * HOUR,
    lasts: at < 2 ? 5 * MINUTE : MINUTE,
  }));
  await keepLooks(talk.store, toMillis(talk.now()), { since: 7 * 24 * HOUR, troubles: looks });
  const words = `node.down told ${troubles} times this week`;
  expect(await talk.ask("alerts list")).toMatch(saying(id, words, /with \S+ it would have been 2/u));
  const [change, leave] = linesOf(talk.lastReply).slice(-2);
  expect(change).toMatch(new RegExp(`^alerts edit id:${id} rounds:\\d$`, "u"));
  expect(leave).toBe(`alerts edit id:${id} leave:node.down`);
  const viewer = {
    here: OPS,
    caller: ann,
    platforms: PLATFORMS,
    alerts: createAlertService(talk.engine, DEFAULT_ALERTS_CONFIG),
    managed: async () => new Set<string>(),
  };
  const [home] = await homeSubscriptions(viewer, toMillis(talk.now()));
  expect(home?.noise?.map(({ text }) => plainText(text))).toEqual([expect.stringContaining(words)]);
  talk.become({ caller: bob });
  expect(fullText(await talk.askFor("alerts list"))).not.toContain("this week");
  expect(await talk.ask(leave ?? "")).toMatch(saying("!", "channel"));
  talk.become({ caller: ann });
  expect(await talk.ask(leave ?? "")).toMatch(saying("✓", "node.down"));
  expect(await talk.ask("alerts list")).not.toContain("this week");
  await talk.ask(`alerts edit ${id} severity:warning`);
  expect((await homeSubscriptions(viewer, toMillis(talk.now())))[0]).not.toHaveProperty("noise");
  await talk.ask(`alerts edit ${id} leave:off`);
  expect(await talk.ask("alerts list")).toMatch(saying(words));
  expect(await talk.ask(`alerts edit ${id} leave:node.lagging severity:info`)).toMatch(saying("!", "leave"));
});
