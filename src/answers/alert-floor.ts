import { compareSeverity, worstOfKind } from "../alerts/kinds/severity.ts";
import type { Subscription } from "../alerts/routing/subscription.ts";
import { type Block, paragraph } from "../reply/block.ts";

/** Said where kinds of a subscription never become as bad as it asks for; empty where all of them may. */
export function minimumSeverityNote({ kinds, floor }: Pick<Subscription, "kinds" | "floor">): Block[] {
  const told = kinds.filter((kind) => compareSeverity(worstOfKind(kind), floor) >= 0);
  if (told.length === kinds.length) return [];
  const bad = floor === "critical" ? "critical" : "a warning";
  return [
    paragraph(
      told.length === 0
        ? `Nothing will be told: ${kinds.join(", ")} never ${kinds.length === 1 ? "becomes" : "become"} ${bad}. Give a lower severity.`
        : `Of these only ${told.join(", ")} ever ${told.length === 1 ? "becomes" : "become"} ${bad}; the rest is not told.`,
    ),
  ];
}
