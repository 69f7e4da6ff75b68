import type { Ask } from "../../reply/reply.ts";
import { within } from "../within.ts";
import type { Desk } from "./desk.ts";
import { renderForm, type FormPlace } from "./form.ts";
import { TRIGGER_MILLIS } from "./limits.ts";
import { commandOf, targetOf } from "./question.ts";
import { faultWords } from "./slack-fault.ts";

/** Opens the form of a command; false when there is none, or Slack does not open it. Never rejects. */
export async function openForm(
  desk: Desk,
  trigger: string,
  ask: Ask,
  place: FormPlace,
  workspace: string | undefined,
): Promise<boolean> {
  const command = commandOf(desk, ask);
  if (command === undefined) return false;
  try {
    const view = renderForm(command, valuesFor(desk, ask, place, workspace), desk.bot.networks, place);
    // Later Slack opens nothing any more: whoever waits is told at once what to type instead.
    await within(desk.web.views.open({ trigger_id: trigger, view }), desk.triggerMillis ?? TRIGGER_MILLIS);
    return true;
  } catch (error) {
    desk.log.warn({ platform: "slack", command: ask.command, why: faultWords(error) }, "a form could not be opened");
    return false;
  }
}

/** What is known already: who sees the answer, too, where that is settled. */
function valuesFor(desk: Desk, ask: Ask, { channel }: FormPlace, workspace: string | undefined): Ask["options"] {
  const openly = desk.bot.audience(ask.command, targetOf({ workspace, channel })) === "channel";
  return openly ? { private: "no", ...ask.options } : ask.options;
}
