import type { Tone } from "../../reply/reply.ts";

/** A sign for each tone, told apart by its shape as well as by its colour: it stands before a line of plain text. */
export const TONE_SIGNS: Readonly<Record<Tone, string>> = { neutral: "", good: "✅ ", warning: "⚠️ ", bad: "⛔ " };
