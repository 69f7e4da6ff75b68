import type { Caller } from "../../bot/invocation.ts";
import type { SlackContext } from "./desk.ts";
import type { SlackUser } from "./person.ts";

/** Somebody who asks. */
export interface Asker extends SlackUser {
  readonly name?: string | undefined;
}

/**
 * Who asks, as the bot takes it. Whether they may change what a channel is told is looked up only where a command has
 * to do with that, since Slack must be asked for it.
 */
export async function callerOf(desk: SlackContext, asker: Asker, command: string | undefined): Promise<Caller> {
  const plain = plainCaller(asker);
  if (command === undefined || !isManagementCommand(desk, command)) return plain;
  const found = await desk.managers.mayManage(asker);
  return found.may ? { ...plain, mayManageChannel: true } : { ...plain, mayNotManage: found.why };
}

/** The same where nothing is changed. */
export function plainCaller({ id, name }: Asker): Caller {
  return { id, name: name ?? id, mayManageChannel: false };
}

/** Whether a command, or one of its family (`alerts …`), is for those who manage the channel. */
export function isManagementCommand(desk: SlackContext, command: string): boolean {
  const [family] = command.split(" ");
  return desk.bot.commands.some(({ access, name }) => access === "channel-manager" && name.split(" ")[0] === family);
}
