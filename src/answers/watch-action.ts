import type { PersonalKind } from "../alerts/kinds/kinds.ts";
import type { Action } from "../reply/reply.ts";
import { askFor } from "./answer.ts";

/** A button by which whoever presses it is told by direct message of what becomes of one thing. */
export function watchAction(
  context: { readonly network: string },
  label: string,
  kind: PersonalKind,
  subject: string,
): Action {
  return { label, invocation: askFor(context, "alerts add", { kinds: kind, subjects: subject }), effect: "reply" };
}
