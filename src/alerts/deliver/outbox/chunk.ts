import { z } from "zod";

import type { ChunkRow } from "../../../store/alert-tables/alert-tables.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { DeliveryFields, type OutboxBatch, type PlannedDelivery, type RuleOf } from "./batch.ts";
import { messageUrgency } from "../../message/delivery-subject.ts";
import { NotificationState } from "./notification-state.ts";
import { destinationKey } from "../../destination.ts";
import type { MessageCollector } from "./stored-messages.ts";

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
const Fields = z.record(z.string(), z.unknown());

/** Rows as they are stored: what all of them share, which is most of it, is written once. */
function packed<T extends z.ZodType>(row: T) {
  return z
    .object({ same: Fields, each: z.array(Fields) })
    .transform(({ same, each }): unknown[] => each.map((own) => ({ ...same, ...own })))
    .pipe(z.array(row));
}

function pack(rows: readonly Row[]) {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const pick = (row: Row, of: readonly string[] = []): Row =>
    Object.fromEntries(of.map((field) => [field, row[field]]));
  const [first = {}] = rows;
  const isShared = (field: string): boolean => rows.every((row) => row[field] === first[field]);
  const { same, own } = Object.groupBy(fields, (field) => (isShared(field) ? "same" : "own"));
  return { same: pick(first, same), each: rows.map((row) => pick(row, own)) };
}

const StoredChunk = z.object({
  deliveries: packed(ChunkDelivery),
  states: packed(NotificationState.extend({ episode: z.string() })),
});

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
  const { states } = batch;
  if (deliveries.length + states.length <= size) return [{ platform: "", chunk: { deliveries, states } }];
  const byPlatform = {
    deliveries: Map.groupBy(deliveries, ({ destination }) => destination.platform),
    states: Map.groupBy(states, ({ state }) => state.destination.platform),
  };
  const platforms = new Set([...byPlatform.deliveries.keys(), ...byPlatform.states.keys()]);
  const placed = [...platforms].flatMap((platform) =>
    splitRows(
      {
        deliveries: byPlatform.deliveries.get(platform) ?? [],
        states: byPlatform.states.get(platform) ?? [],
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

function splitRows(all: Chunk, size: number): Chunk[] {
  const pieces = <T>(rows: readonly T[]): T[][] =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
  return [
    ...pieces(all.deliveries).map((deliveries) => ({ deliveries, states: [] })),
    ...pieces(all.states).map((states) => ({ deliveries: [], states })),
  ];
}

export function toChunkRow(platform: string, { deliveries, states }: Chunk, at: Milliseconds): ChunkRow {
  const stored: z.input<typeof StoredChunk> = {
    deliveries: pack(deliveries),
    states: pack(states.map(({ episode, state }) => ({ episode, ...state }))),
  };
  return { platform, owed: deliveries.length, created_at: at, data: JSON.stringify(stored) };
}

/** Undefined if this program cannot read it. */
export function parseChunk({ data }: Pick<ChunkRow, "data">): Chunk | undefined {
  const read = StoredChunk.safeParse(JSON.parse(data)).data;
  return (
    read && {
      deliveries: read.deliveries,
      states: read.states.map(({ episode, ...state }) => {
        return { episode, destination: destinationKey(state.destination), state };
      }),
    }
  );
}
