import type { DeliveryRow } from "../store/alert-ports.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";
import type { AlertMessage } from "./message.ts";

/** What the wording of a message may depend on besides what it says. */
export interface DeliveryContext {
  /** The trigger was never sent: the resolve says both. */
  readonly merged?: true;
  /** It may have been sent before. */
  readonly repeat?: true;
  /** When the trigger arrived here. */
  readonly told?: Nanoseconds;
}

/** Whether a delivery says what was to be said by later ones, too: its message is then of another phase. */
export function isMerged(message: AlertMessage, { kind, phase }: Pick<DeliveryRow, "kind" | "phase">): boolean {
  return message.type === "condition" && kind === "message" && message.phase !== phase;
}
