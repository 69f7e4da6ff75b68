import { loadavg } from "node:os";
import { parseArgs } from "node:util";

import { DELIVERY_STEPS, type StepName } from "../../src/alerts/dependencies.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Kill } from "./bot-runs.ts";
import { playScene } from "./scene.ts";

// `npm run campaign`: the real process is killed at every named step between observing and receipt, several times
// each, and at random moments; then every owed message must be on the platforms. `-- --moments 20` makes it shorter,
// `-- --seed N` repeats one, `-- --scene N` plays only one scene.

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    moments: { type: "string", default: "200" },
    scene: { type: "string" },
    steps: { type: "string", default: "1,2,5" },
  },
});
const seed = Number(values.seed ?? Math.trunc(Math.random() * 1e9));
const random = new SeededRandom(seed);
/** A minute and a half. */
const KILLS_PER_SCENE = 16;
const REQUIRED_COUNTS = ["checkpoints and snapshots", "changes of markets", "auctions", "outages", "messages"];

const passings = values.steps.split(",").filter(Boolean).map(Number);
const kills: Kill[] = random.shuffled([
  ...DELIVERY_STEPS.flatMap((at) => passings.map((times) => ({ at, times }))),
  ...Array.from({ length: Number(values.moments) }, () => ({ after: Math.round(random.between(50, 4000)) })),
]);
const scenes = Array.from({ length: Math.ceil(kills.length / KILLS_PER_SCENE) }, (_, index) =>
  kills.slice(index * KILLS_PER_SCENE, (index + 1) * KILLS_PER_SCENE),
);

console.log(`Campaign ${seed}: ${kills.length} deaths in ${scenes.length} scenes.`);
const totals = new Map<string, number>();
const add = (name: string, count: number): void => void totals.set(name, (totals.get(name) ?? 0) + count);
const reached = new Set<StepName>();
let faulty = 0;
for (const [index, scene] of scenes.entries()) {
  if (values.scene !== undefined && Number(values.scene) !== index + 1) continue;
  const result = await playScene(seed + index, scene);
  for (const [name, count] of [...result.ends, ...Object.entries(result.counts)]) add(name, count);
  for (const step of result.reached) reached.add(step);
  const counts = Object.entries(result.counts).map(([name, count]) => `${count} ${name}`);
  const load = loadavg()[0]?.toFixed(1);
  console.log(`Scene ${index + 1}: ${counts.join(", ")}; ${result.faults.length} faults (load ${load})`);
  if (result.faults.length === 0) continue;
  faulty += 1;
  console.log(`  Play it again: npm run campaign -- --seed ${seed} --moments ${values.moments} --scene ${index + 1}`);
  for (const line of [...result.faults.map((fault) => `FAULT ${fault}`), ...result.timeline]) console.log(`  ${line}`);
}
console.log([...totals].map(([name, count]) => `${String(count).padStart(7)} ${name}`).join("\n"));
const unreached =
  values.scene === undefined && passings.length > 0 ? DELIVERY_STEPS.filter((step) => !reached.has(step)) : [];
// A step that is never passed proves nothing.
if (unreached.length > 0) console.log(`FAULT never killed at: ${unreached.join(", ")}`);
const missing = values.scene === undefined ? REQUIRED_COUNTS.filter((name) => (totals.get(name) ?? 0) === 0) : [];
// A kind of message that never occurs was not judged.
if (missing.length > 0) console.log(`FAULT never told: ${missing.join(", ")}`);
console.log(faulty === 0 ? "Nothing was lost, doubled or out of order." : `${faulty} scenes went wrong.`);
process.exitCode = faulty + unreached.length + missing.length === 0 ? 0 : 1;
