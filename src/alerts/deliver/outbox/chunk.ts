import { randomUUID } from "node:crypto";

import { z } from "zod";

import type { ChunkRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { DELIVERY_PHASES, type OutboxBatch, type PlannedDelivery, type RuleOf } from "./batch.ts";
import { messageUrgency } from "../../message/delivery-subject.ts";
import { NotificationState } from "./notification-state.ts";
import { destinationFromKey, destinationKey, StoredDestination } from "../../destination.ts";
import type { MessageCollector } from "./stored-messages.ts";

/** A row's fields, none of them null. */
type Row = Readonly<Record<string, unknown>>;

/**
 * Rows as columns: a value that all rows share is written once. A value that a row lacks is null if others have one; a
 * column that all lack is left out.
 */
export const Columns = z.object({
  count: z.int().nonnegative(),
  /** Fields that have one value in all rows. */
  same: z.record(z.string(), z.unknown()),
  /** The others: a value for each row. */
  each: z.record(z.string(), z.array(z.unknown())),
});
export type Columns = z.infer<typeof Columns>;

type Readers<R> = Readonly<Record<string, (row: R) => unknown>>;

/** The columns are named, and read from a row, by `readers`. Objects count as equal only if they are identical. */
export function toColumns<R>(rows: readonly R[], readers: Readers<R>): Columns {
  const same: Record<string, unknown> = {};
  const each: Record<string, unknown[]> = {};
  for (const [field, read] of Object.entries(readers)) {
    const values = rows.map((row) => read(row) ?? null);
    const [first = null] = values;
    if (values.some((value) => value !== first)) each[field] = values;
    else if (first !== null) same[field] = first;
  }
  return { count: rows.length, same, each };
}

export function fromColumns({ count, same, each }: Columns): Row[] {
  const columns = Object.entries(each);
  return Array.from({ length: count }, (_, index) => {
    const row: Record<string, unknown> = { ...same };
    for (const [field, values] of columns) {
      const value = values[index];
      if (value !== null) row[field] = value;
    }
    return row;
  });
}

/** Rows of a chunk: a few milliseconds' work, so that the first deliveries of a large batch are sent at once. */
const CHUNK_ROWS = 250;

const ChunkDelivery = z.object({
  id: z.string(),
  destination: z.union([z.string().transform(destinationFromKey), StoredDestination]),
  phase: z.enum(DELIVERY_PHASES),
  message: z.string(),
  episode: z.string().exactOptional(),
  edits: z.string().exactOptional(),
  spent: z.literal(true).exactOptional(),
  mention: z.string().exactOptional(),
  quiet: z.literal(true).exactOptional(),
  threadOf: z.string().exactOptional(),
  cardOf: z.string().exactOptional(),
  urgency: z.literal([1, 2]).optional(),
  causeKey: z.string().optional(),
  after: z.number().optional(),
  groupKey: z.string().optional(),
  within: z.number().optional(),
  until: z.number().optional(),
  heldUntil: z.number().exactOptional(),
});

/**
 * A stored part of a batch, until it is fanned out; messages by their ids. The names of its members are those of the
 * database.
 */
const Chunk = z.object({
  deliveries: z.array(ChunkDelivery),
  tellings: z.array(z.object({ episode: z.string(), destination: z.string(), telling: NotificationState })),
});
export type Chunk = z.infer<typeof Chunk>;

/** As it is stored, by columns: most of it is the same for all destinations. */
const ColumnarChunk = z.object({
  packed: z.object({
    deliveries: Columns,
    /** Of earlier versions: events for the messages of the day. */
    rolled: Columns.optional(),
    tellings: z.object({ of: Columns, told: Columns }),
  }),
});

/** Both stored forms: released versions stored each row whole. */
const StoredChunk = z.union([
  ColumnarChunk.transform(({ packed: { deliveries, rolled, tellings } }) => {
    const told = fromColumns(tellings.told);
    return {
      deliveries: [...fromColumns(deliveries), ...(rolled === undefined ? [] : fromColumns(rolled).map(unrolled))],
      tellings: fromColumns(tellings.of).map((row, index) => ({
        ...row,
        telling: { destination: destinationFromKey(String(row["destination"])), ...told[index] },
      })),
    };
  }).pipe(Chunk),
  Chunk,
]);

/** An event for the message of a day, as earlier versions stored it: it is sent by itself. */
function unrolled(row: Row): Row {
  return { ...row, id: randomUUID().slice(0, 23), phase: "event", quiet: true };
}

/** A destination is stored by its key, and once for a state. */
const DELIVERY_READERS: Readers<Chunk["deliveries"][number]> = {
  ...readersOf(ChunkDelivery.shape),
  destination: (one) => destinationKey(one.destination),
};
const TELLING_READERS = readersOf({ episode: true, destination: true });
const { destination: _, ...STATE_READERS } = readersOf(NotificationState.shape);

function readersOf<F extends string>(shape: Readonly<Record<F, unknown>>): Record<F, (row: Row) => unknown> {
  const readers = Object.keys(shape).map((field) => [field, (row: Row) => row[field]]);
  return Object.fromEntries(readers) as Record<F, (row: Row) => unknown>;
}

/** The chunks of a batch; those of one platform are in the order of the batch. Never empty. */
export function splitIntoChunks(
  batch: OutboxBatch,
  messages: MessageCollector,
  size = CHUNK_ROWS,
  ruleOf: RuleOf = () => undefined,
): readonly { readonly platform: string; readonly chunk: Chunk }[] {
  const deliveries = batch.deliveries.map((one) => {
    const { cause, key: groupKey, within, until } = one.joins ?? ruleOf(one) ?? {};
    const joins = { causeKey: cause?.key, after: cause?.after, groupKey, within, until };
    return { ...one, ...joins, urgency: urgencyOf(one), message: messages.add(one.message) };
  });
  const tellings = batch.states.map(({ episode, destination, state }) => ({ episode, destination, telling: state }));
  if (deliveries.length + tellings.length <= size) return [{ platform: "", chunk: { deliveries, tellings } }];
  const byPlatform = {
    deliveries: Map.groupBy(deliveries, ({ destination }) => destination.platform),
    tellings: Map.groupBy(tellings, ({ telling }) => telling.destination.platform),
  };
  const platforms = new Set([...byPlatform.deliveries.keys(), ...byPlatform.tellings.keys()]);
  const placed = [...platforms].flatMap((platform) =>
    splitRows(
      {
        deliveries: byPlatform.deliveries.get(platform) ?? [],
        tellings: byPlatform.tellings.get(platform) ?? [],
      },
      size,
    ).map((chunk, place) => ({ platform, chunk, place })),
  );
  // Platforms alternate, so that none waits for all chunks of another.
  return placed.toSorted((a, b) => a.place - b.place).map(({ platform, chunk }) => ({ platform, chunk }));
}

/** Edits are never urgent: what they show was, or will be, told by a message. */
function urgencyOf({ edits, message }: Pick<PlannedDelivery, "edits" | "message">): 1 | 2 | undefined {
  return edits === undefined ? messageUrgency(message) || undefined : undefined;
}

function splitRows(all: Readonly<Chunk>, size: number): Chunk[] {
  const pieces = <T>(rows: readonly T[]): T[][] =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
  return [
    ...pieces(all.deliveries).map((deliveries) => ({ deliveries, tellings: [] })),
    ...pieces(all.tellings).map((tellings) => ({ deliveries: [], tellings })),
  ];
}

export function toChunkRow(platform: string, { deliveries, tellings }: Chunk, at: Milliseconds): ChunkRow {
  const packed: z.input<typeof ColumnarChunk>["packed"] = {
    deliveries: toColumns(deliveries, DELIVERY_READERS),
    tellings: {
      of: toColumns(tellings, TELLING_READERS),
      told: toColumns(
        tellings.map(({ telling }) => telling),
        STATE_READERS,
      ),
    },
  };
  return { platform, owed: deliveries.length, created_at: at, data: JSON.stringify({ packed }) };
}

/** Undefined if this program cannot read it. */
export function parseChunk({ data }: Pick<ChunkRow, "data">): Chunk | undefined {
  return StoredChunk.safeParse(JSON.parse(data)).data;
}
