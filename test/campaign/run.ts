import { loadavg } from "node:os";
import { parseArgs } from "node:util";

import { DELIVERY_STEPS, type StepName } from "../../src/alerts/dependencies.ts";
import { Dice } from "./chance.ts";
import type { Death } from "./lives.ts";
import { playScene } from "./scene.ts";

// `npm run campaign`: the real process is killed at every named step between observing and receipt, several times
// each, and at random moments; then everything that was owed must stand on the platforms. `-- --moments 20` makes it
// shorter, `-- --seed N` plays one again, `-- --scene N` only one scene.

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    moments: { type: "string", default: "200" },
    scene: { type: "string" },
    steps: { type: "string", default: "1,2,5" },
  },
});
const seed = Number(values.seed ?? Math.trunc(Math.random() * 1e9));
const dice = new Dice(seed);
/** So many deaths a scene: a minute and a half. */
const A_SCENE = 16;
const MUST_BE_TOLD = ["checkpoints and snapshots", "changes of markets", "auctions", "outages", "messages"];

const passings = values.steps.split(",").filter(Boolean).map(Number);
const deaths: Death[] = dice.shuffled([
  ...DELIVERY_STEPS.flatMap((at) => passings.map((times) => ({ at, times }))),
  ...Array.from({ length: Number(values.moments) }, () => ({ after: Math.round(dice.between(50, 4000)) })),
]);
const scenes = Array.from({ length: Math.ceil(deaths.length / A_SCENE) }, (_, index) =>
  deaths.slice(index * A_SCENE, (index + 1) * A_SCENE),
);

console.log(`Campaign ${seed}: ${deaths.length} deaths in ${scenes.length} scenes.`);
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
  for (const line of [...result.faults.map((fault) => `FAULT ${fault}`), ...result.story]) console.log(`  ${line}`);
}
console.log([...totals].map(([name, count]) => `${String(count).padStart(7)} ${name}`).join("\n"));
const spared =
  values.scene === undefined && passings.length > 0 ? DELIVERY_STEPS.filter((step) => !reached.has(step)) : [];
// A step that is never passed proves nothing.
if (spared.length > 0) console.log(`FAULT never killed at: ${spared.join(", ")}`);
const untold = values.scene === undefined ? MUST_BE_TOLD.filter((name) => (totals.get(name) ?? 0) === 0) : [];
// What the judge never finds, it has not judged.
if (untold.length > 0) console.log(`FAULT never told: ${untold.join(", ")}`);
console.log(faulty === 0 ? "Nothing was lost, doubled or out of order." : `${faulty} scenes went wrong.`);
process.exitCode = faulty + spared.length + untold.length === 0 ? 0 : 1;
