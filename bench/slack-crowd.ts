import { setTimeout as sleep } from "node:timers/promises";

import type { Samples } from "../src/simulator/samples.ts";
import { SeededRandom } from "../src/simulator/seeded-random.ts";
import { FakeSlack } from "../test/support/fake-slack/fake-slack.ts";
import { atMost, runAsScript, type Measured } from "./support/figure.ts";
import { slackBot } from "./support/slack-bot.ts";

// 200 people ask for a minute, each again 2 to 8 s after the answer, on one network of three nodes with the rate limit
// of real ones (20 requests a second, burst of 100). A seventh of the commands is `time`; the others want answers that
// few others want at that moment, so that the cache helps little.

const PEOPLE = 200;
const SECONDS = 60;

async function measure(): Promise<readonly Measured[]> {
  const seed = String(Date.now());
  const random = new SeededRandom(seed);
  const fake = await FakeSlack.start();
  await using bot = await slackBot(fake);
  const channel = fake.channel();
  const end = performance.now() + SECONDS * 1000;
  const millis: number[] = [];
  let unanswered = 0;

  async function person(number: number): Promise<void> {
    const asker = fake.person(`person ${number}`);
    await sleep(8000 * random.unit("start", number));
    for (let turn = 0; performance.now() < end; turn += 1) {
      const dialog = asker.type(channel, line(bot.samples, random.unit("command", number, turn)));
      try {
        await dialog.answered();
        millis.push(dialog.last.at - dialog.envelope.at);
      } catch {
        unanswered += 1;
      }
      await sleep(2000 + 6000 * random.unit("pause", number, turn));
    }
  }

  await Promise.all(Array.from({ length: PEOPLE }, (_, number) => person(number)));
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const how = `${millis.length} answers to ${PEOPLE} people in ${SECONDS} s, seed ${seed}; p50 ${at(0.5).toFixed(0)} ms`;
  const failures = [...bot.failures].map(([what, count]) => `${count} × ${what}`).join("; ");
  return [
    atMost("Slack, a crowd: answers that do not come", unanswered, 0, "commands", how),
    atMost("Slack, a crowd: answers that fail", bot.failures.size, 0, "kinds", failures || "none"),
    atMost("Slack, a crowd: envelope to reply sent, p99", at(0.99), 3000, "ms", how),
  ];
}

/** One of the lines that people type; `share` from 0 to 1 chooses. */
function line(samples: Samples, share: number): string {
  const size = 1 + (Math.floor(share * 9973) % 97);
  const lines = [
    "time",
    `market show ${share < 0.5 ? samples.marketCode : samples.jumpyMarketCode}`,
    `checkpoints first:${size}`,
    `snapshots first:${size}`,
    `rotations first:${size}`,
    `order ${samples.orderId} version:${1 + (size % 4)}`,
    `stake ${samples.partyId}`,
  ];
  return lines[Math.floor(share * lines.length)] ?? "time";
}

await runAsScript(import.meta.url, measure);
