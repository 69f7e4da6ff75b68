import { setTimeout as sleep } from "node:timers/promises";

import { FakeDiscord } from "../test/support/fake-discord/fake-discord.ts";
import { discordBot } from "./support/discord-bot.ts";
import { atMost, median, runAsScript, type Measured } from "./support/figure.ts";

// From an interaction on the gateway to the first REST call about it, and to the one that carries the answer (the same
// one, or an edit of "thinking…"), at 50 a second, with the answer in the cache.

const PER_SECOND = 50;
const SECONDS = 10;
const WARM_UP = 100;

async function measure(): Promise<readonly Measured[]> {
  const fake = await FakeDiscord.start();
  await using _bot = await discordBot(fake);
  const person = fake.person("Bench");
  const channel = fake.channel();
  const sentAt = new Map<string, number>();
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  fake.onRequest = ({ path }) => {
    const token = /^\/(?:interactions|webhooks)\/\d+\/([^/]+)\//u.exec(path)?.[1] ?? "";
    const at = sentAt.get(token);
    if (at === undefined) return;
    const wait = performance.now() - at;
    if (!first.has(token)) first.set(token, wait);
    last.set(token, wait);
  };
  await person.run(channel, "time");
  for (let count = 0; count < PER_SECOND * SECONDS + WARM_UP; count += 1) {
    const at = performance.now();
    const dialog = person.start(channel, "time");
    sentAt.set(dialog.interaction.token, at);
    await sleep(1000 / PER_SECOND);
    fake.state.messages.clear();
  }
  await sleep(500);
  return [
    figure("Discord: interaction to first REST call", first, 5),
    figure("Discord: interaction to the answer's REST call", last, 10),
  ];
}

function figure(name: string, waits: ReadonlyMap<string, number>, bound: number): Measured {
  const measured = [...waits.values()].slice(WARM_UP);
  const worst = measured.toSorted((a, b) => a - b)[Math.floor(measured.length * 0.99)] ?? Number.NaN;
  const detail = `${measured.length} interactions at ${PER_SECOND} a second on loopback, 99 % within ${worst.toFixed(1)} ms; bot and fake share a process`;
  return atMost(name, median(measured), bound, "ms", detail);
}

await runAsScript(import.meta.url, measure);
