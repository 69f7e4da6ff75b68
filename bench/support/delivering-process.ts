import { parseArgs } from "node:util";

import { alertStage, checkpoint } from "./alert-stage.ts";
import { openChannels, openSenders } from "./open-senders.ts";

// A process that delivers to the platforms of open-platforms.ts, alone on a file or with others on a server: `--url`.
// It makes `--channels` subscriptions, and says that it is ready; for each number that it is sent, it observes a
// checkpoint at that block, and says how long it took until all messages were owed, and the most memory that it ever had. Ends with its parent.

const { values } = parseArgs({
  options: { url: { type: "string" }, origin: { type: "string" }, channels: { type: "string" } },
});
const { senders, close } = openSenders(values.origin ?? "");
const destinations = openChannels(Number(values.channels));
const where = values.url === undefined ? {} : { url: values.url };
const stage = await alertStage({ ...where, senders, destinations, kinds: ["checkpoint.new"], events: "each" });
// The first observation tells nothing.
if (destinations.length > 0) await stage.observe([]);

async function observe(block: number): Promise<void> {
  const began = performance.now();
  const owed = await stage.observe([], [checkpoint(block)]);
  const millis = performance.now() - began;
  process.send?.({ owed, millis, peakMegabytes: process.resourceUsage().maxRSS / 1000 });
}

async function end(): Promise<void> {
  close();
  await stage[Symbol.asyncDispose]();
  process.exit();
}

process.on("message", (block: number) => void observe(block));
process.on("SIGTERM", () => void end());
process.on("disconnect", () => process.exit());
process.send?.("ready");
