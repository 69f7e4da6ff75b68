import type { EpisodeHistory } from "../../src/alerts/engine/engine.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { DecisionRow, DeliveryRow } from "../../src/store/alert-tables/alert-tables.ts";
import type { FakeSender, Post } from "../support/fake-sender.ts";
import type { World } from "./invariant-world.ts";

// One law: per episode and destination at most one trigger, and exactly one unless a logged decision kept it back, or
// nobody listened there while it was open; one resolve if and only if its trigger was, or may have been, sent; at most
// one escalation between them. A trigger that was dead-lettered and certainly never arrived was none: a place that was lost
// and is back, or what has got worse since, is told after all. What was held for quiet hours until it was over is told in
// their digest, once. What is suppressed because it flaps is told as that, once each time it begins to flap.

/** What befell in a script, so that a campaign can tell whether it had anything to judge. */
export interface Befallen {
  episodes: number;
  losses: number;
  /** Triggers that were sent after one had been dead-lettered. */
  toldAfterAll: number;
  held: number;
  /** Triggers that were suppressed, and were sent when nothing suppressed them any more. */
  released: number;
  flapping: number;
  /** What operators were told of tokens. */
  refusals: number;
}

/** Which laws a script has broken, and what befell in it. */
export async function judge(world: World, befallen: Befallen): Promise<string[]> {
  const { engine } = world.stage;
  const episodes = await engine.lastEpisodes(1000);
  const histories = await Promise.all(episodes.map(async ({ id }) => (await engine.why(id))!));
  const rows = (await engine.settled(10_000)).rows;
  const log = await engine.decisions({ limit: 10_000 });
  befallen.episodes += episodes.length;
  befallen.losses += world.losses;
  return [
    ...world.broken,
    ...world.channels.flatMap((sender) => [
      ...histories.flatMap((history) => episodeFaults(world, sender, history, befallen)),
      ...repeatFaults(world, sender),
      ...quietFaults(world, sender, rows),
      ...digestFaults(world, sender, histories, { rows, log }, befallen),
      ...flappingFaults(sender, histories, befallen),
    ]),
    ...operatorFaults(world, befallen),
  ];
}

const TRIGGER_PHASES = ["trigger", "fired and resolved"];
const TRIGGERS = ["WARNING", "CRITICAL", "FIRED AND RESOLVED", "FIRED AND GONE", "FIRED AND WITHDRAWN"];
const RESOLVES = ["RESOLVED", "GONE", "WITHDRAWN", "FIRED AND RESOLVED", "FIRED AND GONE", "FIRED AND WITHDRAWN"];

function kindOf({ title }: Post, row: DeliveryRow | undefined): string {
  if (title.startsWith("NO LONGER WATCHED")) {
    return row?.phase === "fired and resolved" ? "FIRED AND WITHDRAWN" : "WITHDRAWN";
  }
  return /^(?:NOW|STILL|FIRED AND (?:RESOLVED|GONE)|[A-Z]+)/u.exec(title)?.[0] ?? title;
}

function isMarked({ reply }: Post): boolean {
  return reply.blocks.some((block) => block.kind === "paragraph" && plainText(block.text).includes("may be a repeat"));
}

/** Which laws the history of one episode breaks on one platform. */
function episodeFaults(world: World, sender: FakeSender, history: EpisodeHistory, befallen: Befallen): string[] {
  const { id } = history.episode;
  const posts = sender.posts.filter(({ delivery }) => delivery.about?.episode === id);
  const rows = history.deliveries.filter(({ platform, kind }) => platform === sender.platform && kind === "message");
  const byId = new Map(rows.map((row) => [row.id, row]));
  const told = [...new Map(posts.map((post) => [post.delivery.id, kindOf(post, byId.get(post.delivery.id))])).values()];
  const count = (kinds: readonly string[]): number => told.filter((kind) => kinds.includes(kind)).length;
  const isUnknown = (row: DeliveryRow): boolean => world.unknown.has(row.id) || row.uncertain_since !== null;
  const triggers = rows.filter(({ phase }) => TRIGGER_PHASES.includes(phase));
  const lasting = triggers.filter((row) => row.state !== "dead" || row.uncertain_since !== null);
  const resolves = rows.filter(({ phase }) => phase === "resolve");
  const here = history.decisions.filter(({ destination }) => destination?.startsWith(sender.platform));
  const explained = here.some(({ what }) => /suppressed|never told/u.test(what));
  // A reason holds for as long as it lasts.
  const isDue = world.due.get(sender.platform)?.has(id) === true;
  const flaps = here.some(({ what }) => what === "suppressed by flapping");
  if (isDue && explained) befallen.released += 1;
  const heeded = world.heedable.get(sender.platform)?.has(id) === true;
  const maybe = count(TRIGGERS) === 1 || triggers.some(isUnknown);
  // A message that says both is both, also where it is refused.
  const ends = rows.filter(({ phase }) => phase === "resolve" || phase === "fired and resolved");
  const refused = ends.some(({ state }) => state === "dead");
  if (triggers.length > 1 && count(TRIGGERS) === 1) befallen.toldAfterAll += 1;
  // In order, each under its own number.
  const seqs = [...new Set(posts.map(({ delivery }) => delivery.id))].map((one) => byId.get(one)?.seq ?? 0);

  const laws: [string, boolean][] = [
    ["at most one trigger", lasting.length <= 1 && count(TRIGGERS) <= 1],
    ["at most one resolve", resolves.filter(({ state }) => state !== "dead").length <= 1 && count(RESOLVES) <= 1],
    ["at most one escalation", count(["NOW"]) <= 1],
    ["a trigger, or a reason in the log", triggers.length > 0 || explained || !heeded],
    ["a trigger once nothing keeps it back", triggers.length > 0 || !isDue || flaps],
    ["no resolve without a trigger", triggers.length > 0 || resolves.length === 0],
    ["a resolve of what may have been told", !maybe || (resolves.length === 1 && (count(RESOLVES) === 1 || refused))],
    ["nothing more of what was certainly not told", maybe || count([...RESOLVES, "NOW", "STILL"]) === 0],
    ["a trigger that did not arrive was dead-lettered", maybe || triggers.every(({ state }) => state === "dead")],
    ["order", seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0))],
  ];
  const where = `${sender.platform} ${id}: ${told.join(", ")}`;
  return laws.filter(([, holds]) => !holds).map(([law]) => `${law} (${where})`);
}

/** Nothing comes twice without saying so, nor says so without a reason. */
function repeatFaults(world: World, sender: FakeSender): string[] {
  return [...Map.groupBy(sender.posts, ({ delivery }) => delivery.id)].flatMap(([id, [first, ...repeats]]) => [
    ...repeats.filter((post) => !isMarked(post)).map(({ title }) => `unmarked repeat: ${title}`),
    ...(first !== undefined && isMarked(first) && !world.unknown.has(id)
      ? [`marked for no reason: ${first.title}`]
      : []),
  ]);
}

/** What began to be owed in quiet hours is critical, or the end of what was told before. */
function quietFaults(world: World, { platform, posts }: FakeSender, rows: readonly DeliveryRow[]): string[] {
  const times = world.quietTimes.filter((time) => time.platform === platform);
  return posts.flatMap(({ title, delivery }) => {
    const owed = rows.find(({ id }) => id === delivery.id)?.created_at ?? 0;
    const disturbed = times.some(({ after, before }) => owed > after && owed < before);
    return disturbed && /^(?:WARNING|FLAPPING)/u.test(title) ? [`${platform} was disturbed: ${title}`] : [];
  });
}

/** Each episode that was held for a digest is in one, and in no other, unless nobody there listens when it goes. */
function digestFaults(
  world: World,
  { platform, posts }: FakeSender,
  histories: readonly EpisodeHistory[],
  { rows, log }: { readonly rows: readonly DeliveryRow[]; readonly log: readonly DecisionRow[] },
  befallen: Befallen,
): string[] {
  const dropped = log
    .filter(({ what, destination }) => what === "suppressed by a change" && destination?.startsWith(platform))
    .reduce((sum, { detail }) => sum + Number.parseInt(detail ?? "", 10), 0);
  const held = histories.flatMap(({ decisions }) =>
    decisions.filter(({ what, destination }) => what === "held for the digest" && destination?.startsWith(platform)),
  ).length;
  const digests = new Map(
    posts.map(({ delivery, title }) => [delivery.id, /^DIGEST · (\d+) alerts? that/u.exec(title)]),
  );
  const said = [...digests.values()].reduce((sum, match) => sum + Number(match?.[1] ?? 0), 0);
  const lost = rows.some((row) => row.platform === platform && row.phase === "digest" && row.state === "dead");
  befallen.held += said;
  const right = said === held - dropped || (said < held && (lost || world.losses + world.tokensLost > 0));
  return right ? [] : [`${platform}: ${held} episodes were held for a digest, and ${said} were told in one`];
}

/** Whoever is kept from being told because it flaps is told that it does: once each time that it begins. */
function flappingFaults({ platform }: FakeSender, histories: readonly EpisodeHistory[], befallen: Befallen): string[] {
  const machines = Map.groupBy(histories, ({ episode: { rule, network, subject } }) => `${rule}|${network}|${subject}`);
  return [...machines].flatMap(([machine, all]) => {
    const periods: EpisodeHistory[][] = [];
    for (const history of all.toSorted((a, b) => a.episode.number - b.episode.number)) {
      if (history.decisions.some(({ what }) => what === "flapping")) periods.push([]);
      periods.at(-1)?.push(history);
    }
    return periods.flatMap((period) => {
      const kept = period.some(({ decisions }) =>
        decisions.some(
          ({ what, destination }) => what === "suppressed by flapping" && destination?.startsWith(platform),
        ),
      );
      const told = period.flatMap(({ deliveries }) =>
        deliveries.filter((row) => row.phase === "flapping" && row.platform === platform),
      ).length;
      befallen.flapping += told;
      return told === (kept ? 1 : 0) ? [] : [`${platform}: that ${machine} flaps was told ${told} times`];
    });
  });
}

/** The operators hear of each loss once, and of each refused token once that it is so and once that it is over. */
function operatorFaults({ operators, losses, channels }: World, befallen: Befallen): string[] {
  const told = operators.posts.filter(({ title }) => title.includes("can no longer be reached")).length;
  const lost = told === losses ? [] : [`the operators were told of ${told} of ${losses} losses`];
  const tokens = channels.flatMap(({ platform }) => {
    const titles = operators.posts
      .map(({ title }) => title)
      .filter((title) => title.includes(` ${platform} `) && title.includes("the bot"));
    const history = titles
      .map((title) => (/RESOLVED/u.test(title) ? "." : /removed/u.test(title) ? "!" : "?"))
      .join("");
    befallen.refusals += titles.length;
    return /^(?:(?:\?!?|!)\.)*$/u.test(history) ? [] : [`the operators were told of tokens on ${platform}: ${history}`];
  });
  return [...lost, ...tokens];
}
