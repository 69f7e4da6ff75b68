import { z } from "zod";

import type { ChunkRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { DeliveryFields, type OutboxBatch, type PlannedDelivery, type RuleOf } from "./batch.ts";
import { messageUrgency } from "../../message/delivery-subject.ts";
import { NotificationState } from "./notification-state.ts";
import { destinationFromKey, destinationKey } from "../../destination.ts";
import type { MessageCollector } from "./stored-messages.ts";
import { parseJson } from "../../judge/kinds/kind.ts";

/** Rows of a chunk: a few milliseconds' work, so that the first deliveries of a large batch are sent at once. */
const CHUNK_ROWS = 250;

/** A delivery whose message is named by its id, with its rule. */
const ChunkDelivery = DeliveryFields.extend({
  message: z.string(),
  urgency: z.literal([1, 2]).optional(),
  causeKey: z.string().optional(),
  after: z.number().optional(),
  groupKey: z.string().optional(),
  within: z.number().optional(),
  until: z.number().optional(),
});

/** A part of a batch, until it is fanned out; messages by their ids. */
export interface Chunk {
  readonly deliveries: readonly z.infer<typeof ChunkDelivery>[];
  readonly states: OutboxBatch["states"];
}

type Row = Readonly<Record<string, unknown>>;

/** Rows as they are stored: what all of them share, which is most of it, once, and the rest by columns. */
const Columns = z.object({
  count: z.int().nonnegative(),
  same: z.record(z.string(), z.unknown()),
  /** A value for each row, null where it has none. */
  each: z.record(z.string(), z.array(z.unknown())),
});
type Columns = z.infer<typeof Columns>;

/** `given` has the columns that no field of a row has. Objects count as equal only if they are identical. */
function toColumns(rows: readonly Row[], fields: readonly string[], given: Columns["each"]): Columns {
  const same: Record<string, unknown> = {};
  const each: Record<string, unknown[]> = {};
  for (const field of fields) {
    const column = given[field];
    const first = column === undefined ? rows[0]?.[field] : column[0];
    const isShared =
      column === undefined ? rows.every((row) => row[field] === first) : column.every((one) => one === first);
    if (!isShared) each[field] = column ?? rows.map((row) => row[field] ?? null);
    else if (first !== undefined) same[field] = first;
  }
  return { count: rows.length, same, each };
}

function fromColumns({ count, same, each }: Columns): Row[] {
  const columns = Object.entries(each);
  return Array.from({ length: count }, (_, index) => {
    const row: Record<string, unknown> = { ...same };
    for (const [field, values] of columns) if (values[index] !== null) row[field] = values[index];
    return row;
  });
}

/** A destination is stored by its key. */
const StoredDelivery = ChunkDelivery.extend({ destination: z.string().transform(destinationFromKey) });
const StoredState = NotificationState.extend({
  destination: z.string().transform(destinationFromKey),
  episode: z.string(),
});
const StoredChunk = z.object({
  deliveries: Columns.transform(fromColumns).pipe(z.array(StoredDelivery)),
  states: Columns.transform(fromColumns).pipe(z.array(StoredState)),
});
const DELIVERY_FIELDS = Object.keys(StoredDelivery.shape);
const STATE_FIELDS = Object.keys(StoredState.shape);

/**
 * The chunks of a batch; those of one platform are in the order of the batch. Never empty. Each is made when it is asked
 * for, so that the rows of thousands are not in memory at once.
 */
export function splitIntoChunks(
  batch: Pick<OutboxBatch, "deliveries" | "states">,
  messages: MessageCollector,
  size = CHUNK_ROWS,
  ruleOf: RuleOf = () => undefined,
): readonly { readonly platform: string; readonly chunk: () => Chunk }[] {
  const toDelivery = (one: PlannedDelivery): Chunk["deliveries"][number] => {
    const { cause, key: groupKey, within, until } = one.joins ?? ruleOf(one) ?? {};
    const { key: causeKey, after } = cause ?? {};
    const message = messages.add(one.message);
    return { ...one, causeKey, after, groupKey, within, until, urgency: urgencyOf(one), message };
  };
  const placed = (platform: string, { deliveries, states }: typeof batch) => ({
    platform,
    chunk: (): Chunk => ({ deliveries: deliveries.map(toDelivery), states }),
  });
  const { deliveries, states } = batch;
  if (deliveries.length + states.length <= size) return [placed("", batch)];
  const byPlatform = {
    deliveries: Map.groupBy(deliveries, ({ destination }) => destination.platform),
    states: Map.groupBy(states, ({ state }) => state.destination.platform),
  };
  const pieces = <T>(rows: readonly T[] = []): T[][] =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
  const platforms = new Set([...byPlatform.deliveries.keys(), ...byPlatform.states.keys()]);
  const chunks = [...platforms].flatMap((platform) =>
    [
      ...pieces(byPlatform.deliveries.get(platform)).map((deliveries) => placed(platform, { deliveries, states: [] })),
      ...pieces(byPlatform.states.get(platform)).map((states) => placed(platform, { deliveries: [], states })),
    ].map((one, place) => ({ ...one, place })),
  );
  // Platforms alternate, so that none waits for all chunks of another.
  return chunks.toSorted((a, b) => a.place - b.place);
}

/** Edits are never urgent: what they show was, or will be, told by a message. */
function urgencyOf({ edits, message }: Pick<PlannedDelivery, "edits" | "message">): 1 | 2 | undefined {
  return edits === undefined ? messageUrgency(message) || undefined : undefined;
}

export function toChunkRow(platform: string, { deliveries, states }: Chunk, at: Milliseconds): ChunkRow {
  const stored: z.input<typeof StoredChunk> = {
    deliveries: toColumns(deliveries, DELIVERY_FIELDS, {
      destination: deliveries.map((one) => destinationKey(one.destination)),
    }),
    states: toColumns(
      states.map(({ state }) => state),
      STATE_FIELDS,
      { episode: states.map(({ episode }) => episode), destination: states.map(({ destination }) => destination) },
    ),
  };
  return { platform, owed: deliveries.length, created_at: at, data: JSON.stringify(stored) };
}

/** Undefined if this program cannot read it. */
export function parseChunk({ data }: Pick<ChunkRow, "data">): Chunk | undefined {
  const read = StoredChunk.safeParse(parseJson(data)).data;
  return (
    read && {
      deliveries: read.deliveries,
      states: read.states.map(({ episode, ...state }) => {
        return { episode, destination: destinationKey(state.destination), state };
      }),
    }
  );
}
