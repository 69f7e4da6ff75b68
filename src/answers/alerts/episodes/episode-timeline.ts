import { isDrill, DRILL_NOTICE, type Episode, episodeName, isOpen } from "../../../alerts/judge/rules/episode.ts";
import { timeFromText } from "../../../alerts/judge/kinds/kind.ts";
import { conditionWords, seenBy } from "../../../alerts/words/condition-words.ts";
import { timelineOf } from "../../../alerts/words/describe-condition.ts";
import { countOf, explanation, lengthWords } from "../../../alerts/words/phrases.ts";
import { kindNoun } from "../../../alerts/words/subscription-words.ts";
import { EPISODE_WORDS, RESOLVED_TONE, SEVERITY } from "../../../reply/states.js";
import { type Block, details, facts, field, type Field, fields, paragraph, table } from "../../../reply/block.ts";
import { type Action, commandAction, invalidatingAction, reply, type Reply } from "../../../reply/reply.ts";
import { code, joinText, strong, type Text, text, time, toText } from "../../../reply/text.ts";
import type { DeliveryRow, LoggedDelivery, ReceiptRow } from "../../../store/alert-tables/alert-tables.ts";
import { formatDuration, fromMillis, type Milliseconds, type Nanoseconds, toMillis } from "../../../units/time.ts";
import { findKind } from "../alert-kinds.ts";
import { type CallerContext, destinationHere, destinationKeyWords, isAmongMany, isOperator } from "../destination.ts";
import { episodeLabel, seenHere } from "./episodes.ts";
import { destinationKey } from "../../../alerts/destination.ts";
import type { EpisodeHistory } from "../../../alerts/service/service.ts";

/** A whole episode as a timeline: observations, decisions, deliveries, attempts and receipts. */
export function episodeTimelineReply(
  history: EpisodeHistory,
  context: CallerContext & { now(): Nanoseconds },
  may: Offered = { acknowledge: true, silence: true, chart: true },
): Reply {
  const episode = seenHere(history.episode, context);
  const name = storedName(episode.id, episodeLabel(episode));
  const open = isOpen(episode);
  // The last reading of an episode that is over says why it is good again.
  const reading = open ? episode.last : episode.first;
  const placeOf = destinationKeyWords(context);
  const here = isOperator(context) ? undefined : destinationKey(destinationHere(context));
  const isShown = (destination: string | null): boolean =>
    here === undefined || destination === null || destination === here;
  const receipts = new Map(history.receipts.map((one) => [one.delivery, one]));
  const deliveries = history.deliveries.filter((row) => isShown(row.destination));
  // Decisions from before it began belong to conditions that never became an alert.
  const own = history.decisions.filter(({ at }) => at >= toMillis(timeFromText(episode.began)));
  const decisions = own.filter((row) => isShown(row.destination));
  const hidden = history.deliveries.length - deliveries.length + own.length - decisions.length;
  const lines = [
    ...decisions.map(({ at, what, destination, detail }) => {
      const said = decisionWords(detail, name);
      return { at, what: toText(what), where: placeOf(destination), detail: said === reading.why ? "" : said };
    }),
    ...deliveries.flatMap((row) => deliveryLines(row, receipts.get(row.id), placeOf)),
  ].toSorted((a, b) => a.at - b.at);
  // This reverses the steps of one moment as well.
  lines.reverse();
  const notifiedAt = deliveries
    .filter(({ phase }) => phase === "trigger" || phase === "fired and resolved")
    .map(({ id }) => receipts.get(id)?.at)
    .filter((at) => at !== undefined);
  const firstNotified = notifiedAt.length === 0 ? undefined : fromMillis(Math.min(...notifiedAt));
  // The story has what came after it began, with its words.
  const moments = timelineOf(episode, firstNotified);
  // An episode that is over needs no action.
  const explained = open ? explanation({ ...episode, last: reading }) : [];
  const blocks: Block[] = [
    ...(isDrill(episode) ? [paragraph(DRILL_NOTICE)] : explained),
    ...facts([
      field(
        "State",
        open ? text`${strong(EPISODE_WORDS[episode.state])}, ${episode.severity}` : EPISODE_WORDS[episode.state],
      ),
      ...moments.slice(0, 1),
      ...(reading.why === undefined ? [] : [field("Why", reading.why, { wide: true })]),
      ...votesOf(episode.first),
    ]),
    table({
      name: "alert-story",
      title: text`What happened, newest first`,
      rows: lines,
      columns: [
        ["Step", ({ what }) => what],
        ["When", ({ at }) => time(fromMillis(at))],
        ["About", ({ detail }) => (detail === "" ? "–" : detail), 2],
        ["Where", ({ where }) => where, 3],
      ],
      empty: text`Nothing is kept of it any more.`,
    }),
    ...details([
      ...(hidden > 0 && !isAmongMany(context) ? [paragraph(`${hidden} more lines are about other channels.`)] : []),
      fields([
        ...moments.slice(1),
        field("Seen by", seenBy(reading)),
        field("Episode", code(episodeName(episode.id)), { wide: true }),
      ]),
    ]),
  ];
  // An episode can also end because its subject is gone or no longer watched.
  return reply({
    tone: open ? SEVERITY[episode.severity].tone : episode.state === "resolved" ? RESOLVED_TONE : "neutral",
    title: text`${isDrill(episode) ? text`${strong("DRILL")} · ` : []}${headlineOf(episode, toMillis(context.now()))}`,
    blocks,
    actions: actionsOf(episode, may),
  });
}

/** What is so now, how long it lasted or has lasted, and who took it. */
function headlineOf(episode: Episode, now: Milliseconds): Text {
  const words = conditionWords(episode);
  const by = episode.acknowledged?.by;
  const length = `${lengthWords(episode, now)}${by === undefined ? "" : ` · ${by} ${isOpen(episode) ? "takes" : "took"} it`}`;
  switch (episode.state) {
    case "firing":
      return text`${words.now}, ${length}`;
    case "recovering":
      return text`${words.good}: ${EPISODE_WORDS.recovering}, ${length}`;
    case "resolved":
      return text`${words.good}, after ${length}`;
    case "gone":
    case "withdrawn":
      return text`${words.past}: ${EPISODE_WORDS[episode.state]}`;
  }
}

/** How the nodes voted when it fired. */
function votesOf({ kind, facts }: Episode["first"]): readonly Field[] {
  if (kind === "market.value" || !("votes" in facts) || facts.votes === undefined) return [];
  const said = facts.votes.map(({ node, vote, height }) =>
    height === undefined ? text`${code(node)} ${vote}` : text`${code(node)} ${vote} at block ${BigInt(height)}`,
  );
  return [field("Votes when it fired", joinText(said, ", "), { wide: true })];
}

/** What may be offered about an alert. */
type Offered = Readonly<Record<"acknowledge" | "silence" | "chart", boolean>>;

function actionsOf(episode: Episode, may: Offered): Action[] {
  const name = episodeName(episode.id);
  const options = { episode: name };
  const again = [
    ...(isDrill(episode) || episode.kind === "node.diverges" || !may.chart
      ? []
      : [commandAction("Chart", "chart", { what: name })]),
    commandAction("Refresh", "alerts why", options, "replace"),
  ];
  if (!isOpen(episode)) return again;
  return [
    ...(episode.acknowledged === undefined && may.acknowledge
      ? [invalidatingAction("Acknowledge", "alerts ack", options, { command: "alerts why", options })]
      : []),
    ...(may.silence ? [commandAction("Silence 1 h", "alerts silence", { what: name, for: "1h" })] : []),
    ...again,
  ];
}

type PlaceOf = ReturnType<typeof destinationKeyWords>;

/** A delivery: its outcome, and when it was due where it did not arrive. */
function deliveryLines(row: DeliveryRow, receipt: ReceiptRow | undefined, placeOf: PlaceOf) {
  const where = placeOf(row.destination);
  const what = phaseWords(row);
  const owed = { at: row.created_at, what: text`${what} due`, where, detail: "" };
  if (row.state === "owed" && row.shown === null) {
    const waits = row.attempts === 0 ? "not tried yet" : `attempt ${row.attempts}${errorWords(row)}`;
    return [{ ...owed, what: text`${what} waits`, detail: waits }];
  }
  const { at, word, detail } = summarizeDelivery(row, receipt);
  const outcome = { at, what: text`${what} ${strong(word)}`, where, detail };
  // What was sent was due: how long it took is said.
  return word === "sent" ? [outcome] : [owed, outcome];
}

/** The alert of a decision as its stored detail begins with it: `node.down of a:1`. */
export function storedName(episode: string, label: string | undefined): string {
  const [rule = "", , subject = ""] = episode.split("|");
  return `${rule.replace(/\{.*/u, "")}${subject === "" ? "" : ` of ${label ?? subject}`}`;
}

/** The detail of a decision as people read it: without the stored name of its alert, and without keys of kinds. */
export function decisionWords(detail: string | null, name: string): string {
  const own = detail?.startsWith(name) === true ? detail.slice(name.length).replace(/^[:,]? +/u, "") : (detail ?? "");
  return own.replaceAll(
    /\b(?:(\d+) )?([a-z]+\.[a-z-]+)(: )?/gu,
    (all, count: string | undefined, key: string, colon) => {
      const kind = findKind(key);
      if (kind === undefined) return all;
      if (count !== undefined) return countOf(kind, Number(count));
      return colon === undefined ? kindNoun(kind) : "";
    },
  );
}

/** Words for phases, where people use another one than the store. */
const PHASE_WORDS: Readonly<Record<string, string>> = {
  trigger: "alert",
  resolve: "end",
  "fired and resolved": "alert and its end",
  bot: "notice",
  export: "notice",
};

/** What a delivery says of its alert. */
export function phaseWords({ phase }: Pick<LoggedDelivery, "phase">): string {
  return PHASE_WORDS[phase] ?? phase;
}

/** The outcome of a delivery so far; `detail`: attempt, duration, last error. */
export function summarizeDelivery(row: LoggedDelivery, receipt: ReceiptRow | undefined) {
  const at = row.settled_at ?? row.attempted_at ?? row.created_at;
  // An edit that was not tried yet has none of its own.
  const tries = `attempt ${Math.max(1, row.attempts)}${errorWords(row)}`;
  switch (row.shown === null ? row.state : "sent") {
    case "held":
    case "owed":
      return { at: row.created_at, word: "not sent yet", detail: row.attempts === 0 ? "not tried yet" : tries };
    case "sending":
      return { at, word: "being sent", detail: tries };
    case "sent": {
      const arrived = receipt?.at ?? at;
      const after = formatDuration(Math.max(0, arrived - row.created_at));
      const unsure = row.uncertain_since === null ? "" : ", may have come twice";
      return { at: arrived, word: "sent", detail: `${row.attempts > 1 ? `${tries}, ` : ""}after ${after}${unsure}` };
    }
    case "dead":
      return { at, word: "given up", detail: tries };
    case "merged":
      return { at, word: "said by another message", detail: "" };
    case "dropped":
      return { at, word: "no longer needed", detail: "" };
  }
}

function errorWords({ last_error: error }: LoggedDelivery): string {
  return error === null ? "" : `, last error: ${error}`;
}
