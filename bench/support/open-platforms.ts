import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

// Slack and Discord as far as a message needs them, without limits, in a process of their own: their APIs for a bot,
// and webhooks. They take so many milliseconds to answer (the first argument; 0). Says the address on its first line;
// then, for each number that it is sent, when the first and the last of so many messages came, in Unix milliseconds.

const answerMillis = Number(process.argv[2] ?? 0);

let wanted: { count: number; come: number; firstAt: number } | undefined;
let next = 1;

function come(): string {
  const at = performance.timeOrigin + performance.now();
  if (wanted !== undefined) {
    if (wanted.come === 0) wanted.firstAt = at;
    wanted.come += 1;
    if (wanted.come === wanted.count) {
      process.send?.({ firstAt: wanted.firstAt, lastAt: at });
      wanted = undefined;
    }
  }
  return String(next++);
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const answer = async (body: unknown): Promise<void> => {
    if (answerMillis > 0) await sleep(answerMillis);
    response.writeHead(200, { "content-type": typeof body === "string" ? "text/plain" : "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  request.resume();
  request.on("end", () => {
    const { url = "" } = request;
    if (url.startsWith("/api/chat.postMessage")) return void answer({ ok: true, channel: "C1", ts: `1.${come()}` });
    if (/^\/api\/v10\/channels\/\d+\/messages/u.test(url)) return void answer({ id: come(), channel_id: "1" });
    if (url.startsWith("/slack-webhook/")) {
      come();
      return void answer("ok");
    }
    if (url.startsWith("/discord-webhook/")) return void answer({ id: come() });
    response.writeHead(404).end();
  });
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  process.send?.({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.on("message", (count: number) => {
  wanted = { count, come: 0, firstAt: 0 };
});
process.on("disconnect", () => process.exit());
