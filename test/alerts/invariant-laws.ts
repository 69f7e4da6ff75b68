import type { DecisionRow, DeliveryRow } from "../../src/store/alert-tables/alert-tables.ts";
import type { FakeSender, Post } from "../support/fake-sender.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { alertOf, episodesIn, isRepeat, wordedAlert } from "../support/gist.ts";
import type { World } from "./invariant-world.ts";
import type { EpisodeHistory } from "../../src/alerts/service/service.ts";

// One law: per episode and destination at most one trigger, and exactly one unless a logged decision suppressed it, or
// nobody was subscribed there while it was open; one resolve if and only if its trigger was, or may have been, sent; at most
// one escalation between them. A trigger that was dead-lettered and certainly never arrived does not count: a destination
// that was lost and is back, or a worse severity, gets another one. An episode that was held for quiet hours until it was
// over is in their digest, once. An episode suppressed by flapping has a flapping notice, once each time it begins to flap.

/** How often scripts reached each law, so that a campaign can see whether it had anything to judge. */
export interface Counts {
  episodes: number;
  losses: number;
  /** Triggers that were sent after one had been dead-lettered. */
  sentAfterDeadLetter: number;
  held: number;
  /** Triggers that were suppressed, and were sent when nothing suppressed them any more. */
  released: number;
  flapping: number;
  /** Triggers that the message of another one says. */
  grouped: number;
  /** Notices to operators about tokens. */
  refusals: number;
}

/** The laws that a script has broken. Adds to the counts. */
export async function judge(world: World, counts: Counts): Promise<string[]> {
  const { engine } = world.stage;
  const episodes = await engine.lastEpisodes(1000);
  const histories = await Promise.all(episodes.map(async ({ id }) => (await engine.history(id))!));
  const rows = await engine.finished(10_000);
  const log = await engine.decisions({ limit: 10_000 });
  counts.episodes += episodes.length;
  return [
    ...world.broken,
    ...world.channels.flatMap((sender) => [
      ...histories.flatMap((history) => episodeFaults(world, sender, history, counts)),
      ...repeatFaults(world, sender),
      ...quietFaults(world, sender, rows, histories),
      ...digestFaults(world, sender, histories, { rows, log }, counts),
      ...flappingFaults(sender, histories, counts),
    ]),
    ...operatorFaults(world, rows, counts),
  ];
}

const TRIGGER_PHASES = ["trigger", "fired and resolved"];
/** Whether a post of a delivery has buttons that act. */
function isActing({ delivery, reply }: Post, id: string): boolean {
  const acts = (action: Reply["actions"][number]): boolean =>
    "invocation" in action && action.invocation.command !== "alerts why";
  return delivery.id === id && reply.actions.some(acts);
}

const TRIGGERS = ["warning", "critical", "fired and resolved", "fired and gone", "fired and withdrawn"];
const RESOLVES = ["resolved", "gone", "withdrawn", "fired and resolved", "fired and gone", "fired and withdrawn"];

/** What a message of several says of one of them, by its own delivery. */
const SAID: Readonly<Record<string, string>> = { trigger: "warning", escalation: "now", resolve: "resolved" };

/** Whether a message, as it was posted or as an edit shows it, says an episode. */
function isSaid({ posts, edits }: FakeSender, delivery: string, episode: string): boolean {
  const own = posts.filter((post) => post.delivery.id === delivery);
  const messages = new Set(own.map(({ message }) => message));
  const shown = [...own, ...edits.filter(({ message }) => messages.has(message))];
  return shown.some(({ reply }) => episodesIn(reply).includes(episode));
}

function kindOf({ gist, reply }: Post, row?: DeliveryRow): string {
  // A trigger that comes again, since it may have arrived, shows how the alert stands by then; so does what was changed
  // before it was sent, such as an escalation that is acknowledged by then.
  const alert = wordedAlert(reply);
  const isChanged = alert?.type === "condition" && alert.phase === "state" && alert.episode.ended === undefined;
  if (row !== undefined && (row.phase === "trigger" || isChanged || episodesIn(reply).length > 1))
    return SAID[row.phase] ?? row.phase;
  return /^(?:now|still|fired and \w+|\w+)/u.exec(gist)?.[0] ?? gist;
}

/** The laws that the history of one episode breaks on one platform. */
function episodeFaults(world: World, sender: FakeSender, history: EpisodeHistory, counts: Counts): string[] {
  const { id } = history.episode;
  const posts = sender.posts.filter(({ delivery }) => delivery.about?.episode === id);
  const carriers = history.deliveries.filter(({ platform }) => platform === sender.platform);
  const byId = new Map(carriers.map((row) => [row.id, row]));
  const items = history.items.flatMap((item) => {
    const carrier = byId.get(item.delivery);
    return carrier === undefined ? [] : [{ ...carrier, ...item, carrier: carrier.id }];
  });
  const rows = [
    ...carriers.filter(({ episode }) => episode === id).map((row) => ({ ...row, carrier: row.id })),
    ...items,
  ];
  // What another message says: by its post, or by an edit of it.
  const said = items.filter(({ carrier }) => isSaid(sender, carrier, id));
  counts.grouped += said.filter(({ phase }) => TRIGGER_PHASES.includes(phase)).length;
  const sent = [
    ...new Map(posts.map((post) => [post.delivery.id, kindOf(post, byId.get(post.delivery.id))])).values(),
    ...said.map(({ phase }) => SAID[phase] ?? phase),
  ];
  const count = (kinds: readonly string[]): number => sent.filter((kind) => kinds.includes(kind)).length;
  const isUnknown = (row: (typeof rows)[number]): boolean =>
    world.unknown.has(row.carrier) || row.uncertain_since !== null;
  const triggers = rows.filter(({ phase }) => TRIGGER_PHASES.includes(phase));
  const lasting = triggers.filter((row) => row.state !== "dead" || row.uncertain_since !== null);
  const resolves = rows.filter(({ phase }) => phase === "resolve");
  const acting = carriers.filter(
    ({ shown, id: one }) => shown !== null && sender.posts.some((post) => isActing(post, one)),
  );
  const here = history.decisions.filter(({ destination }) => destination?.startsWith(sender.platform));
  const explained = here.some(({ what }) => /suppressed|never told/u.test(what));
  const isDue = world.due.get(sender.platform)?.has(id) === true;
  const flaps = here.some(({ what }) => what === "suppressed by flapping");
  if (isDue && explained) counts.released += 1;
  const heeded = world.notifiable.get(sender.platform)?.has(id) === true;
  const maybe = count(TRIGGERS) === 1 || triggers.some(isUnknown);
  // A merged message counts as both, also where it is refused.
  const ends = rows.filter(({ phase }) => phase === "resolve" || phase === "fired and resolved");
  const refused = ends.some(({ state }) => state === "dead");
  if (triggers.length > 1 && count(TRIGGERS) === 1) counts.sentAfterDeadLetter += 1;
  // In order, each under its own number.
  const seqs = [...new Set(posts.map(({ delivery }) => delivery.id))].map((one) => byId.get(one)?.seq ?? 0);

  const laws: [string, boolean][] = [
    ["at most one trigger", lasting.length <= 1 && count(TRIGGERS) <= 1],
    ["at most one resolve", resolves.filter(({ state }) => state !== "dead").length <= 1 && count(RESOLVES) <= 1],
    ["at most one escalation", count(["now"]) <= 1],
    ["a trigger, or a reason in the log", triggers.length > 0 || explained || !heeded],
    ["a trigger once nothing keeps it back", triggers.length > 0 || !isDue || flaps],
    [
      "no message keeps its buttons after the end",
      resolves.length === 0 || acting.every(({ revision, shown }) => revision > 0 && shown === revision),
    ],
    ["no resolve without a trigger", triggers.length > 0 || resolves.length === 0],
    ["a resolve of what may have been told", !maybe || (ends.length > 0 && (count(RESOLVES) === 1 || refused))],
    ["nothing more of what was certainly not told", maybe || count([...RESOLVES, "now", "still"]) === 0],
    ["a trigger that did not arrive was dead-lettered", maybe || triggers.every(({ state }) => state === "dead")],
    ["order", seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0))],
  ];
  const where = `${sender.platform} ${id}: ${sent.join(", ")}`;
  return laws.filter(([, holds]) => !holds).map(([law]) => `${law} (${where})`);
}

/** Every repeat is marked, and nothing else is. */
function repeatFaults(world: World, sender: FakeSender): string[] {
  return [...Map.groupBy(sender.posts, ({ delivery }) => delivery.id)].flatMap(([id, [first, ...repeats]]) => [
    ...repeats.filter((post) => !isRepeat(post.reply)).map(({ gist }) => `unmarked repeat: ${gist}`),
    ...(first !== undefined && isRepeat(first.reply) && !world.unknown.has(id)
      ? [`marked for no reason: ${first.gist}`]
      : []),
  ]);
}

/**
 * Deliveries created in quiet hours are critical, or the end of an episode notified before. That an alert flaps which is
 * critical by then is told in its place.
 */
function quietFaults(
  world: World,
  { platform, posts }: FakeSender,
  rows: readonly DeliveryRow[],
  histories: readonly EpisodeHistory[],
): string[] {
  const escalated = new Map(
    histories.map(({ episode, decisions }) => [episode.id, decisions.find(({ what }) => what === "escalated")?.at]),
  );
  const times = world.quietTimes.filter((time) => time.platform === platform);
  return posts.flatMap(({ gist, delivery }) => {
    const owed = rows.find(({ id }) => id === delivery.id)?.created_at ?? 0;
    const disturbed = times.some(({ after, before }) => owed > after && owed < before);
    const critical = escalated.get(delivery.about?.episode ?? "") ?? Infinity;
    const isLow = gist.startsWith("warning") || (gist.startsWith("flapping") && critical > owed);
    return disturbed && isLow ? [`${platform} was disturbed: ${gist}`] : [];
  });
}

/** Each episode held for a digest is in exactly one, unless nobody there is subscribed when the digest is sent. */
function digestFaults(
  world: World,
  { platform, posts }: FakeSender,
  histories: readonly EpisodeHistory[],
  { rows, log }: { readonly rows: readonly DeliveryRow[]; readonly log: readonly DecisionRow[] },
  counts: Counts,
): string[] {
  const dropped = log
    .filter(({ what, destination }) => what === "suppressed by a change" && destination?.startsWith(platform))
    .reduce((sum, { detail }) => sum + Number.parseInt(detail ?? "", 10), 0);
  const held = histories.flatMap(({ decisions }) =>
    decisions.filter(({ what, destination }) => what === "held for the digest" && destination?.startsWith(platform)),
  ).length;
  const digests = new Map(
    posts.map(({ delivery, reply }) => {
      const alert = alertOf(reply);
      return [delivery.id, alert.type === "digest" ? alert.episodes.length : 0];
    }),
  );
  const said = [...digests.values()].reduce((sum, episodes) => sum + episodes, 0);
  const lost = rows.some((row) => row.platform === platform && row.phase === "digest" && row.state === "dead");
  counts.held += said;
  const right = said === held - dropped || (said < held && (lost || world.ended > 0));
  return right ? [] : [`${platform}: ${held} episodes were held for a digest, and ${said} were told in one`];
}

/** A destination for which flapping suppresses an episode gets one flapping notice each time the flapping begins. */
function flappingFaults({ platform }: FakeSender, histories: readonly EpisodeHistory[], counts: Counts): string[] {
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
      // By a message of its own, or as one of several in another message.
      const told = period.flatMap(({ episode, deliveries, items }) => {
        const carriers = new Set(deliveries.filter((row) => row.platform === platform).map(({ id }) => id));
        return [
          ...deliveries.filter(
            ({ id, phase, episode: told }) => phase === "flapping" && told === episode.id && carriers.has(id),
          ),
          ...items.filter(({ delivery, phase }) => phase === "flapping" && carriers.has(delivery)),
        ];
      }).length;
      counts.flapping += told;
      return told === (kept ? 1 : 0) ? [] : [`${platform}: that ${machine} flaps was told ${told} times`];
    });
  });
}

/** The operators are notified once of the beginning, and once of the end, of each suspension of a platform or a channel. */
function operatorFaults({ operators, channels }: World, rows: readonly DeliveryRow[], counts: Counts): string[] {
  return channels.flatMap(({ platform }) => {
    const historyOf = (what: "token" | "channel"): string =>
      operators.posts
        .flatMap(({ gist }) => new RegExp(`^${what} (\\w+): ${platform}\\b`, "u").exec(gist)?.[1] ?? [])
        .map((change) => (change === "accepted" ? "." : change === "refused" ? "?" : "!"))
        .join("");
    const [tokens, losses] = [historyOf("token"), historyOf("channel")];
    counts.refusals += tokens.length;
    counts.losses += losses.length;
    const isGivenUp = tokens.includes("!") || rows.some((row) => row.platform === platform && row.state === "dead");
    return [
      ...(/^(?:(?:\?!?|!)\.)*$/u.test(tokens) ? [] : [`the operators were told of tokens on ${platform}: ${tokens}`]),
      // Whose subscriptions ended stays lost until somebody subscribes there again. Where all that is owed is given up, by
      // the end of a token or after a day, the next message shows whether the channel can be reached.
      ...((isGivenUp ? /^(?:\?(?:\.|!\.?))*\??$/u : /^(?:\?(?:\.|!\.?))*$/u).test(losses)
        ? []
        : [`the operators were told of the channel on ${platform}: ${losses}`]),
    ];
  });
}
