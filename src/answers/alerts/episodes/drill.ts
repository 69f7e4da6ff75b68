import { randomBytes } from "node:crypto";

import { drillEpisode, drillSubscriptions } from "../../../alerts/drill.ts";
import type { EpisodeHistory } from "../../../alerts/engine/engine.ts";
import { destinationKey } from "../../../alerts/routing/subscription.ts";
import type { Destination } from "../../../alerts/sender.ts";
import type { AlertService } from "../../../alerts/service/service.ts";
import { timelineOf } from "../../../alerts/wording/describe-condition.ts";
import type { Clock } from "../../../api/clock.ts";
import { type Block, paragraph } from "../../../reply/block.ts";
import { type Action, reply, type Reply } from "../../../reply/reply.ts";
import { joinText, strong, text, type Text, toText } from "../../../reply/text.ts";
import type { DeliveryRow } from "../../../store/alert-tables/alert-tables.ts";
import { formatDuration, type Milliseconds } from "../../../units/duration.ts";
import { toMillis } from "../../../units/nanoseconds.ts";
import { type CallerContext, destinationWords } from "../destination.ts";

/** Long enough for a platform that makes us wait a while, short enough for whoever waits here. */
const DRILL_TIMEOUT_MILLIS: Milliseconds = 30_000;
const DRILL_POLL_MILLIS: Milliseconds = 100;

export interface DrillContext extends CallerContext {
  readonly alerts: Pick<AlertService, "putSubscriptions" | "why" | "platforms">;
  readonly signal: AbortSignal;
  progress(reply: Reply): void;
}

/** One of the two messages of a drill at one destination. */
interface DrillMessage {
  readonly state: "waiting" | "arrived" | "given up" | "kept back" | "merged" | "nobody delivers";
  /** How long it took from being owed to its receipt. */
  readonly took?: Milliseconds;
  /** The last error, or what keeps it back. */
  readonly why?: string;
}

/** How it stands with one destination of a drill. */
interface DrillDestination {
  readonly destination: Destination;
  readonly alert: DrillMessage;
  readonly end: DrillMessage;
}

/**
 * Has a made-up node go down and come up again, waits until the alert and its end have arrived, and tells how long each
 * took. What is asked for is kept at once: whichever process watches sees to it, also after a crash.
 */
export async function runDrill(
  context: DrillContext,
  destinations: readonly Destination[],
  clock: Clock,
  /** Where to, as it was typed: the same is drilled again. */
  to?: string,
): Promise<Reply> {
  const { alerts, caller, signal } = context;
  const name = `drill-${randomBytes(4).toString("hex")}`;
  const at = toMillis(clock.wallClock());
  const by = { id: caller.id, name: caller.name };
  await alerts.putSubscriptions(drillSubscriptions(name, destinations, by, at), caller.name);
  const begun = clock.monotonicMillis();
  let shown = -1;
  for (;;) {
    const story = await alerts.why(drillEpisode(name));
    const ways = destinations.map((destination) => drillDestination(destination, story, alerts.platforms()));
    const legs = ways.flatMap(({ alert, end }) => [alert, end]);
    const settled = legs.filter(({ state }) => state !== "waiting").length;
    if (settled === legs.length || clock.monotonicMillis() - begun >= DRILL_TIMEOUT_MILLIS) {
      return drillReply(ways, story, context, to);
    }
    if (settled !== shown) context.progress(progressReply(story, settled, legs.length));
    shown = settled;
    await clock.sleep(DRILL_POLL_MILLIS, signal);
  }
}

/** Pure: what is known by now. */
function drillDestination(
  destination: Destination,
  story: EpisodeHistory | undefined,
  platforms: readonly string[],
): DrillDestination {
  if (!platforms.includes(destination.platform)) {
    return { destination, alert: { state: "nobody delivers" }, end: { state: "nobody delivers" } };
  }
  const key = destinationKey(destination);
  const own = (story?.deliveries ?? []).filter((row) => row.destination === key && row.kind === "message");
  const trigger = own.find(({ phase }) => phase === "trigger" || phase === "fired and resolved");
  const kept = story?.decisions.find((one) => one.destination === key && one.what.startsWith("suppressed by "));
  if (trigger === undefined && kept !== undefined) {
    const why = `${kept.what}: ${kept.detail ?? ""}`;
    return { destination, alert: { state: "kept back", why }, end: { state: "kept back" } };
  }
  const alert = drillMessage(trigger, story);
  if (alert.state === "given up") return { destination, alert, end: { state: "given up" } };
  const resolve = own.find(({ phase }) => phase === "resolve");
  const isMerged = trigger?.phase === "fired and resolved" && alert.state !== "waiting";
  return { destination, alert, end: isMerged ? { state: "merged" } : drillMessage(resolve, story) };
}

function drillMessage(row: DeliveryRow | undefined, story: EpisodeHistory | undefined): DrillMessage {
  if (row === undefined) return { state: "waiting" };
  const why = row.last_error === null ? {} : { why: row.last_error };
  switch (row.state) {
    case "owed":
    case "sending":
      return { state: "waiting", ...why };
    case "merged":
    case "dropped":
      return { state: "merged" };
    case "dead":
      return { state: "given up", ...why };
    case "sent": {
      const receipt = story?.receipts.find(({ delivery }) => delivery === row.id);
      const took = Math.max(0, (receipt?.at ?? row.settled_at ?? row.created_at) - row.created_at);
      return { state: "arrived", took, ...why };
    }
  }
}

function progressReply(story: EpisodeHistory | undefined, settled: number, all: number): Reply {
  const title =
    story === undefined ? "Drill: the watcher looks at it" : `Drill: ${settled} of ${all} messages have arrived`;
  return reply({ title });
}

function drillReply(
  ways: readonly DrillDestination[],
  story: EpisodeHistory | undefined,
  context: DrillContext,
  to: string | undefined,
): Reply {
  const isGood = ({ alert, end }: DrillDestination): boolean =>
    alert.state === "arrived" && (end.state === "arrived" || end.state === "merged");
  const good = ways.filter(isGood).length;
  const bad = ways.some(({ alert, end }) => alert.state === "given up" || end.state === "given up");
  const blocks: Block[] = [
    {
      kind: "table",
      name: "alerts-drill",
      columns: [
        { title: "Where" },
        { title: "Alert" },
        { title: "Alert after", align: "right" },
        { title: "End" },
        { title: "End after", align: "right" },
        { title: "Why", priority: 2 },
      ],
      rows: ways.map(({ destination, alert, end }) => [
        destinationWords(destination, context),
        drillMessageWords(alert),
        delayWords(alert),
        drillMessageWords(end),
        delayWords(end),
        toText(alert.why ?? end.why ?? "–"),
      ]),
    },
  ];
  if (story !== undefined) {
    blocks.push({ kind: "fields", title: text`A node that was made up`, fields: timelineOf(story.episode) });
  }
  if (good < ways.length) blocks.push(paragraph(undeliveredWords(ways, story, context)));
  const places = ways.length === 1 ? "place" : "places";
  return reply({
    tone: good === ways.length ? "good" : bad ? "bad" : "warning",
    title: joinText([strong("DRILL"), `arrived at ${good} of ${ways.length} ${places}`], " · "),
    blocks,
    actions: [
      ...(story === undefined ? [] : [detailsAction(story)]),
      {
        label: "Again",
        invocation: { command: "alerts drill", options: to === undefined ? {} : { to } },
        effect: "replace",
      },
    ],
  });
}

/** What becomes of what has not arrived. */
function undeliveredWords(
  ways: readonly DrillDestination[],
  story: EpisodeHistory | undefined,
  { alerts }: DrillContext,
): Text {
  if (story === undefined && alerts.platforms().length === 0) {
    return text`No Bellwether runs on this database: nobody watches and nobody delivers. It is done once one is started, within an hour.`;
  }
  if (ways.every(({ alert }) => alert.state === "arrived" || alert.state === "kept back")) {
    return text`What is kept back here is so for a real alert, too; ${strong("alerts silences")} shows what holds.`;
  }
  const isOver = ({ alert, end }: DrillDestination): boolean =>
    ["arrived", "kept back", "given up"].includes(alert.state) && end.state !== "waiting";
  if (ways.every((one) => isOver(one))) {
    return text`What was given up is not tried again, and a real alert would fare the same: mend what is named above, then drill again. ${strong("alerts status")} shows places that were lost.`;
  }
  return text`What has not arrived stays owed and is tried again for 24 h; ${strong("alerts log")} tells how that goes.`;
}

function detailsAction({ episode }: EpisodeHistory): Action {
  return { label: "Details", invocation: { command: "alerts why", options: { episode: episode.id } }, effect: "reply" };
}

function delayWords({ took }: DrillMessage): Text {
  return toText(took === undefined ? "–" : formatDuration(took));
}

function drillMessageWords({ state }: DrillMessage): Text {
  switch (state) {
    case "arrived":
    case "given up":
    case "kept back":
      return toText(state);
    case "merged":
      return toText("in the same message");
    case "waiting":
      return toText(`not yet, after ${formatDuration(DRILL_TIMEOUT_MILLIS)}`);
    case "nobody delivers":
      return toText("owed: nothing delivers there at the moment");
  }
}
