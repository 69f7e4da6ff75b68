import { startSimulator } from "../../src/simulator/simulator.ts";
import { fromMillis } from "../../src/units/time.ts";

// A simulated network in a process of its own, whose clock stands where its parent sets it: each number sent is a time
// in Unix milliseconds, and comes back once it holds.

let now = 0;
const simulator = await startSimulator({
  now: () => fromMillis(now),
  nodesPerNetwork: Number(process.argv[2] ?? "3"),
});
process.on("message", (millis: number) => {
  now = millis;
  process.send?.(millis);
});
process.on("disconnect", () => process.exit());
process.send?.({ urls: simulator.networks.testnet.map(({ url }) => url) });
