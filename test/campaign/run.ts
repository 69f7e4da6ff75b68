import { loadavg } from "node:os";
import { parseArgs } from "node:util";

import { DELIVERY_STEPS, type StepName } from "../../src/alerts/dependencies.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Kill } from "./bot-runs.ts";
import { onServer, serverPackageMissing, startPostgres } from "../support/postgres.ts";
import { playScene, type ScenePace } from "./scene.ts";

const HELP = `npm run campaign -- [options]
The real process is killed at every named step between observing and receipt, several times each, and at random moments;
then every owed message must be on the platforms.
  --moments N     kills at so many random moments (default 200: about an hour)
  --steps 1,2,5   kills at the nth passing of each step
  --seed N        repeats a campaign
  --scene N       plays only that scene
  --processes N   so many equal processes on one PostgreSQL, which the campaign starts (default 1, on a file): the others
                  have clocks 90 s apart; they are killed, frozen, stopped in order and cut off from the database, which
                  is restarted, and goes back by 8 s
Exit code 0: nothing was lost, doubled or out of order.`;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    moments: { type: "string", default: "200" },
    scene: { type: "string" },
    steps: { type: "string", default: "1,2,5" },
    processes: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit();
}
const companions = Number(values.processes) - 1;
const wrong =
  !Number.isSafeInteger(companions) || companions < 0
    ? `--processes ${values.processes}: it takes 1 or more.`
    : companions > 0 && serverPackageMissing !== undefined
      ? `--processes needs PostgreSQL ${serverPackageMissing}.`
      : undefined;
if (wrong !== undefined) {
  console.error(wrong);
  process.exit(1);
}
const server = companions === 0 ? undefined : await startPostgres();
const seed = Number(values.seed ?? Math.trunc(Math.random() * 1e9));
const random = new SeededRandom(seed);
/** A minute and a half. */
const KILLS_PER_SCENE = 16;
const REQUIRED_COUNTS = [
  "checkpoints and snapshots",
  "changes of markets",
  "auctions",
  "outages",
  "messages",
  "pictures",
];

const passings = values.steps.split(",").filter(Boolean).map(Number);
const kills: Kill[] = random.shuffled([
  ...[...DELIVERY_STEPS, "picture drawn" as const].flatMap((at) => passings.map((times) => ({ at, times }))),
  ...Array.from({ length: Number(values.moments) }, () => ({ after: Math.round(random.between(50, 4000)) })),
]);
const scenes = Array.from({ length: Math.ceil(kills.length / KILLS_PER_SCENE) }, (_, index) =>
  kills.slice(index * KILLS_PER_SCENE, (index + 1) * KILLS_PER_SCENE),
);

const group = companions === 0 ? "" : ` of ${values.processes} processes`;
console.log(`Campaign ${seed}${group}: ${kills.length} deaths in ${scenes.length} scenes.`);
const again = (["seed", "moments", "steps", "processes"] as const)
  .map((name) => `--${name} ${name === "seed" ? seed : values[name]}`)
  .join(" ");
const totals = new Map<string, number>();
const add = (name: string, count: number): void => void totals.set(name, (totals.get(name) ?? 0) + count);
const reached = new Set<StepName>();
let faulty = 0;
for (const [index, scene] of scenes.entries()) {
  if (values.scene !== undefined && Number(values.scene) !== index + 1) continue;
  const result = await playScene(seed + index, scene, await paceOf(index));
  for (const [name, count] of [...result.ends, ...Object.entries(result.counts)]) add(name, count);
  for (const step of result.reached) reached.add(step);
  const counts = Object.entries(result.counts).map(([name, count]) => `${count} ${name}`);
  const load = loadavg()[0]?.toFixed(1);
  console.log(`Scene ${index + 1}: ${counts.join(", ")}; ${result.faults.length} faults (load ${load})`);
  if (result.faults.length === 0) continue;
  faulty += 1;
  console.log(`  Play it again: npm run campaign -- ${again} --scene ${index + 1}`);
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
await server?.remove();
process.exitCode = faulty + unreached.length + missing.length === 0 ? 0 : 1;

/** Several processes have an empty database for each scene. */
async function paceOf(scene: number): Promise<ScenePace> {
  if (server === undefined) return {};
  const name = `scene${scene + 1}`;
  await onServer(server.url("postgres"), `create database ${name}`);
  return { shared: { url: server.url(name), companions, server } };
}
