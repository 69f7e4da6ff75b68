import { reply } from "../src/reply/reply.ts";
import { FakeDiscord } from "../test/support/fake-discord/fake-discord.ts";
import { discordBot } from "./support/discord-bot.ts";
import { atLeast, atMost, runAsScript, type Measured } from "./support/figure.ts";

// 5,000 alerts to 1,000 channels while Discord's limits are enforced, in real time: 50 requests a second over all,
// 5 messages in 5 s per channel.

const ALERTS = 5000;
const CHANNELS = 1000;
const ALLOWED_PER_SECOND = 50;

async function measure(): Promise<readonly Measured[]> {
  const fake = await FakeDiscord.start();
  await using bot = await discordBot(fake);
  const channels = Array.from({ length: CHANNELS }, () => fake.channel());
  fake.enforceLimits = true;
  const { signal } = new AbortController();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: ALERTS }, (_, index) =>
      bot.adapter.send(
        { id: `bench-${index}`, destination: { platform: "discord", channel: channels[index % CHANNELS] ?? "" } },
        reply({ title: `Alert ${index}`, tone: "warning" }),
        signal,
      ),
    ),
  );
  const seconds = (performance.now() - began) / 1000;
  const posted = [...fake.state.messages.values()].filter((message) => message.embeds[0]?.title?.startsWith("Alert"));
  if (posted.length !== ALERTS) throw new Error(`${posted.length} of ${ALERTS} alerts arrived`);
  const detail = `${ALERTS} alerts to ${CHANNELS} channels in ${seconds.toFixed(1)} s`;
  return [
    atLeast(
      "Discord: share of the allowed pace",
      ALERTS / ALLOWED_PER_SECOND / seconds,
      0.95,
      "of 50 a second",
      detail,
    ),
    atMost("Discord: 429s while sending", fake.limits.refusals, 1, "refusals", detail),
  ];
}

await runAsScript(import.meta.url, measure);
