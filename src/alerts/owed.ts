import type { Milliseconds } from "../units/duration.ts";
import type { AlertMessage } from "./message.ts";
import type { Destination } from "./sender.ts";
import type { Subscription } from "./subscription.ts";
import type { Telling } from "./telling.ts";

export const PHASES = [
  "trigger",
  "escalation",
  "reminder",
  "resolve",
  "state",
  "event",
  "digest",
  "rolling",
  "flapping",
  "calm",
  "bot",
] as const;
export type Phase = (typeof PHASES)[number];

/** A message that is owed. */
export interface Planned {
  readonly id: string;
  readonly destination: Destination;
  readonly phase: Phase;
  readonly message: AlertMessage;
  readonly episode?: string;
  /** Of an edit: the delivery whose message it changes. Left out for a message of its own. */
  readonly edits?: string;
  readonly mention?: string;
  readonly quiet?: true;
  /** Goes into the thread of that delivery's message. */
  readonly threadOf?: string;
}

/** One line of the log: what was decided, about what, and why. */
export interface Decision {
  readonly what: string;
  readonly network?: string;
  readonly episode?: string;
  readonly destination?: string;
  readonly delivery?: string;
  readonly detail?: string;
}

/** A message for the digest at the end of quiet hours. */
export interface Held {
  readonly destination: Destination;
  readonly message: AlertMessage;
  /** Unix milliseconds. */
  readonly until: Milliseconds;
}

/** Adds an event to a destination's message of the day. */
export interface Rolled {
  readonly destination: Destination;
  readonly message: Extract<AlertMessage, { type: "event" }>;
}

/** What a look at something owes. */
export interface Owed {
  readonly deliveries: readonly Planned[];
  readonly tellings: readonly { readonly episode: string; readonly destination: string; readonly telling: Telling }[];
  readonly held: readonly Held[];
  readonly rolled: readonly Rolled[];
  /** Personal subscriptions that have come to their end. */
  readonly ended: readonly Subscription[];
  readonly decisions: readonly Decision[];
}

/** Collects what several looks owe, in order. */
export class OwedBook implements Owed {
  readonly deliveries: Planned[] = [];
  readonly tellings: Owed["tellings"][number][] = [];
  readonly held: Held[] = [];
  readonly rolled: Rolled[] = [];
  readonly ended: Subscription[] = [];
  readonly decisions: Decision[] = [];
}
