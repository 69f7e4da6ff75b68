// Traces: the looks of one network in a file, with what was true where somebody knows it, so that they can be judged
// anywhere. This module is the form of a line (docs/traces.md). lines.ts reads and writes files of lines, export.ts takes
// them from the store, anonymous.ts hides the nodes, judge.ts judges them, score.ts counts how well alerts told the truth.

import { z } from "zod";

import { AnyJson } from "../../alerts/judge/kinds/kind.ts";
import { CONDITION_KINDS } from "../../alerts/judge/kinds/reading.ts";
import { REPLAYED } from "../../alerts/trial/trial.ts";
import { SCORED } from "./score.ts";

const TRACE_VERSION = 1;

/** Unix nanoseconds in decimal. */
const Time = z.string().regex(/^-?\d{1,19}$/u);
const Millis = z.number().nonnegative();
const Span = { from: Time, to: Time };

/** The first line. */
const Header = z.strictObject({
  trace: z.literal(TRACE_VERSION),
  network: z.string().min(1),
  /** Of the program that wrote it. */
  version: z.string(),
  /** The range that is judged. Looks from before it only say what lasted when it began. */
  ...Span,
  /** The truth lines say all that was wrong; `calm`: nothing was, all the time. */
  known: z.enum(["all", "calm"]).exactOptional(),
});

/** By what the network was watched from a moment on. */
const Settings = z.strictObject({
  settings: z.strictObject({
    version: z.string(),
    nodes: z.array(z.string()),
    /** As in ALERTS_CONFIG, times in milliseconds. */
    config: z.record(z.string(), z.record(z.string(), AnyJson)),
  }),
  at: Time,
  /** The watch that first went by them. */
  run: z.string(),
});

/** What somebody asked for, by nobody's name. */
const Asked = z.strictObject({
  subscription: z.strictObject({
    kinds: z.array(z.enum(CONDITION_KINDS)).min(1),
    subjects: z.array(z.string()),
    parameters: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.number()]))),
    /** In Unix milliseconds. */
    created: z.number(),
  }),
});

/** One look of one watcher. */
const LookLine = z.strictObject({
  look: z.enum(REPLAYED),
  at: Time,
  /** When it truly was, where the wall clock was wrong. */
  trueAt: Time.exactOptional(),
  run: z.string(),
  dueMillis: z.number(),
  every: Millis,
  failure: z.string().exactOptional(),
  seen: z.record(z.string(), AnyJson).exactOptional(),
});

/** What was true, or when nothing can be held against an alert. */
const TruthLine = z.strictObject({
  truth: z.enum(["fact", "excused", "unfollowed", "lie"]),
  kind: z.enum(SCORED).exactOptional(),
  subject: z.string().exactOptional(),
  ...Span,
  /** How much of it could be observed, and of its beginning; by default all. */
  seen: Millis.exactOptional(),
  lead: Millis.exactOptional(),
  why: z.string().exactOptional(),
});

/** The lines of a trace by the member that only they have, in the order of their parts. */
export const PARTS = {
  trace: Header,
  settings: Settings,
  subscription: Asked,
  look: LookLine,
  truth: TruthLine,
} as const;
export type Part = keyof typeof PARTS;

export const TraceLine = z.union([Header, Settings, Asked, LookLine, TruthLine]);
export type TraceLine = z.infer<typeof TraceLine>;
export type TraceHeader = z.infer<typeof Header>;
export type SettingsLine = z.infer<typeof Settings>;
export type SubscriptionLine = z.infer<typeof Asked>;
export type LookLine = z.infer<typeof LookLine>;
export type TruthLine = z.infer<typeof TruthLine>;
