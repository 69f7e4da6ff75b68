import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { commands } from "../commands/index.ts";
import type { GivenParameters } from "../src/alerts/judge/kinds/kind.ts";
import type { ConditionKind } from "../src/alerts/judge/kinds/kinds.ts";
import { type Rule, ruleFor } from "../src/alerts/judge/rules/rules.ts";
import { otherThresholds } from "../src/alerts/trial/advice.ts";
import type { TrialAnswer, TrialRequest } from "../src/alerts/trial/trial.ts";
import { createApiClient } from "../src/api/client/client.ts";
import { createBot } from "../src/bot/bot.ts";
import { silentLog } from "../src/log.ts";
import { type ReadPage, pageReader } from "../src/looks/read.ts";
import { createTrials, type Message, threadEnv } from "../src/main/alerting/trials.ts";
import { tryRules } from "../src/main/trial.ts";
import { fullText } from "../src/reply/full-text.ts";
import { startSimulator } from "../src/simulator/simulator.ts";
import { createStore } from "../src/store/create-store.ts";
import type { Store } from "../src/store/store.ts";
import { DAY, fromMillis, toMillis } from "../src/units/time.ts";
import { alertService } from "../test/support/alert-service.ts";
import { exportJobsOn } from "../test/support/export-jobs.ts";
import { PLATFORMS } from "../test/support/platforms.ts";
import {
  CONFIG,
  hoursOfDays,
  hoursOfLooks,
  keepHours,
  planOfThree,
  SOURCES,
  storeOfDays,
} from "./support/days-of-three.ts";
import { scratchFolder } from "./support/export-once.ts";
import { atMost, type Figure, type Measured, median, runAsScript } from "./support/figure.ts";
import type { WorldPlan } from "./verdicts/world.ts";

// What `alerts try` costs: the looks of a month of three nodes are gone through for a subscription to node.lagging, in this
// process; `--days=N` is shorter than a month. Then drawn worlds of a day, of which each kind is tried, and months of the
// dearest, each in a thread of its own as the bot has it: what ran before in another one makes it no slower. Then how long
// `alerts add` takes to answer where looks are kept, and what they would have told is added later, by turns with answers
// where none are.

const DAYS = Number(process.argv.find((argument) => /^--days=\d+$/u.test(argument))?.slice(7) ?? 30);
const ROUNDS = 5;

/** No lag was as long, some were, and very many. */
const FAR = { behind: 2_592_000_000, blocks: 1_000_000_000 };
const NEAR = { behind: 6000, for: 0 };
const NEAREST = { behind: 3000, for: 0 };

async function measure(): Promise<readonly Measured[]> {
  await using folder = await scratchFolder();
  const { store, count } = await storeOfDays(`${folder.path}/looks.db`, DAYS);
  const readPage = pageReader(store);
  const month = `${DAYS} days of three nodes, ${count} looks`;
  const rule = ruleFor("node.lagging", NEAREST, CONFIG);
  const eight = [{}, ...otherThresholds(rule.parameters)].map((other) => ({ ...NEAREST, ...other }));
  const figures = [
    await take("alerts try: one threshold, far from all that was seen", 0.2, readPage, [FAR], month),
    await take("alerts try: one threshold", 1.2, readPage, [NEAR], month),
    await take("alerts try: one threshold that is crossed all the time", 1.2, readPage, [NEAREST], month),
    await take("alerts try: with the others of the advice", 6, readPage, eight, month),
    await dearestWorld(store, (count / DAYS) * 30),
  ];
  await store.close();
  return [...figures, ...(await addBeside())];
}

/** So many subscriptions are made by each of the two, and days are kept of which they are tried. */
const [ADDED, ADDED_WARM, KEPT_DAYS] = [600, 40, 2];

async function addBeside(): Promise<readonly Figure[]> {
  await using folder = await scratchFolder();
  const log = silentLog();
  const simulator = await startSimulator({ log });
  const client = createApiClient({ network: SOURCES.network, simulated: true, log, nodes: simulator.networks.mainnet });
  const store = createStore({ url: `file:${folder.path}/add.db`, log });
  await store.claim();
  await store.ping();
  const hours = [...hoursOfLooks(Array.from({ length: KEPT_DAYS }, (_, day) => planOfThree(day)))];
  await keepHours(store, hours);
  const now = hours.at(-1)?.at(-1)?.at ?? fromMillis(0);
  const trials = createTrials(store, CONFIG);
  let isTried = true;
  const nothing: TrialAnswer = { trials: [], seen: undefined, gaps: [], damaged: 0 };
  // One bot is both: of two, each would read again what the other one has written.
  const bot = createBot({
    platforms: PLATFORMS,
    commands,
    clients: [client],
    seen: store.seen,
    parties: store.parties,
    exports: exportJobsOn(store, folder.path, { log }),
    alerts: alertService(store, { trial: async (...asked) => (isTried ? trials(...asked) : nothing) }),
    log,
    now: () => now,
  });
  let [count, amended] = [0, 0];
  const { signal } = new AbortController();
  const add = async (): Promise<number> => {
    const id = String((count += 1));
    const here = { platform: "discord", workspace: "9", channel: id, files: { maxBytes: 1e6, maxCount: 1 } };
    const asker = { here, caller: { id, name: "bench", mayManageChannel: true }, signal };
    const began = performance.now();
    const answer = await bot.runLine(`alerts add node.lagging behind:${count}s`, asker);
    const millis = performance.now() - began;
    if (answer.failure !== undefined) throw new Error(fullText(answer));
    if ((await answer.later?.(signal)) !== undefined) amended += 1;
    return millis;
  };
  const taken: readonly [number[], number[]] = [[], []];
  for (let round = 1 - ADDED_WARM; round <= ADDED; round += 1) {
    for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      // After an answer without a trial each time: one after a trial is faster, so that half of each were.
      isTried = false;
      await add();
      isTried = which === 0;
      const millis = await add();
      if (round > 0) taken[which].push(millis);
    }
  }
  await Promise.all([client.close(), simulator.close(), store.close()]);
  const [kept, none] = taken.map((all) => all.toSorted((a, b) => a - b));
  return [0.5, 0.99].map((share) => {
    const [ours = Number.NaN, before = Number.NaN] = [kept, none].map((all) => all?.[Math.floor(ADDED * share)]);
    const detail = `${ours.toFixed(2)} ms where looks are kept, ${before.toFixed(2)} ms where none are; ${ADDED} of each by turns, ${amended} amended later`;
    return atMost(`alerts add: answered, ${100 * share} %`, ours / before, 1.05, "times as long", detail);
  });
}

async function take(
  name: string,
  most: number,
  readPage: ReadPage,
  given: readonly GivenParameters[],
  month: string,
): Promise<Figure> {
  const rules = given.map((one) => ruleFor("node.lagging", one, CONFIG));
  const { seconds, first, told } = await cpuOf(readPage, rules);
  const detail = `${month}; ${given.length} tried, the first told ${told} times; median of ${ROUNDS}, before them ${first.toFixed(2)}`;
  return atMost(name, seconds, most, "s of CPU", detail);
}

/** The median of some rounds, and the first one before them. */
async function cpuOf(readPage: ReadPage, rules: readonly Rule[], { network }: { readonly network: string } = SOURCES) {
  const tried = rules.map((rule) => ({ rules: [rule], subjects: [] }));
  const request = { network, from: 0, to: Number.MAX_SAFE_INTEGER, tried, config: CONFIG };
  const seconds: number[] = [];
  let told = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const before = process.cpuUsage();
    const { trials } = await tryRules(readPage, request);
    const { user, system } = process.cpuUsage(before);
    seconds.push((user + system) / 1e6);
    told = trials[0]?.episodes.length ?? 0;
  }
  const [first = Number.NaN, ...rest] = seconds;
  return { seconds: median(rest), first, told };
}

/** What the thread of a trial takes, its start included, and the whole process meanwhile: median of some threads. */
async function cpuOfThread(store: Store, request: TrialRequest) {
  const readPage = pageReader(store);
  const [own, whole]: [number[], number[]] = [[], []];
  let told = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const seconds = new Float64Array(new SharedArrayBuffer(8));
    const before = process.cpuUsage();
    const { keep, flap } = CONFIG;
    const worker = new Worker(new URL("support/timed-trial.ts", import.meta.url), {
      workerData: { request: { ...request, config: { keep, flap } }, endsAt: Infinity, seconds },
      env: threadEnv(),
      execArgv: [],
    });
    worker.on("message", (message: Message) => {
      if ("query" in message) void readPage(message.query).then((page) => worker.postMessage(page, []));
      else if ("answer" in message) told = message.answer.trials[0]?.episodes.length ?? 0;
    });
    await once(worker, "exit");
    const { user, system } = process.cpuUsage(before);
    own.push(seconds[0] ?? Number.NaN);
    whole.push((user + system) / 1e6);
  }
  return { seconds: median(own), all: median(whole), told };
}

/** So many worlds of a day are tried, by a threshold of each kind that is crossed as often as can be. */
const WORLDS = 36;
const SENSITIVE: readonly (readonly [ConditionKind, GivenParameters])[] = [
  ["node.lagging", NEAREST],
  ["node.lagging", { behind: 2000, blocks: 3, for: 0 }],
  ["node.down", { rounds: 1 }],
  ["node.refuses", { for: 10_000 }],
  ["network.stalled", { for: 5000, criticalFor: 20_000 }],
  ["network.disagree", { for: 5000, criticalFor: 20_000 }],
  ["network.clock", { drift: 1500, for: 0 }],
  ["watch.blind", { rounds: 2 }],
];

/** So many of the days that look dearest are lengthened to months: a day alone is tried in too short a time to tell. */
const MONTHS = 3;

/** Days are tried in this process, then months like the dearest of them; each world is kept as a network of its own. */
async function dearestWorld(store: Store, looksOfMonth: number): Promise<Figure> {
  const days: { readonly month: number; readonly plan: WorldPlan; readonly rule: Rule }[] = [];
  for (let day = 0; day < WORLDS; day += 1) {
    const plan = planOfThree(day);
    const of = { ...SOURCES, network: `day ${plan.seed}` };
    const count = await keepHours(store, hoursOfLooks([plan]), of);
    for (const [kind, given] of SENSITIVE) {
      const rule = ruleFor(kind, given, CONFIG);
      const { seconds } = await cpuOf(pageReader(store), [rule], of);
      days.push({ month: (seconds * looksOfMonth) / count, plan, rule });
    }
  }
  const within = days.filter(({ month }) => month <= 1.2).length;
  let [worst, detail] = [0, ""];
  for (const { month, plan, rule } of days.toSorted((a, b) => b.month - a.month).slice(0, MONTHS)) {
    const of = { ...SOURCES, network: `month of ${plan.seed}, ${rule.id}` };
    const count = await keepHours(store, hoursOfDays(plan, 30), of);
    const [first] = hoursOfDays(plan, 1);
    const from = toMillis(first?.[0]?.at ?? fromMillis(0));
    const tried = [{ rules: [rule], subjects: [] }];
    const { seconds, all, told } = await cpuOfThread(store, { ...of, from, to: from + 30 * DAY, tried });
    const one = `seed ${plan.seed}, ${rule.id}, ${count} looks: ${seconds.toFixed(2)} s, ${all.toFixed(2)} with what V8 does beside it, told ${told} times, by its day ${month.toFixed(2)} s`;
    worst = Math.max(worst, seconds);
    detail += `; ${one}`;
  }
  const all = `by their days ${within} of ${days.length} within the bound${detail}`;
  return atMost("alerts try: one threshold, a month of days like the dearest", worst, 1.2, "s of CPU", all);
}

await runAsScript(import.meta.url, measure);
