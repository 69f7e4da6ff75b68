import { expect, test } from "vitest";

import { DiscordSender } from "../../src/adapters/discord/send/send.ts";
import { createRest } from "../../src/adapters/discord/transport/rest.ts";
import { OWN_TOKEN, type Sender, SendError } from "../../src/alerts/sender.ts";
import { silentLog } from "../../src/log.ts";
import { reply } from "../../src/reply/reply.ts";
import { loopbackNode } from "../support/loopback-node.ts";
import { senderOn } from "./slack/sending.ts";

// A process that did not tell the others that it lives may be taken for dead: another one then sends what was its to send.

/** A platform that counts what is asked of it, and gives each answer. */
async function platform() {
  const asked: string[] = [];
  const { url } = await loopbackNode(({ method, path }) => {
    asked.push(`${method} ${path}`);
    return { body: { ok: true, id: "1", channel_id: "C1", channel: "C1", ts: "1.2" } };
  });
  return { url, asked };
}

const SENDERS: readonly [string, (url: string, isAlive: () => boolean) => Sender][] = [
  [
    "discord",
    (url, isAlive) => {
      const payloads = { put: () => Promise.resolve("key"), get: () => Promise.resolve(undefined) };
      const rest = createRest({ token: "shared", apiUrl: `${url}/api` });
      return new DiscordSender(rest, {
        payloads,
        log: silentLog(),
        ttlMillis: 1,
        token: { ...OWN_TOKEN, isAlive, live: 2 },
      });
    },
  ],
  ["slack", (url, isAlive) => senderOn(`${url}/api/`, { token: { ...OWN_TOKEN, isAlive, live: 2 } })],
];

test.each(SENDERS)(
  "%s: a process that may be taken for dead asks nothing, and says that nothing was sent",
  async (id, create) => {
    const { url, asked } = await platform();
    let alive = false;
    const sender = create(url, () => alive);
    const { signal } = new AbortController();
    const delivery = { id: "d1", destination: { platform: id, channel: "C1" } };
    const refused = await sender.send(delivery, reply({ title: "Stalled" }), signal).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SendError);
    expect((refused as SendError).kind).toBe("retry");
    const receipt = { platform: id, channel: "C1", message: "1.2" };
    await expect(sender.update(receipt, reply({ title: "Over" }), signal)).rejects.toMatchObject({ kind: "retry" });
    expect(asked).toEqual([]);
    alive = true;
    await sender.send(delivery, reply({ title: "Stalled" }), signal);
    expect(asked).toHaveLength(1);
  },
);
