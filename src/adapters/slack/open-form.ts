import { setTimeout as sleep } from "node:timers/promises";

import type { Ask } from "../../reply/reply.ts";
import type { Desk } from "./desk.ts";
import { renderForm, type FormPlace } from "./form.ts";
import { TRIGGER_MILLIS } from "./limits.ts";
import { faultWords } from "./slack-fault.ts";

/** Opens the form of a command; false when there is none, or Slack does not open it. Never rejects. */
export async function openForm(desk: Desk, trigger: string, ask: Ask, place: FormPlace): Promise<boolean> {
  const command = desk.bot.commands.find(({ name }) => name === ask.command);
  if (command === undefined) return false;
  try {
    const view = renderForm(command, ask.options, desk.bot.networks, place);
    await inTime(desk.web.views.open({ trigger_id: trigger, view }), desk);
    return true;
  } catch (error) {
    desk.log.warn({ platform: "slack", command: ask.command, why: faultWords(error) }, "a form could not be opened");
    return false;
  }
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
