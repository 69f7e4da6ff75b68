import { parseArgs } from "node:util";

import { startSimulator } from "../../src/simulator/simulator.ts";
import { nanoseconds } from "../../src/units/time.ts";

// The data nodes of a campaign, in a process of their own: a simulated network whose time runs faster than ours.

const { values } = parseArgs({
  options: { seed: { type: "string" }, from: { type: "string" }, speed: { type: "string" } },
});
const from = BigInt(values.from ?? "0");
const speed = Number(values.speed ?? "1");
const begun = performance.now();

const simulator = await startSimulator({
  seed: values.seed ?? "campaign",
  rateLimit: false,
  now: () => nanoseconds(from + BigInt(Math.round((performance.now() - begun) * speed * 1e6))),
});
console.log(JSON.stringify({ url: simulator.url, nodes: simulator.networks.testnet.map(({ url }) => url) }));
process.on("disconnect", () => process.exit());
