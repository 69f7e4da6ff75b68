import type { ConditionKind } from "../../src/alerts/judge/kinds/kinds.ts";
import { encodeChunk } from "../../src/looks/columns.ts";
import type { Json, Look } from "../../src/looks/look.ts";
import type { Store } from "../../src/store/store.ts";
import { fromMillis, type Milliseconds } from "../../src/units/time.ts";

const SECOND: Milliseconds = 1000;
export const MINUTE: Milliseconds = 60 * SECOND;
export const HOUR: Milliseconds = 60 * MINUTE;
export const DAY: Milliseconds = 24 * HOUR;

/** Something that one of three nodes had, beginning so long before now. */
export interface Trouble {
  readonly ago: Milliseconds;
  readonly lasts: Milliseconds;
  readonly node?: string;
  /** How far behind it is; left out, it does not answer. */
  readonly behind?: Milliseconds;
}

/** A time so long before now in which nobody looked. */
export interface Unseen {
  readonly ago: Milliseconds;
  readonly lasts: Milliseconds;
}

interface Kept {
  readonly network?: string;
  /** Since so long. */
  readonly since: Milliseconds;
  readonly troubles?: readonly Trouble[];
  readonly unseen?: readonly Unseen[];
}

const NODES = ["sim-1", "sim-2", "sim-3"];
/** Around troubles the nodes are looked at often, else rarely: so a month is few looks. */
const [OFTEN, RARELY] = [15 * SECOND, HOUR];
const AROUND = 2 * MINUTE;

/** Looks at three nodes until now, in their order. */
export function looksUntil(now: Milliseconds, { since, troubles = [], unseen = [] }: Kept): readonly Look[] {
  const looks: Look[] = [];
  let before = RARELY;
  for (let ago = since; ago > 0;) {
    const gap = unseen.find((one) => one.ago >= ago && one.ago - one.lasts < ago);
    const isNear = (one: Trouble): boolean => ago <= one.ago + AROUND && ago > one.ago - one.lasts - AROUND;
    const next = troubles.filter((one) => ago > one.ago + AROUND).map((one) => one.ago + AROUND);
    const every = troubles.some(isNear) ? OFTEN : RARELY;
    if (gap === undefined) looks.push(lookAt(now - ago, before, seenAt(ago, troubles)));
    before = every;
    const step = gap === undefined ? ago - every : gap.ago - gap.lasts;
    ago = every === OFTEN ? step : Math.max(step, ...next.filter((begins) => begins < ago), 0);
  }
  looks.push(lookAt(now, before, seenAt(0, troubles)));
  return looks;
}

/** Keeps them, as the watchers of this process would have. */
export async function keepLooks(
  store: Pick<Store, "transaction">,
  now: Milliseconds,
  { network = "mainnet", ...kept }: Kept,
): Promise<void> {
  const looks = looksUntil(now, kept);
  const weeks = [...Map.groupBy(looks, ({ dueMillis }) => Math.floor(dueMillis / (7 * DAY))).values()];
  const chunks = await Promise.all(weeks.map(async (week) => ({ week, bytes: await encodeChunk(week) })));
  let number = 0;
  await store.transaction(async ({ looks: tables }) => {
    for (const { week, bytes } of chunks) {
      const numbers = week.map(() => (number += 1));
      const [first_at = 0, last_at = 0] = [week[0]?.dueMillis, week.at(-1)?.dueMillis];
      await tables.pack({ network, watcher: "sources" }, numbers, { first_at, last_at, bytes });
    }
  });
}

function lookAt(at: Milliseconds, every: Milliseconds, facts: Json): Look {
  return { run: "one", dueMillis: at, every, at: fromMillis(at), seen: { facts } };
}

/** What is kept of the nodes, by kind and subject. */
function seenAt(ago: Milliseconds, troubles: readonly Trouble[]): Json {
  const facts: Partial<Record<ConditionKind, Record<string, Json>>> = {
    "watch.blind": { "": { state: "good" } },
    "node.down": {},
    "node.lagging": {},
  };
  for (const node of NODES) {
    const of = troubles.find((one) => (one.node ?? "sim-2") === node && ago <= one.ago && ago > one.ago - one.lasts);
    const behindMillis = of?.behind ?? 0;
    const isDown = of !== undefined && of.behind === undefined;
    Object.assign(facts["node.down"] ?? {}, { [node]: { state: isDown ? "bad" : "good" } });
    const lag = { state: "good", behindMillis, behindBlocks: String(Math.floor(behindMillis / SECOND)) };
    Object.assign(facts["node.lagging"] ?? {}, { [node]: isDown ? { state: "unknown" } : lag });
  }
  return facts;
}

/** A month with troubles and two gaps on one network, three hours on another. */
export async function keepAMonth(store: Pick<Store, "transaction">, now: Milliseconds): Promise<void> {
  await keepLooks(store, now, {
    since: 30 * DAY,
    troubles: [
      { ago: 20 * DAY + 9 * HOUR, lasts: 14 * MINUTE, behind: 3 * MINUTE },
      { ago: 10 * DAY + 10 * HOUR, lasts: 4 * MINUTE, behind: 90 * SECOND },
      { ago: 5 * DAY + 2 * HOUR, lasts: 6 * MINUTE, behind: 3 * MINUTE, node: "sim-1" },
      { ago: 3 * DAY, lasts: 5 * MINUTE },
    ],
    unseen: [
      { ago: 25 * DAY, lasts: 6 * HOUR },
      { ago: 15 * DAY, lasts: 6 * HOUR },
    ],
  });
  await keepLooks(store, now, { network: "testnet", since: 3 * HOUR });
}
