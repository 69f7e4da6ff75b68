/** Mutants that behave like the code: `file: before → after`, and why. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  "src/alerts/engine/plan-events.ts: happened[0]?.event → happened[0].event": "a group has one event at least",
  "src/alerts/engine/plan-events.ts: happened[0]?.routing → happened[0].routing": "a group has one event at least",
  "src/alerts/engine/plan-events.ts: digests.set(key, digest); → ;": "equal digests are stored once anyway",
};
