import { expect, test } from "vitest";

import { renderTerminal } from "../../../src/adapters/terminal/render/render.ts";
import { DEFAULT_ALERTS_CONFIG } from "../../../src/alerts/alerts-config.ts";
import { timeToText } from "../../../src/alerts/judge/kinds/json-fields.ts";
import type { Episode } from "../../../src/alerts/judge/rules/episode.ts";
import type { ChosenKinds } from "../../../src/alerts/route/subscription.ts";
import { adviceOf, type Counted, otherThresholds } from "../../../src/alerts/trial/advice.ts";
import type { TrialRequest } from "../../../src/alerts/trial/trial.ts";
import { trialReply } from "../../../src/answers/alerts/subscriptions/trial-reply.ts";
import { othersOf, type Tried, tryAll } from "../../../src/answers/alerts/subscriptions/try-subscription.ts";
import { pageReader } from "../../../src/looks/read.ts";
import { lookToText } from "../../../src/looks/look.ts";
import { tryNewestFirst } from "../../../src/main/alerting/newest-first.ts";
import type { Store } from "../../../src/store/store.ts";
import { fromMillis, toMillis } from "../../../src/units/nanoseconds.ts";
import { down } from "../../alerts/readings.ts";
import { ann, OPS } from "../../commands/alert-channel.ts";
import { DAY, HOUR, looksUntil, MINUTE, type Trouble } from "../../support/kept-looks.ts";
import { PLATFORMS } from "../../support/platforms.ts";
import { NOON } from "../../support/talk.ts";

const NOW = toMillis(NOON);

interface Situation {
  readonly kind: "node.down" | "node.lagging";
  readonly given: Readonly<Record<string, number>>;
  readonly troubles?: readonly Trouble[];
  /** Outages that somebody acknowledged. */
  readonly taken?: readonly Trouble[];
}

/** So many troubles of one length, evenly over the month. */
function often(count: number, trouble: Omit<Trouble, "ago">): readonly Trouble[] {
  return Array.from({ length: count }, (_, index) => ({ ...trouble, ago: (29 * DAY * (index + 1)) / count }));
}

const LONG: readonly Trouble[] = [
  { ago: 12 * DAY + 5 * HOUR, lasts: 20 * MINUTE },
  { ago: 4 * DAY + 7 * HOUR, lasts: 40 * MINUTE },
];

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "a node that is away for half a minute, many times a day": {
    kind: "node.down",
    given: { rounds: 1 },
    troubles: [...often(90, { lasts: 30_000 }), ...LONG],
  },
  "a quiet month": { kind: "node.down", given: { rounds: 1 } },
  "one long outage": { kind: "node.down", given: { rounds: 2 }, troubles: LONG.slice(0, 1) },
  "lags that never reach the threshold": {
    kind: "node.lagging",
    given: { behind: 90_000, for: 0 },
    troubles: often(4, { lasts: 5 * MINUTE, behind: 50_000 }),
  },
  "lags that are soon over": {
    kind: "node.lagging",
    given: { behind: 20_000, for: 0 },
    troubles: [...often(12, { lasts: MINUTE, behind: 50_000 }), { ago: 3.2 * DAY, lasts: 10 * MINUTE, behind: 80_000 }],
  },
  "an outage that somebody took care of, and a threshold above it": {
    kind: "node.down",
    given: { rounds: 50 },
    troubles: [{ ago: 9 * DAY, lasts: 8 * MINUTE }],
    taken: [{ ago: 9 * DAY, lasts: 8 * MINUTE }],
  },
  "short outages of which somebody took care": {
    kind: "node.down",
    given: { rounds: 1 },
    troubles: often(10, { lasts: 30_000 }),
    taken: often(10, { lasts: 30_000 }).slice(0, 1),
  },
  "many lags, each of them long": {
    kind: "node.lagging",
    given: { behind: 20_000, for: 0 },
    troubles: often(40, { lasts: 15 * MINUTE, behind: 90_000 }),
  },
};

async function toldOf({ kind, given, troubles = [], taken = [] }: Situation): Promise<string> {
  const rows = looksUntil(NOW, { since: 30 * DAY, troubles }).map((look, index) => ({
    number: index + 1,
    at: toMillis(look.at),
    data: lookToText(look),
  }));
  const tables = {
    looks: {
      packed: async () => [],
      tailBetween: async ({ after, limit }: { after: number; limit: number }) =>
        rows.filter((row) => row.number > after).slice(0, limit),
    },
  };
  const store: Pick<Store, "read"> = { read: async (ask) => ask(tables as never) };
  const config = DEFAULT_ALERTS_CONFIG;
  const alerts = {
    config,
    trial: (request: TrialRequest) => tryNewestFirst(pageReader(store), { ...request, config }, 10_000),
    episodesBetween: async () => taken.map(takenEpisode),
  };
  const chosen: ChosenKinds = { kinds: [kind] };
  const tried: Tried = { network: "mainnet", ...chosen, subjects: [], parameters: { [kind]: given }, floor: "info" };
  const others = othersOf(tried, config);
  const answer = await tryAll(
    [tried, ...others.map((one) => one.tried)],
    { from: NOW - 30 * DAY, to: NOW },
    { alerts, network: "mainnet", signal: new AbortController().signal, here: OPS, caller: ann, platforms: PLATFORMS },
  );
  const reply = trialReply(tried, answer, others, { labels: {}, zone: "UTC", now: NOW, options: { kinds: kind } });
  const short = { ...reply, blocks: reply.blocks.filter(({ kind: block }) => block === "paragraph") };
  return renderTerminal(short, { width: 80, colour: false, links: false, now: NOON });
}

function takenEpisode({ ago, lasts }: Trouble): Episode {
  const [began, ended] = [timeToText(fromMillis(NOW - ago)), timeToText(fromMillis(NOW - ago + lasts))];
  return {
    id: "node.down|mainnet|sim-2|1",
    rule: "node.down",
    kind: "node.down",
    network: "mainnet",
    subject: "sim-2",
    number: 1,
    state: "resolved",
    severity: "warning",
    began,
    detected: began,
    ended,
    first: down("bad", "sim-2"),
    last: down("good", "sim-2"),
    acknowledged: { by: "ann", at: began },
  };
}

test("each situation has its advice, and none where nothing is better", async () => {
  let said = "";
  for (const [name, situation] of Object.entries(SITUATIONS)) said += `# ${name}\n${await toldOf(situation)}\n`;
  await expect(said).toMatchFileSnapshot("../../golden/advice.txt");
});

test("no more than eight others are tried, each differing from what is asked for", () => {
  for (const parameters of [
    { behind: 45_000, blocks: 100, for: 45_000 },
    { rounds: 1 },
    { rounds: 3 },
    { percent: "0.5" },
    { for: 0, criticalFor: 60_000 },
  ]) {
    const others = otherThresholds(parameters);
    expect(others.length).toBeGreaterThan(0);
    expect(others.length).toBeLessThanOrEqual(8);
    const texts = others.map((one) => JSON.stringify({ ...parameters, ...one }));
    expect(new Set([...texts, JSON.stringify(parameters)]).size).toBe(others.length + 1);
  }
});

test("nothing is advised under which an acknowledged alert would not have come", () => {
  const counted = (count: number, missed: number): Counted => ({
    told: Array.from({ length: count }, (_, index) => ({ subject: "a", began: index, fired: index, ended: index })),
    missed,
  });
  const all = [0, 1, 5, 40].flatMap((count) => [0, 1].map((missed) => counted(count, missed)));
  for (const asked of all) expect(adviceOf(asked, all, 30)?.better.missed ?? 0).toBe(0);
});
