import type { Ask, Reply } from "../reply/reply.ts";

/**
 * The label of the button that asks again, if an answer gets one: not where the reply offers the same itself, where
 * asking again costs much or leads to the same mistake, or without `ask`.
 */
export function refreshLabel(reply: Reply, ask: Ask | undefined): "Refresh" | "Try again" | undefined {
  if (ask === undefined || ask.command === "help" || reply.attachments.length > 0 || reply.failure === "caller") {
    return undefined;
  }
  if (hasRefreshAction(reply, ask)) return undefined;
  return reply.failure === undefined ? "Refresh" : "Try again";
}

/** Whether a reply offers to ask again in its own place. */
export function hasRefreshAction(reply: Reply, ask: Ask): boolean {
  return reply.actions.some(
    (action) =>
      "invocation" in action &&
      action.effect === "replace" &&
      (action.label === "Refresh" || isSameAsk(action.invocation, ask)),
  );
}

function isSameAsk(a: Ask, b: Ask): boolean {
  const keys = Object.keys(a.options);
  return (
    a.command === b.command &&
    keys.length === Object.keys(b.options).length &&
    keys.every((key) => a.options[key] === b.options[key])
  );
}
