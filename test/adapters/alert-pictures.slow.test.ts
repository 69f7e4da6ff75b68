import { expect, onTestFinished, test } from "vitest";

import { describe as describeMessage } from "../../src/alerts/words/words.ts";
import type { Sender } from "../../src/alerts/sender.ts";
import { memoryAttachment } from "../../src/reply/reply.ts";
import { down } from "../alerts/readings.ts";
import { aSubscription } from "../alerts/samples.ts";
import { openStage, type Stage } from "../alerts/stage.ts";
import { until } from "../support/fake-discord/until.ts";
import { chartPicture } from "../support/gallery/parts.ts";
import { stage as discordStage } from "./discord/stage.ts";
import { stage as slackStage } from "./slack/stage.ts";

// The picture of an alert, on the wire of both platforms, while time is made up.

const ALT = "a:1 did not answer for 1 min";

/** A channel of a platform that is told of nodes that are down; `idle`: all that is due has arrived. */
async function told(sender: Sender, channel: string, began: () => number, ended: () => number) {
  const seen = { drawn: 0, onDraw: (): void => undefined };
  const stage = await openStage({
    chats: [sender],
    describe: describeMessage,
    draw: async () => {
      seen.drawn += 1;
      seen.onDraw();
      return memoryAttachment("chart.png", "image/png", chartPicture(), { alt: ALT });
    },
  });
  const destination = { platform: sender.platform, channel };
  await stage.engine.putSubscriptions([aSubscription({ destination, kinds: ["node.down"], style: "live" })], "ada");
  await stage.rounds(2, [down("good")]);
  /** Lets what is due now arrive: requests take their own time. */
  const idle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3;) {
      const before = began();
      await until(() => began() === ended(), "answers");
      await stage.pass(0);
      await new Promise((resolve) => setTimeout(resolve, 5));
      quiet = began() === before && began() === ended() ? quiet + 1 : 0;
    }
  };
  const rounds = async (count: number, state: "bad" | "good"): Promise<void> => {
    for (let round = 0; round < count; round += 1) {
      await stage.rounds(1, [down(state)]);
      await idle();
    }
  };
  return { stage, rounds, idle, draws: seen };
}

/** A leap over quiet time: what was due meanwhile happens at its end. */
async function later({ stage, idle }: { stage: Stage; idle: () => Promise<void> }, millis: number): Promise<void> {
  await stage.leap(millis);
  await idle();
}

async function onDiscord() {
  const scene = await discordStage({ simulated: false });
  onTestFinished(() => scene[Symbol.asyncDispose]());
  const { fake, channel } = scene;
  let began = 0;
  fake.onRequest = () => void (began += 1);
  const known = fake.requests.length;
  const alert = await told(
    scene.adapter,
    channel,
    () => began,
    () => fake.requests.length - known,
  );
  const card = () => [...fake.state.messages.values()].find((one) => one.channel === channel)!;
  /** The pictures that people see at the card: as the image of its embed, and as files that nothing shows. */
  const seen = () => {
    const images = card().embeds.flatMap(({ image }) => image?.url ?? []);
    const loose = card().files.filter(({ name }) => !images.includes(`attachment://${name}`));
    return { images, loose, alt: card().files.map(({ description }) => description) };
  };
  return { fake, channel, card, seen, ...alert };
}

const ONE = { images: ["attachment://chart.png"], loose: [], alt: [ALT] };
const NONE = { images: [], loose: [], alt: [] };

test("on Discord a message has one picture after a minute, and after each of five further edits", async () => {
  const on = await onDiscord();
  await on.rounds(4, "bad");
  expect([on.card().edits, on.seen()]).toEqual([0, NONE]);
  await later(on, 60_000);
  await on.rounds(1, "bad");
  expect(on.seen()).toEqual(ONE);
  const first = on.card().edits;
  for (let edit = 0; edit < 3; edit += 1) {
    await on.rounds(1, "good");
    expect(on.seen()).toEqual(ONE);
    await on.rounds(1, "bad");
    expect(on.seen()).toEqual(ONE);
  }
  await on.rounds(6, "good");
  expect([on.seen(), on.draws.drawn]).toEqual([ONE, 1]);
  expect(on.card().edits - first).toBeGreaterThanOrEqual(5);
  expect(on.fake.complaints()).toEqual([]);
});

test("on Discord the end of a short alert brings it; a limit drops it, and the words arrive", async () => {
  const on = await onDiscord();
  await on.rounds(4, "bad");
  await on.rounds(6, "good");
  expect([on.seen(), on.draws.drawn]).toEqual([ONE, 1]);

  const limited = await onDiscord();
  await limited.rounds(4, "bad");
  const path = /\/messages\/\d+$/u;
  const body = { message: "You are being rate limited.", retry_after: 1, global: false };
  const answer = { status: 429, headers: { "retry-after": "1" }, body };
  limited.draws.onDraw = () => limited.fake.fail({ method: "PATCH", path, answer });
  await limited.rounds(6, "good");
  await later(limited, 60_000);
  expect([limited.seen(), limited.draws.drawn]).toEqual([NONE, 1]);
  expect(limited.card().content).toMatch(/did not answer|answers again|was down/u);
  expect(limited.fake.requests.filter(({ status }) => status === 429)).toHaveLength(1);
  expect(on.fake.complaints()).toEqual([]);
});

test("on Slack it comes once, at the end, into the thread; a limit drops it", async () => {
  for (const isLimited of [false, true]) {
    const scene = await slackStage({ connect: false, timing: { editMillis: 0, channelMillis: 0 } });
    onTestFinished(() => scene[Symbol.asyncDispose]());
    const { fake, channel } = scene;
    const on = await told(
      scene.adapter,
      channel,
      () => fake.begun.length,
      () => fake.requests.length,
    );
    await on.rounds(4, "bad");
    await later(on, 60_000);
    await on.rounds(2, "bad");
    const shared = () =>
      fake.state.messages.flatMap(({ thread, files }) => files.map(({ name, alt }) => ({ thread, name, alt })));
    expect([shared(), on.draws.drawn]).toEqual([[], 0]);
    if (isLimited) fake.fail({ method: "files.getUploadURLExternal", answer: { status: 429, retryAfter: 1 } });
    await on.rounds(6, "good");
    await later(on, 60_000);
    const card = fake.state.messages.find((one) => one.thread === undefined && one.files.length === 0)!;
    expect([shared(), on.draws.drawn]).toEqual([
      isLimited ? [] : [{ thread: card.ts, name: "chart.png", alt: ALT }],
      1,
    ]);
    expect(fake.complaints()).toEqual([]);
  }
});
