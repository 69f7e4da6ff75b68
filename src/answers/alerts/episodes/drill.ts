import { randomBytes } from "node:crypto";

import { type Destination, destinationKey, type Platforms } from "../../../alerts/destination.ts";
import type { Subscription } from "../../../alerts/route/subscription.ts";
import { DRILL_KIND, DRILL_NETWORK, drillEpisode } from "../../../alerts/judge/rules/episode.ts";
import type { AlertService, EpisodeHistory } from "../../../alerts/service/service.ts";
import { timelineOf } from "../../../alerts/words/describe-condition.ts";
import type { Clock } from "../../../api/clock.ts";
import { type Block, fields, paragraph, table } from "../../../reply/block.ts";
import { commandAction, reply, type Reply } from "../../../reply/reply.ts";
import { commandLine, joinText, strong, type Text, text } from "../../../reply/text.ts";
import type { DeliveryRow } from "../../../store/alert-tables/alert-tables.ts";
import { formatDuration, type Milliseconds, toMillis } from "../../../units/time.ts";
import { type CallerContext, destinationWords } from "../destination.ts";
import { detailsAction } from "./episodes.ts";

/** Long enough for a platform that rate-limits for a while, short enough for a waiting caller. */
const DRILL_TIMEOUT_MILLIS: Milliseconds = 30_000;
const DRILL_POLL_MILLIS: Milliseconds = 100;

export interface DrillContext extends CallerContext {
  readonly alerts: Pick<AlertService, "putSubscriptions" | "history" | "platforms">;
  readonly signal: AbortSignal;
  progress(reply: Reply): void;
}

/** One of the two messages of a drill at one destination: the alert or its end. */
interface DrillMessage {
  readonly state: "waiting" | "arrived" | "given up" | "kept back" | "merged" | "nobody delivers";
  /** From queueing to the receipt. */
  readonly elapsed?: Milliseconds;
  /** The last error, or what suppresses it. */
  readonly why?: string;
}

/** The state of a drill at one destination. */
interface DrillDestination {
  readonly destination: Destination;
  readonly alert: DrillMessage;
  readonly end: DrillMessage;
}

/**
 * Lets a made-up node go down and come up again, waits until the alert and its end have arrived, and reports how long
 * each took. The request is stored at once: whichever process watches carries it out, also after a crash.
 */
export async function runDrill(
  context: DrillContext,
  destinations: readonly Destination[],
  clock: Clock,
  /** The destination as typed, for the button that drills again. */
  to?: string,
): Promise<Reply> {
  const { alerts, caller, signal } = context;
  const name = `drill-${randomBytes(4).toString("hex")}`;
  const at = toMillis(clock.wallClock());
  const by = { id: caller.id, name: caller.name };
  await alerts.putSubscriptions(drillSubscriptions(name, destinations, by, at, context.platforms), caller.name);
  const started = clock.monotonicMillis();
  let shown = -1;
  for (;;) {
    const history = await alerts.history(drillEpisode(name));
    const results = destinations.map((destination) => drillDestination(destination, history, alerts.platforms()));
    const messages = results.flatMap(({ alert, end }) => [alert, end]);
    const done = messages.filter(({ state }) => state !== "waiting").length;
    if (done === messages.length || clock.monotonicMillis() - started >= DRILL_TIMEOUT_MILLIS) {
      return drillReply(results, history, context, to);
    }
    const title =
      history === undefined
        ? "Drill: the watcher looks at it"
        : `Drill: ${done} of ${messages.length} messages have arrived`;
    if (done !== shown) context.progress(reply({ title }));
    shown = done;
    await clock.sleep(DRILL_POLL_MILLIS, signal);
  }
}

function drillDestination(
  destination: Destination,
  history: EpisodeHistory | undefined,
  platforms: readonly string[],
): DrillDestination {
  if (!platforms.includes(destination.platform)) {
    return { destination, alert: { state: "nobody delivers" }, end: { state: "nobody delivers" } };
  }
  const key = destinationKey(destination);
  const own = (history?.deliveries ?? []).filter((row) => row.destination === key);
  const trigger = own.find(({ phase }) => phase === "trigger" || phase === "fired and resolved");
  const suppressed = history?.decisions.find((one) => one.destination === key && one.what.startsWith("suppressed by "));
  if (trigger === undefined && suppressed !== undefined) {
    const why = `${suppressed.what}: ${suppressed.detail ?? ""}`;
    return { destination, alert: { state: "kept back", why }, end: { state: "kept back" } };
  }
  const alert = drillMessage(trigger, history);
  if (alert.state === "given up") return { destination, alert, end: { state: "given up" } };
  const resolve = own.find(({ phase }) => phase === "resolve");
  const isMerged = trigger?.phase === "fired and resolved" && alert.state !== "waiting";
  return { destination, alert, end: isMerged ? { state: "merged" } : drillMessage(resolve, history) };
}

function drillMessage(row: DeliveryRow | undefined, history: EpisodeHistory | undefined): DrillMessage {
  if (row === undefined) return { state: "waiting" };
  const why = row.last_error === null ? {} : { why: row.last_error };
  switch (row.shown === null ? row.state : "sent") {
    case "held":
    case "owed":
    case "sending":
      return { state: "waiting", ...why };
    case "merged":
    case "dropped":
      return { state: "merged" };
    case "dead":
      return { state: "given up", ...why };
    case "sent": {
      const receipt = history?.receipts.find(({ delivery }) => delivery === row.id);
      const elapsed = Math.max(0, (receipt?.at ?? row.settled_at ?? row.created_at) - row.created_at);
      return { state: "arrived", elapsed, ...why };
    }
  }
}

function drillReply(
  results: readonly DrillDestination[],
  history: EpisodeHistory | undefined,
  context: DrillContext,
  to: string | undefined,
): Reply {
  const isGood = ({ alert, end }: DrillDestination): boolean =>
    alert.state === "arrived" && (end.state === "arrived" || end.state === "merged");
  const good = results.filter(isGood).length;
  const bad = results.some(({ alert, end }) => alert.state === "given up" || end.state === "given up");
  const blocks: Block[] = [
    table({
      name: "alerts-drill",
      rows: results,
      columns: [
        ["Where", ({ destination }) => destinationWords(destination, context)],
        ["Alert", ({ alert }) => STATE_WORDS[alert.state] ?? alert.state],
        ["Alert after", ({ alert }) => delayWords(alert), "right"],
        ["End", ({ end }) => STATE_WORDS[end.state] ?? end.state],
        ["End after", ({ end }) => delayWords(end), "right"],
        ["Why", ({ alert, end }) => alert.why ?? end.why ?? "–", 2],
      ],
    }),
  ];
  if (history !== undefined) {
    blocks.push(fields(timelineOf(history.episode), text`A node that was made up`));
  }
  if (good < results.length) blocks.push(paragraph(undeliveredWords(results, history, context)));
  const places = results.length === 1 ? "place" : "places";
  return reply({
    tone: good === results.length ? "good" : bad ? "bad" : "warning",
    title: joinText([strong("DRILL"), `arrived at ${good} of ${results.length} ${places}`], " · "),
    blocks,
    actions: [
      // A platform that folds the table has Details of its own.
      ...(history === undefined ? [] : [{ ...detailsAction(history.episode), label: "Why" }]),
      commandAction("Again", "alerts drill", { to }),
    ],
  });
}

/** What happens to messages that have not arrived. */
function undeliveredWords(
  results: readonly DrillDestination[],
  history: EpisodeHistory | undefined,
  { alerts }: DrillContext,
): Text {
  if (history === undefined && alerts.platforms().length === 0) {
    return text`Bellwether is not running: nothing is watched or delivered. Start it within an hour, and the drill runs.`;
  }
  if (results.every(({ alert }) => alert.state === "arrived" || alert.state === "kept back")) {
    return text`A real alert would be kept back here, too; ${commandLine("alerts silences")} lists the silences.`;
  }
  const isOver = ({ alert, end }: DrillDestination): boolean =>
    ["arrived", "kept back", "given up"].includes(alert.state) && end.state !== "waiting";
  if (results.every((one) => isOver(one))) {
    return text`Messages that were given up are not tried again, and a real alert would be given up, too: mend the reasons above, then drill again. ${commandLine("alerts status")} shows places that were lost.`;
  }
  return text`Messages that have not arrived are tried again for 24 h; ${commandLine("alerts log")} shows how that goes.`;
}

function delayWords({ elapsed }: DrillMessage): string {
  return elapsed === undefined ? "–" : formatDuration(elapsed);
}

const STATE_WORDS: Readonly<Partial<Record<DrillMessage["state"], string>>> = {
  merged: "in the same message",
  waiting: `not yet, after ${formatDuration(DRILL_TIMEOUT_MILLIS)}`,
  "nobody delivers": "not sent yet: nothing delivers there at the moment",
};

/** The subscriptions of a drill until it is over, one for each destination. `at` is in Unix milliseconds. */
export function drillSubscriptions(
  drill: string,
  destinations: readonly Destination[],
  by: Subscription["by"],
  at: number,
  platforms: Platforms,
): Subscription[] {
  return destinations.map((destination, index) => ({
    id: `${drill}-${index + 1}`,
    destination: { ...destination },
    network: DRILL_NETWORK,
    kinds: [DRILL_KIND],
    subjects: [drill],
    parameters: {},
    floor: "info",
    style: platforms.isOperators(destination.platform) ? "plain" : "live",
    events: "usual",
    state: "active",
    created: at,
    by,
  }));
}
