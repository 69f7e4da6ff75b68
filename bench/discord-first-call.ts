import { setTimeout as sleep } from "node:timers/promises";

import { FakeDiscord } from "../test/support/fake-discord/fake-discord.ts";
import { discordBot } from "./support/discord-bot.ts";
import { atMost, median, runAsScript, type Measured } from "./support/figure.ts";

// From an interaction on the gateway to the first REST call about it, at 50 a second, with the answer in the cache.

const PER_SECOND = 50;
const SECONDS = 10;
const WARM_UP = 100;

async function measure(): Promise<readonly Measured[]> {
  const fake = await FakeDiscord.start();
  await using _bot = await discordBot(fake);
  const person = fake.person("Bench");
  const channel = fake.channel();
  const sentAt = new Map<string, number>();
  const waits: number[] = [];
  fake.onRequest = ({ path }) => {
    const id = /^\/interactions\/(\d+)\//u.exec(path)?.[1];
    const at = id === undefined ? undefined : sentAt.get(id);
    if (at !== undefined) waits.push(performance.now() - at);
  };
  await person.run(channel, "time");
  for (let count = 0; count < PER_SECOND * SECONDS + WARM_UP; count += 1) {
    const at = performance.now();
    const dialog = person.start(channel, "time");
    sentAt.set(dialog.interaction.id, at);
    await sleep(1000 / PER_SECOND);
    fake.state.messages.clear();
  }
  await sleep(500);
  const measured = waits.slice(WARM_UP);
  const worst = measured.toSorted((a, b) => a - b)[Math.floor(measured.length * 0.99)] ?? Number.NaN;
  const detail = `${measured.length} interactions at ${PER_SECOND} a second on loopback, 99 % within ${worst.toFixed(1)} ms; bot and fake share a process`;
  return [atMost("Discord: interaction to first REST call", median(measured), 5, "ms", detail)];
}

await runAsScript(import.meta.url, measure);
