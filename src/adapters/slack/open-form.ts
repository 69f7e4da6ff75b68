import { setTimeout as sleep } from "node:timers/promises";

import type { Ask } from "../../reply/reply.ts";
import type { Desk } from "./desk.ts";
import { renderForm, type FormPlace } from "./form.ts";
import { TRIGGER_MILLIS } from "./limits.ts";
import { targetOf } from "./question.ts";
import { faultWords } from "./slack-fault.ts";

/** Opens the form of a command; false when there is none, or Slack does not open it. Never rejects. */
export async function openForm(
  desk: Desk,
  trigger: string,
  ask: Ask,
  place: FormPlace,
  workspace: string | undefined,
): Promise<boolean> {
  const command = desk.bot.commands.find(({ name }) => name === ask.command);
  if (command === undefined) return false;
  try {
    const view = renderForm(command, valuesFor(desk, ask, place, workspace), desk.bot.networks, place);
    await inTime(desk.web.views.open({ trigger_id: trigger, view }), desk);
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

/** Later Slack opens nothing any more: whoever waits is told at once what to type instead. */
async function inTime(opening: Promise<unknown>, { signal, triggerMillis = TRIGGER_MILLIS }: Desk): Promise<void> {
  const opened = new AbortController();
  const late = sleep(triggerMillis, undefined, { signal: AbortSignal.any([signal, opened.signal]), ref: false });
  // Whichever of the two is not waited for may fail.
  opening.catch(() => undefined);
  const tooLate = late.then(() => Promise.reject(new Error("Slack did not answer in time")));
  tooLate.catch(() => undefined);
  try {
    await Promise.race([opening, tooLate]);
  } finally {
    opened.abort();
  }
}
