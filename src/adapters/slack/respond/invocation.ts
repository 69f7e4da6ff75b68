import type { AnyCommand } from "../../../bot/command.ts";
import type { Caller, Invocation, Prepared, Target, Visibility } from "../../../bot/invocation.ts";
import type { Ask, Reply } from "../../../reply/reply.ts";
import type { AnswerAudience } from "../../adapter.ts";
import type { SlackContext } from "../context.ts";
import type { SlackUser } from "../home/home-data.ts";
import { MAX_FILE_BYTES, MAX_FILES } from "../limits.ts";
import type { RequestContext } from "./request-context.ts";

/** The question as the bot takes it. */
export function prepare(
  desk: SlackContext,
  ask: Ask,
  origin: RequestContext,
  progress?: (latest: Reply) => void,
): Prepared {
  const invocation: Invocation = {
    ...ask,
    here: targetOf(origin),
    caller: origin.caller,
    signal: desk.stopping,
    ...(progress === undefined ? {} : { progress }),
  };
  return desk.bot.prepare(invocation);
}

/** The command that is asked for; undefined where there is none of that name. */
export function commandOf({ bot }: SlackContext, ask: Ask): AnyCommand | undefined {
  return bot.commands.find(({ name }) => name === ask.command);
}

export function targetOf(origin: Pick<RequestContext, "workspace" | "channel">): Target {
  const { workspace, channel } = origin;
  return {
    platform: "slack",
    ...(workspace === undefined ? {} : { workspace }),
    ...(channel === undefined ? {} : { channel }),
    files: { maxBytes: MAX_FILE_BYTES, maxCount: MAX_FILES },
  };
}

/**
 * Slack's custom is that an answer goes to the asker alone, who may share it: so only what says `private:no` itself,
 * what announces a change and what the workspace chose to show is answered for all to see, whatever a command's own
 * default is.
 */
export function isShownToAll({ visibility, isDefault }: AnswerAudience): boolean {
  return visibility === "channel" && !isDefault;
}

/** Who sees the answer: what a button decided already, else by the question. */
export function audienceOf(desk: SlackContext, ask: Ask, origin: RequestContext, prepared: Prepared): Visibility {
  if (origin.audience !== undefined) return origin.audience;
  if (!prepared.ok) return "caller";
  const settled = "private" in ask.options || desk.bot.audience(ask.command, targetOf(origin)) !== undefined;
  return isShownToAll({ visibility: prepared.visibility, isDefault: !settled }) ? "channel" : "caller";
}

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
