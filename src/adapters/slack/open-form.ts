import type { Ask } from "../../reply/reply.ts";
import type { Desk } from "./desk.ts";
import { renderForm, type FormPlace } from "./form.ts";
import { faultWords } from "./slack-fault.ts";

/** Opens the form of a command; false when there is none, or Slack does not open it. Never rejects. */
export async function openForm(desk: Desk, trigger: string, ask: Ask, place: FormPlace): Promise<boolean> {
  const command = desk.bot.commands.find(({ name }) => name === ask.command);
  if (command === undefined) return false;
  try {
    const view = renderForm(command, ask.options, desk.bot.networks, place);
    await desk.web.views.open({ trigger_id: trigger, view });
    return true;
  } catch (error) {
    desk.log.warn({ platform: "slack", command: ask.command, why: faultWords(error) }, "a form could not be opened");
    return false;
  }
}
