import type { AlertDesk } from "../alerts/alert-desk.ts";
import { timeToText } from "../alerts/json-units.ts";
import type { Destination } from "../alerts/sender.ts";
import type { Clock } from "../api/clock.ts";
import { paragraph, type Block } from "../reply/block.ts";
import { reply, type Reply, type Tone } from "../reply/reply.ts";
import { joinText, strong, text, toText, type Text } from "../reply/text.ts";
import { formatDuration, type Milliseconds } from "../units/duration.ts";
import { placeWords, type PlaceContext } from "./alert-place.ts";

/** Long enough for a platform that makes us wait a while, short enough for whoever waits here. */
const WAIT: Milliseconds = 30_000;
const LOOK_EVERY: Milliseconds = 100;

export interface DrillContext extends PlaceContext {
  readonly alerts: Pick<AlertDesk, "tell" | "delivery" | "platforms">;
  readonly api: { readonly simulated: boolean };
  readonly signal: AbortSignal;
  progress(reply: Reply): void;
}

/** How it stands with one destination of a drill. */
interface Way {
  readonly destination: Destination;
  readonly delivery: string;
  state: "waiting" | "arrived" | "given up" | "nobody delivers";
  /** How long it took, once it has arrived. */
  took?: Milliseconds;
  error?: string;
}

/** Sends a message the whole way that alerts take, waits for the receipts, and tells how long each took. */
export async function drill(context: DrillContext, destinations: readonly Destination[], clock: Clock): Promise<Reply> {
  const { alerts, caller, signal } = context;
  const ways: Way[] = [];
  for (const destination of destinations) {
    const delivery = await alerts.tell(destination, {
      type: "test",
      drill: true,
      ...(context.api.simulated ? { simulated: true } : {}),
      by: caller.name,
      at: timeToText(clock.wallClock()),
    });
    const able = alerts.platforms().includes(destination.platform);
    ways.push({ destination, delivery, state: able ? "waiting" : "nobody delivers" });
  }
  const begun = clock.monotonicMillis();
  let shown = -1;
  while (ways.some(({ state }) => state === "waiting") && clock.monotonicMillis() - begun < WAIT) {
    for (const way of ways) if (way.state === "waiting") await look(way, alerts);
    const settled = ways.filter(({ state }) => state !== "waiting").length;
    if (settled === ways.length) break;
    if (settled !== shown) context.progress(progressOf(settled, ways.length));
    shown = settled;
    await clock.sleep(LOOK_EVERY, signal);
  }
  return drilled(ways, context);
}

async function look(way: Way, alerts: DrillContext["alerts"]): Promise<void> {
  const found = await alerts.delivery(way.delivery);
  if (found === undefined) return;
  const { row } = found;
  if (row.last_error !== null) way.error = row.last_error;
  if (row.state === "dead") way.state = "given up";
  if (row.state !== "sent") return;
  way.state = "arrived";
  way.took = Math.max(0, (found.receipt?.at ?? row.settled_at ?? row.created_at) - row.created_at);
}

function progressOf(settled: number, all: number): Reply {
  return reply({ title: `Drill: ${settled} of ${all} ${all === 1 ? "message has" : "messages have"} arrived` });
}

function drilled(ways: readonly Way[], context: DrillContext): Reply {
  const arrived = ways.filter(({ state }) => state === "arrived").length;
  const tone: Tone =
    arrived === ways.length ? "good" : ways.some(({ state }) => state === "given up") ? "bad" : "warning";
  const blocks: Block[] = [
    {
      kind: "table",
      name: "alerts-drill",
      columns: [
        { title: "Where" },
        { title: "Message" },
        { title: "Delay", align: "right" },
        { title: "Error", priority: 2 },
      ],
      rows: ways.map((way) => [
        placeWords(way.destination, context),
        wayWords(way),
        toText(way.took === undefined ? "–" : formatDuration(way.took)),
        toText(way.error ?? "–"),
      ]),
    },
  ];
  if (arrived < ways.length) {
    blocks.push(
      paragraph(
        text`What has not arrived stays owed and is tried again for 24 h; ${strong("alerts log")} tells how that goes.`,
      ),
    );
  }
  return reply({
    tone,
    title: joinText(
      [strong("DRILL"), `${arrived} of ${ways.length} ${ways.length === 1 ? "message" : "messages"} arrived`],
      " · ",
    ),
    blocks,
    actions: [{ label: "Again", invocation: { command: "alerts drill", options: {} }, effect: "replace" }],
  });
}

function wayWords({ state }: Way): Text {
  switch (state) {
    case "arrived":
      return toText("arrived");
    case "waiting":
      return toText(`not yet, after ${formatDuration(WAIT)}`);
    case "given up":
      return toText("given up");
    case "nobody delivers":
      return toText("owed: nothing delivers there at the moment");
  }
}
