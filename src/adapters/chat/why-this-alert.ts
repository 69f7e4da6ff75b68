import type { Ask, Reply } from "../../reply/reply.ts";
import { CALLERS, notice } from "./notices.ts";

// "Why this alert?" in the menu of a message, on each platform that has such menus.

export const WHY_THIS_ALERT = "Why this alert?";

/** The command that tells the story of an alert: each alert carries it in its Details button. */
export const WHY_COMMAND = "alerts why";

/** The command behind an alert's Details button, found among its buttons; undefined for a message that is no alert. */
export async function whyAsk<T>(
  buttons: readonly T[],
  askOf: (button: T) => Promise<Ask | undefined>,
): Promise<Ask | undefined> {
  for (const button of buttons) {
    const ask = await askOf(button);
    if (ask?.command === WHY_COMMAND) return ask;
  }
  return undefined;
}

/** For a message that carries no alert. */
export function noAlertNotice(): Reply {
  const words = "Choose it on an alert that the bot posted, one with a Details button.";
  return notice("This message is no alert", words, CALLERS);
}
