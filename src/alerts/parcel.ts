import { z } from "zod";

import type { ParcelRow } from "../store/alert-ports.ts";
import type { Milliseconds } from "../units/duration.ts";
import type { MessageIds } from "./message-ids.ts";
import { PHASES, type Owed } from "./owed.ts";
import { StoredDestination } from "./subscription.ts";
import { Telling } from "./telling.ts";

/** So many rows are written at once: a few milliseconds' work, so that the first of many goes out at once. */
export const PORTION = 250;

/** A part of what is owed, as it is stored until it is spread; messages by their ids. */
export const Parcel = z.object({
  deliveries: z.array(
    z.object({
      id: z.string(),
      destination: StoredDestination,
      phase: z.enum(PHASES),
      message: z.string(),
      episode: z.string().exactOptional(),
      edits: z.string().exactOptional(),
      mention: z.string().exactOptional(),
      quiet: z.literal(true).exactOptional(),
      threadOf: z.string().exactOptional(),
    }),
  ),
  rolled: z.array(z.object({ destination: StoredDestination, message: z.string() })),
  tellings: z.array(z.object({ episode: z.string(), destination: z.string(), telling: Telling })),
});
export type Parcel = z.infer<typeof Parcel>;

type Parts = { readonly [K in keyof Parcel]: Parcel[K] };

/** What a book owes, in portions; those of one platform are in the order of the book. Never empty. */
export function portionsOf(
  owed: Owed,
  messages: MessageIds,
  size = PORTION,
): readonly { readonly platform: string; readonly parcel: Parcel }[] {
  const deliveries = owed.deliveries.map((one) => ({ ...one, message: messages.of(one.message) }));
  const rolled = owed.rolled.map(({ destination, message }) => ({ destination, message: messages.of(message) }));
  const tellings = [...owed.tellings];
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
    cut(
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

function cut(parts: Parts, size: number): Parcel[] {
  const pieces = <T>(rows: readonly T[]): T[][] =>
    Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
  return [
    ...pieces(parts.deliveries).map((deliveries) => ({ deliveries, rolled: [], tellings: [] })),
    ...pieces(parts.rolled).map((rolled) => ({ deliveries: [], rolled, tellings: [] })),
    ...pieces(parts.tellings).map((tellings) => ({ deliveries: [], rolled: [], tellings })),
  ];
}

export function parcelRow(platform: string, parcel: Parcel, at: Milliseconds): ParcelRow {
  const owed = parcel.deliveries.length + parcel.rolled.length;
  return { platform, owed, created_at: at, data: JSON.stringify(parcel) };
}
