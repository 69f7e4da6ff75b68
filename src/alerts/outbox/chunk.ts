import { z } from "zod";

import type { ChunkRow } from "../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { StoredDestination } from "../routing/subscription.ts";
import { DELIVERY_PHASES, type ReadonlyOutboxBatch } from "./batch.ts";
import type { MessageCollector } from "./message.ts";
import { NotificationState } from "./notification-state.ts";

/** A row's fields, none of them null. */
type Row = Readonly<Record<string, unknown>>;

/**
 * Rows as columns: what many rows say alike is written once. A value that a row lacks is null where others have one; a
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

/** `fields` are all that the rows may have; of others nothing is kept. Objects count as alike where they are the same one. */
export function toColumns(rows: readonly Row[], fields: readonly string[]): Columns {
  const same: Record<string, unknown> = {};
  const each: Record<string, unknown[]> = {};
  const [first] = rows;
  for (const field of fields) {
    const value = first?.[field];
    if (rows.some((row) => row[field] !== value)) each[field] = rows.map((row) => row[field] ?? null);
    else if (value !== undefined) same[field] = value;
  }
  return { count: rows.length, same, each };
}

export function fromColumns({ count, same, each }: Columns): Row[] {
  const columns = Object.entries(each);
  return Array.from({ length: count }, (_, index) => {
    const row: Record<string, unknown> = { ...same };
    for (const [field, values] of columns) {
      const value = values[index];
      if (value !== undefined && value !== null) row[field] = value;
    }
    return row;
  });
}

/** So many rows are written at once: a few milliseconds' work, so that the first of many goes out at once. */
const CHUNK_ROWS = 250;

const ChunkDelivery = z.object({
  id: z.string(),
  destination: StoredDestination,
  phase: z.enum(DELIVERY_PHASES),
  message: z.string(),
  episode: z.string().exactOptional(),
  edits: z.string().exactOptional(),
  mention: z.string().exactOptional(),
  quiet: z.literal(true).exactOptional(),
  threadOf: z.string().exactOptional(),
});

/** A part of what is owed, until it is spread; messages by their ids. */
const Parcel = z.object({
  deliveries: z.array(ChunkDelivery),
  rolled: z.array(z.object({ destination: StoredDestination, message: z.string() })),
  tellings: z.array(z.object({ episode: z.string(), destination: z.string(), telling: NotificationState })),
});
export type Parcel = z.infer<typeof Parcel>;

/** As it is stored: what many are told, which is much the same for all of them, by columns. */
const ColumnarChunk = z.object({
  packed: z.object({
    deliveries: Columns,
    rolled: Columns,
    tellings: z.object({ of: Columns, told: Columns }),
  }),
});

/** What is stored: released programs kept each row whole. */
const StoredChunk = z.union([
  ColumnarChunk.transform(({ packed: { deliveries, rolled, tellings } }) => {
    const told = fromColumns(tellings.told);
    return {
      deliveries: fromColumns(deliveries),
      rolled: fromColumns(rolled),
      tellings: fromColumns(tellings.of).map((row, index) => ({ ...row, telling: told[index] })),
    };
  }).pipe(Parcel),
  Parcel,
]);

const CHUNK_FIELDS = {
  deliveries: Object.keys(ChunkDelivery.shape),
  rolled: ["destination", "message"],
  of: ["episode", "destination"],
  told: Object.keys(NotificationState.shape),
};

type PlatformRows = { readonly [K in keyof Parcel]: Parcel[K] };

/** What a book owes, in portions; those of one platform are in the order of the book. Never empty. */
export function splitIntoChunks(
  owed: ReadonlyOutboxBatch,
  messages: MessageCollector,
  size = CHUNK_ROWS,
): readonly { readonly platform: string; readonly parcel: Parcel }[] {
  const deliveries = owed.deliveries.map((one) => ({ ...one, message: messages.add(one.message) }));
  const rolled = owed.rollingUpdates.map(({ destination, message }) => ({
    destination,
    message: messages.add(message),
  }));
  const tellings = [...owed.states];
  if (deliveries.length + rolled.length + tellings.length <= size) {
    return [{ platform: "", parcel: { deliveries, rolled, tellings } }];
  }
  const byPlatform = {
    deliveries: Map.groupBy(deliveries, ({ destination }) => destination.platform),
    rolled: Map.groupBy(rolled, ({ destination }) => destination.platform),
    tellings: Map.groupBy(tellings, ({ telling }) => telling.destination.platform),
  };
  const platforms = new Set(Object.values(byPlatform).flatMap((groups) => [...groups.keys()]));
  const placed = [...platforms].flatMap((platform) =>
    splitPlatformRows(
      {
        deliveries: byPlatform.deliveries.get(platform) ?? [],
        rolled: byPlatform.rolled.get(platform) ?? [],
        tellings: byPlatform.tellings.get(platform) ?? [],
      },
      size,
    ).map((parcel, place) => ({ platform, parcel, place })),
  );
  // Platforms take turns, so that none waits for all of another one's.
  return placed.toSorted((a, b) => a.place - b.place).map(({ platform, parcel }) => ({ platform, parcel }));
}

function splitPlatformRows(parts: PlatformRows, size: number): Parcel[] {
  const pieces = <T>(rows: readonly T[]): T[][] =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
  return [
    ...pieces(parts.deliveries).map((deliveries) => ({ deliveries, rolled: [], tellings: [] })),
    ...pieces(parts.rolled).map((rolled) => ({ deliveries: [], rolled, tellings: [] })),
    ...pieces(parts.tellings).map((tellings) => ({ deliveries: [], rolled: [], tellings })),
  ];
}

export function toChunkRow(platform: string, { deliveries, rolled, tellings }: Parcel, at: Milliseconds): ChunkRow {
  const packed: z.input<typeof ColumnarChunk>["packed"] = {
    deliveries: toColumns(deliveries, CHUNK_FIELDS.deliveries),
    rolled: toColumns(rolled, CHUNK_FIELDS.rolled),
    tellings: {
      of: toColumns(tellings, CHUNK_FIELDS.of),
      told: toColumns(
        tellings.map(({ telling }) => telling),
        CHUNK_FIELDS.told,
      ),
    },
  };
  return { platform, owed: deliveries.length + rolled.length, created_at: at, data: JSON.stringify({ packed }) };
}

/** Undefined where this program understands nothing of it. */
export function parseChunk({ data }: Pick<ChunkRow, "data">): Parcel | undefined {
  return StoredChunk.safeParse(JSON.parse(data)).data;
}
