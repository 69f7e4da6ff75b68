import { hash, randomBytes } from "node:crypto";

import type { Clock } from "../api/clock.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { type Milliseconds, toMillis } from "../units/time.ts";
import type { AlertsConfig } from "./alerts-config.ts";
import { type ChatPlatform, type Destination, destinationKey } from "./destination.ts";

/** Dependencies of the engine and its parts. */
export interface AlertDependencies {
  readonly store: Pick<Store, "transaction">;
  readonly config: AlertsConfig;
  readonly clock: Clock;
  readonly log: Log;
  /** Names of simulated networks. */
  readonly simulated: ReadonlySet<string>;
  /** Notified of what the operators must know, like the console where there is one. */
  readonly operators?: Destination;
  readonly console?: Destination;
  /** How long ended episodes and their states are kept, where that is longer than all else. */
  readonly keepStates?: Milliseconds;
  /** When messages on a platform are given pictures; undefined = never. Left out, none are drawn. */
  readonly picturesOn?: (platform: string) => ChatPlatform["pictures"] | undefined;
  /** Called when a delivery may be due. */
  readonly onOwed?: () => void;
  readonly onStep?: OnStep;
  /** How many rows of a batch are fanned out at once. */
  readonly chunkRows?: number;
  /** Delivery ids: unique, at most 25 characters. */
  readonly newId?: () => string;
}

/** Bytes that the ids of one pool share, and bytes of each id alone. */
const SHARED_ID_BYTES = 6;
const OWN_ID_BYTES = 10;
const IDS_PER_POOL = 256;
let sharedIdPart = "";
let randomPool = Buffer.alloc(0);

/**
 * 22 random characters. Some hundred ids in succession begin alike, so that rows that are written together stand together
 * in an index: a commit then writes a fraction of the pages. Random bytes for many ids at once cost a tenth.
 */
export function randomId(): string {
  if (randomPool.length < OWN_ID_BYTES) {
    sharedIdPart = randomBytes(SHARED_ID_BYTES).toString("base64url");
    randomPool = randomBytes(IDS_PER_POOL * OWN_ID_BYTES);
  }
  const id = sharedIdPart + randomPool.toString("base64url", 0, OWN_ID_BYTES);
  randomPool = randomPool.subarray(OWN_ID_BYTES);
  return id;
}

/**
 * As many characters for what a cause makes owed to a destination: owed again, after what was stored is lost, it has the
 * same id, by which a platform drops the repeat. Here, too, the ids of one cause begin alike.
 */
export function idOf(cause: string, destination: Destination): string {
  // Thousands of ids of one cause follow each other.
  if (lastCause.cause !== cause) lastCause = { cause, start: hash("sha256", cause, "base64url").slice(0, 8) };
  const own = hash("sha256", `${cause} ${destinationKey(destination)}`, "base64url");
  return lastCause.start + own.slice(0, 14);
}

let lastCause = { cause: "", start: hash("sha256", "", "base64url").slice(0, 8) };

/** The wall clock in Unix milliseconds. */
export function nowMillis(clock: Clock): number {
  return toMillis(clock.wallClock());
}

/** The moments from an observation to the receipt of its delivery, by name, in order. */
export const DELIVERY_STEPS = [
  "observed",
  "observation written",
  "observation committed",
  "deliveries claimed",
  "before sending",
  "after sending",
  "receipt written",
  "receipt committed",
] as const;
/** A picture is drawn after its message has arrived. */
export type StepName = (typeof DELIVERY_STEPS)[number] | "picture drawn";

/** Called at each step; crash campaigns kill the process there. */
export type OnStep = (step: StepName) => void;
