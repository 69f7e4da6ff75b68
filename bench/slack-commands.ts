import { setTimeout as sleep } from "node:timers/promises";

import { FakeSlack } from "../test/support/fake-slack/fake-slack.ts";
import type { Dialog } from "../test/support/fake-slack/person.ts";
import { until } from "../test/support/fake-discord/until.ts";
import { atMost, median, runAsScript, type Measured } from "./support/figure.ts";
import { slackBot } from "./support/slack-bot.ts";

// From an envelope on the socket to its acknowledgement, and to the answer at its response_url, at 50 a second, with the
// answer in the cache.

const PER_SECOND = 50;
const SECONDS = 10;
const WARM_UP = 100;

async function measure(): Promise<readonly Measured[]> {
  const fake = await FakeSlack.start();
  await using _bot = await slackBot(fake);
  const person = fake.person("bench");
  const channel = fake.channel();
  const count = PER_SECOND * SECONDS + WARM_UP;
  const dialogs: Dialog[] = [];
  for (let index = 0; index < count; index += 1) {
    dialogs.push(person.type(channel, "time"));
    await sleep(1000 / PER_SECOND);
  }
  await until(() => dialogs.every((dialog) => dialog.uses === 1), "all answers");
  const measured = dialogs.slice(WARM_UP);
  const acknowledged = measured.map(({ envelope }) => envelope.acknowledgedAfter ?? Number.POSITIVE_INFINITY);
  const answered = measured.map(({ envelope, last }) => last.at - envelope.at);
  const worst = (values: readonly number[]): string =>
    (values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN).toFixed(1);
  const how = `${measured.length} commands at ${PER_SECOND} a second on loopback; bot and fake share a process`;
  return [
    atMost(
      "Slack: envelope to acknowledgement",
      median(acknowledged),
      5,
      "ms",
      `${how}; 99 % within ${worst(acknowledged)} ms`,
    ),
    atMost("Slack: envelope to reply sent", median(answered), 10, "ms", `${how}; 99 % within ${worst(answered)} ms`),
  ];
}

await runAsScript(import.meta.url, measure);
