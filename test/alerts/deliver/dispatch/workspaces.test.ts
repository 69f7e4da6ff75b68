import { expect, test } from "vitest";

import { SendError } from "../../../../src/alerts/sender.ts";
import { alertOf } from "../../../support/gist.ts";
import { GuardedSender } from "../../../support/guarded-sender.ts";
import { FIRED, RESOLVED } from "../../outage.ts";
import { stalled } from "../../readings.ts";
import { aSubscription } from "../../samples.ts";
import { openStage } from "../../stage.ts";
import type { Destination } from "../../../../src/alerts/destination.ts";

// A platform where each workspace has a token of its own: what one refuses stops no other.

const HOUR = 3_600_000;
const CONSOLE: Destination = { platform: "web", channel: "console" };
const FIRST: Destination = { platform: "slack", workspace: "T1", channel: "one" };
const SECOND: Destination = { platform: "slack", workspace: "T2", channel: "two" };

const refused = (): SendError => new SendError("refused", "Slack says invalid_auth");
const removed = (): SendError => new SendError("refused", "Slack says token_revoked", { revoked: true });

async function world() {
  let slack: GuardedSender | undefined;
  let web: GuardedSender | undefined;
  const stage = await openStage({
    console: CONSOLE,
    senders: (now) => {
      slack = new GuardedSender({ platform: "slack", now });
      web = new GuardedSender({ platform: "web", now });
      return [slack, web];
    },
  });
  await stage.engine.putSubscriptions(
    [FIRST, SECOND].map((destination) => aSubscription({ id: destination.channel, destination })),
    "ada",
  );
  await stage.rounds(2, [stalled("good")]);
  const states = async () => (await stage.engine.subscriptions()).map(({ id, state }) => `${id} ${state}`);
  return { stage, slack: slack!, web: web!, states };
}

test("a refused token holds back its own workspace alone, and what waited there is sent once it is accepted", async () => {
  const { stage, slack, web, states } = await world();
  slack.refusedIn.set("T1", refused());
  await stage.rounds(8, [stalled("bad")]);
  expect(slack.take()).toEqual([`two: ${FIRED}`]);
  expect(web.take()).toEqual(["console: token refused: slack T1"]);
  expect(alertOf(web.posts[0]!.reply)).toMatchObject({ workspace: "T1", change: { waiting: 1 } });
  expect((await stage.engine.suspensions()).map(({ platform, workspace }) => [platform, workspace])).toEqual([
    ["slack", "T1"],
  ]);
  // Nothing more is tried there but the token, once a minute; the other workspace is told and edited as usual.
  const { refusedTries, checks } = slack;
  for (let minute = 0; minute < 5; minute += 1) await stage.pass(60_000);
  expect(slack.refusedTries).toBe(refusedTries);
  expect(slack.checks - checks).toBeLessThanOrEqual(6);
  await stage.rounds(6, [stalled("good")]);
  expect(slack.take()).toEqual([`two: ${RESOLVED}`]);
  slack.refusedIn.clear();
  await stage.pass(60_000);
  expect(slack.take()).toEqual([`one: fired and ${RESOLVED}`]);
  expect(web.take()).toEqual(["console: token accepted: slack T1"]);
  expect(await states()).toEqual(["one active", "two active"]);
});

test("an edit goes with the token of its message's workspace", async () => {
  const { stage, slack } = await world();
  await stage.rounds(7, [stalled("bad")]);
  expect(slack.take().toSorted()).toEqual([`one: ${FIRED}`, `two: ${FIRED}`]);
  const workspaces: string[] = [];
  slack.outcome = (what) => {
    if ("message" in what) workspaces.push(what.workspace ?? "none");
    return "ok";
  };
  await stage.rounds(6, [stalled("good")]);
  expect(slack.take().toSorted()).toEqual([`one: ${RESOLVED}`, `two: ${RESOLVED}`]);
  slack.takeEdits();
  expect(workspaces.toSorted()).toEqual(["T1", "T2"]);
});

test("where the app was removed, the subscriptions end at once, and come back when it is added again", async () => {
  const { stage, slack, web, states } = await world();
  slack.refusedIn.set("T1", removed());
  await stage.rounds(8, [stalled("bad")]);
  expect(slack.take()).toEqual([`two: ${FIRED}`]);
  expect(web.take()).toEqual(["console: token removed: slack T1"]);
  expect(await states()).toEqual(["one retired", "two active"]);
  // Others are served by the next process, too, and nothing expires for them.
  await stage.restart(25 * HOUR);
  await stage.rounds(6, [stalled("good")]);
  expect(slack.take()).toEqual([`two: ${RESOLVED}`]);
  expect(web.take()).toEqual([]);
  slack.refusedIn.clear();
  await stage.pass(300_000);
  expect(slack.take()).toEqual(["one: token back: slack T1"]);
  expect(web.take()).toEqual(["console: token accepted: slack T1"]);
  expect(await states()).toEqual(["one active", "two active"]);
});

test("an app that was removed and added again at once is back within a minute", async () => {
  const { stage, slack, web, states } = await world();
  slack.refusedIn.set("T1", removed());
  await stage.rounds(8, [stalled("bad")]);
  expect(slack.take()).toEqual([`two: ${FIRED}`]);
  expect(await states()).toEqual(["one retired", "two active"]);
  slack.refusedIn.clear();
  await stage.pass(60_000);
  expect(await states()).toEqual(["one active", "two active"]);
  // The alert that is still open is told, too.
  expect(slack.take()).toEqual(["one: token back: slack T1", `one: ${FIRED}`]);
  expect(web.take()).toEqual(["console: token removed: slack T1", "console: token accepted: slack T1"]);
});

test("a channel that is lost in one workspace is another in the next, though its id is the same", async () => {
  const { stage, slack, web, states } = await world();
  await stage.engine.putSubscriptions(
    [aSubscription({ id: "same", destination: { ...SECOND, channel: "one" } })],
    "ada",
  );
  slack.outcome = (what) =>
    "destination" in what && what.destination.workspace === "T1" ? new SendError("gone", "channel_not_found") : "ok";
  await stage.rounds(8, [stalled("bad")]);
  expect(slack.take().toSorted()).toEqual([`one: ${FIRED}`, `two: ${FIRED}`]);
  expect(slack.posts.map(({ delivery }) => delivery.destination.workspace)).toEqual(["T2", "T2"]);
  expect(web.take()).toEqual(["console: channel refused: slack T1 one"]);
  expect(await states()).toEqual(["one active", "same active", "two active"]);
});
