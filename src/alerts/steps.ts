/** The moments between seeing something and holding the receipt of having told it, by name, in order. */
export const DELIVERY_STEPS = [
  "observed",
  "round written",
  "round kept",
  "deliveries claimed",
  "before sending",
  "after sending",
  "receipt written",
  "receipt kept",
] as const;
export type StepName = (typeof DELIVERY_STEPS)[number];

/** Called at each of them; for crash campaigns, which end the process there. */
export type OnStep = (step: StepName) => void;
