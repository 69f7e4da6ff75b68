import type { GivenParameters } from "../src/alerts/judge/kinds/kind.ts";
import { ruleFor } from "../src/alerts/judge/rules/rules.ts";
import { otherThresholds } from "../src/alerts/trial/advice.ts";
import { silentLog } from "../src/log.ts";
import { type ReadPage, pageReader } from "../src/looks/read.ts";
import { tryRules } from "../src/main/trial.ts";
import { createStore } from "../src/store/create-store.ts";
import { CONFIG, hoursOfLooks, keepHours, planOfThree, SOURCES } from "./support/days-of-three.ts";
import { scratchFolder } from "./support/export-once.ts";
import { atMost, type Figure, type Measured, median, runAsScript } from "./support/figure.ts";

// What `alerts try` costs: a month of three nodes, of which a subscription to node.lagging is tried. `--days=N` is
// shorter than a month.

const DAYS = Number(process.argv.find((argument) => /^--days=\d+$/u.test(argument))?.slice(7) ?? 30);
const ROUNDS = 5;

/** No lag was as long, some were, and very many. */
const FAR = { behind: 2_592_000_000, blocks: 1_000_000_000 };
const NEAR = { behind: 6000, for: 0 };
const NEAREST = { behind: 3000, for: 0 };

async function measure(): Promise<readonly Measured[]> {
  await using folder = await scratchFolder();
  const store = createStore({ url: `file:${folder.path}/looks.db`, log: silentLog() });
  await store.claim();
  await store.ping();
  const plans = Array.from({ length: DAYS }, (_, day) => planOfThree(day));
  const count = await keepHours(store, hoursOfLooks(plans));
  const readPage = pageReader(store);
  const month = `${DAYS} days of three nodes, ${count} looks`;
  const rule = ruleFor("node.lagging", NEAREST, CONFIG);
  const eight = [{}, ...otherThresholds(rule.parameters)].map((other) => ({ ...NEAREST, ...other }));
  const figures = [
    await take("alerts try: one threshold, far from all that was seen", 0.2, readPage, [FAR], month),
    await take("alerts try: one threshold", 1.2, readPage, [NEAR], month),
    await take("alerts try: one threshold that is crossed all the time", 1.2, readPage, [NEAREST], month),
    await take("alerts try: with the others of the advice", 6, readPage, eight, month),
  ];
  await store.close();
  return figures;
}

async function take(
  name: string,
  most: number,
  readPage: ReadPage,
  given: readonly GivenParameters[],
  month: string,
): Promise<Figure> {
  const tried = given.map((one) => ({ rules: [ruleFor("node.lagging", one, CONFIG)], subjects: [] }));
  const all = { network: SOURCES.network, from: 0, to: Number.MAX_SAFE_INTEGER, tried, config: CONFIG };
  const seconds: number[] = [];
  let told = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = process.cpuUsage();
    const { trials } = await tryRules(readPage, all);
    const { user, system } = process.cpuUsage(before);
    seconds.push((user + system) / 1e6);
    told = trials[0]?.episodes.length ?? 0;
  }
  const [first = Number.NaN, ...rest] = seconds;
  const detail = `${month}; ${given.length} tried, the first told ${told} times; median of ${ROUNDS}, before them ${first.toFixed(2)}`;
  return atMost(name, median(rest), most, "s of CPU", detail);
}

await runAsScript(import.meta.url, measure);
