import { reply } from "../src/reply/reply.ts";
import { FakeSlack } from "../test/support/fake-slack/fake-slack.ts";
import { atMost, runAsScript, type Measured } from "./support/figure.ts";
import { slackBot } from "./support/slack-bot.ts";

// 60 messages to each of 20 channels while Slack's limit of one a second and channel is enforced, in real time.

const CHANNELS = 20;
const MESSAGES = 60;

async function measure(): Promise<readonly Measured[]> {
  const fake = await FakeSlack.start();
  await using bot = await slackBot(fake);
  const channels = Array.from({ length: CHANNELS }, () => fake.channel());
  fake.enforceLimits = true;
  fake.expected.add("ratelimited");
  const { signal } = new AbortController();
  const began = performance.now();
  await Promise.all(
    channels.flatMap((channel) =>
      Array.from({ length: MESSAGES }, (_, index) =>
        bot.adapter.send(
          { id: `${channel}-${index}`, destination: { platform: "slack", channel } },
          reply({ title: `Alert ${index}`, tone: "warning" }),
          signal,
        ),
      ),
    ),
  );
  const seconds = (performance.now() - began) / 1000;
  const posted = fake.state.messages.filter(({ text }) => text.includes("Alert")).length;
  if (posted !== CHANNELS * MESSAGES) throw new Error(`${posted} of ${CHANNELS * MESSAGES} messages arrived`);
  const refusals = fake.requests.filter(({ outcome }) => outcome === "429").length;
  const detail = `${CHANNELS} channels, ${MESSAGES} messages each`;
  return [
    atMost("Slack: 60 messages to each of 20 channels", seconds, 63, "s", detail),
    atMost("Slack: 429s meanwhile", refusals, 0, "refusals", detail),
  ];
}

await runAsScript(import.meta.url, measure);
