import type { Ask } from "../../reply/reply.ts";
import { withTimeout } from "../within.ts";
import type { SlackContext } from "./desk.ts";
import { renderForm, type FormMetadata } from "./form.ts";
import { TRIGGER_LIFETIME_MILLIS } from "./limits.ts";
import { commandOf, targetOf } from "./question.ts";
import { describeError } from "./slack-fault.ts";

/** Opens the form of a command; false when there is none, or Slack does not open it. Never rejects. */
export async function openForm(
  desk: SlackContext,
  trigger: string,
  ask: Ask,
  place: FormMetadata,
  workspace: string | undefined,
): Promise<boolean> {
  const command = commandOf(desk, ask);
  if (command === undefined) return false;
  try {
    const view = renderForm(command, valuesFor(desk, ask, place, workspace), desk.bot.networks, place);
    // Later Slack opens nothing any more: whoever waits is told at once what to type instead.
    await withTimeout(
      desk.web.views.open({ trigger_id: trigger, view }),
      desk.triggerMillis ?? TRIGGER_LIFETIME_MILLIS,
    );
    return true;
  } catch (error) {
    desk.log.warn({ platform: "slack", command: ask.command, why: describeError(error) }, "a form could not be opened");
    return false;
  }
}

/** What is known already: who sees the answer, too, where that is settled. */
function valuesFor(
  desk: SlackContext,
  ask: Ask,
  { channel }: FormMetadata,
  workspace: string | undefined,
): Ask["options"] {
  const openly = desk.bot.audience(ask.command, targetOf({ workspace, channel })) === "channel";
  return openly ? { private: "no", ...ask.options } : ask.options;
}
