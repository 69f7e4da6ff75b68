import { fromSeconds, type Nanoseconds } from "../units/nanoseconds.ts";

/** Whole microseconds since genesis: exact as a number for 285 years. */
export type Micros = number;

/** 2023-01-01 00:00:00 UTC: the first block of every simulated network. */
export const GENESIS: Nanoseconds = fromSeconds(1_672_531_200n);
/** Clocks beyond the year 2110 stand still, so that no table grows without bound. */
const LAST_MICROS = 2_750_000_000_000_000;

export const SECOND: Micros = 1_000_000;
export const MINUTE: Micros = 60 * SECOND;
export const HOUR: Micros = 60 * MINUTE;
export const DAY: Micros = 24 * HOUR;

/** A clock before genesis is taken for the second after it. */
export function toMicros(at: Nanoseconds): Micros {
  const micros = Number((at - GENESIS) / 1000n);
  return Math.min(LAST_MICROS, Math.max(SECOND, micros));
}

/** A span of wall time without blocks; `to` is Infinity while it lasts. */
export interface Stall {
  readonly from: Micros;
  readonly to: Micros;
}

/** Sorted, without overlap, and as known at `wall`: what comes later is left out. */
export function stallsUntil(stalls: readonly Stall[], wall: Micros): Stall[] {
  const merged: Stall[] = [];
  for (const { from, to } of stalls.toSorted((a, b) => a.from - b.from)) {
    const stall = { from, to: Math.min(to, wall) };
    const last = merged.at(-1);
    if (stall.to <= stall.from) continue;
    if (last !== undefined && stall.from <= last.to) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, stall.to) };
    } else {
      merged.push(stall);
    }
  }
  return merged;
}

/** Wall time to the network's own: it stands still in a stall. */
export function withoutStalls(stalls: readonly Stall[], wall: Micros): Micros {
  let lost = 0;
  for (const { from, to } of stalls) if (from < wall) lost += Math.min(to, wall) - from;
  return wall - lost;
}

/** The network's own time to wall time: missed blocks are not made up, a stall moves everything after it. */
export function withStalls(stalls: readonly Stall[], network: Micros): Micros {
  let wall = network;
  for (const { from, to } of stalls) {
    if (from >= wall) break;
    wall += to - from;
  }
  return wall;
}
