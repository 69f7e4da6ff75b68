// The events that another alert's message tells: after an upgrade, which is a halt, nodes and network run a new version.
// plan-open.ts says which conditions belong to such a story.
import type { AlertTables } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { toMillis } from "../../units/nanoseconds.ts";
import { timeFromText } from "../judge/kinds/json-fields.ts";
import type { EventKind } from "../judge/kinds/kinds.ts";
import type { NotificationState } from "../deliver/outbox/notification-state.ts";
import { readNotificationStates } from "../deliver/outbox/queries.ts";
import { Episode, episodeId, isOpen, type Machine } from "../judge/rules/episode.ts";
import { ROOT_CAUSE } from "./plan-open.ts";

const EVENTS: readonly EventKind[] = ["node.version", "core.upgraded"];
/** Versions are read once a minute, and the first snapshot of a new one comes some time after the chain goes on. */
const GOES_ON: Milliseconds = 600_000;

/** Whether events of a kind can belong to a story. */
export function belongsToStories(kind: EventKind): boolean {
  return EVENTS.includes(kind);
}

/** By destination: the story of a network that was told there, and is not over for long. `at` is in Unix milliseconds. */
export async function openStories(
  tables: AlertTables,
  machines: Iterable<Machine>,
  at: Milliseconds,
): Promise<ReadonlyMap<string, string>> {
  const last = [...machines].filter(({ kind }) => kind === ROOT_CAUSE).map((one) => episodeId(one, one.number));
  const going = (await tables.watch.episodes(last))
    .map(({ data }) => Episode.parse(JSON.parse(data)))
    .filter((one) => isOpen(one) || at - toMillis(timeFromText(one.ended ?? one.detected)) <= GOES_ON);
  const states = await readNotificationStates(
    tables,
    going.map(({ id }) => id),
  );
  return new Map(
    [...states].flatMap(([id, all]) =>
      [...all].flatMap(([destination, state]) => (wasTold(state) ? [[destination, id] as const] : [])),
    ),
  );
}

function wasTold({ state, trigger, resolve }: NotificationState): boolean {
  return trigger !== undefined && (state === "told" || resolve !== undefined);
}
