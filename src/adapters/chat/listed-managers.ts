import type { Bot } from "../../bot/bot.ts";
import type { Caller, Target } from "../../bot/invocation.ts";

/**
 * The bot as a platform reaches it where the operator lists the managers of alerts, by their ids or those of their roles:
 * they alone may change what a channel receives, instead of those who manage the channel. Without any, nothing changes. In direct messages
 * everybody manages their own.
 */
export function withListedManagers(bot: Bot, listed: readonly string[]): Bot {
  const ids = new Set(listed);
  if (ids.size === 0) return bot;
  const checked = <I extends { readonly here: Target; readonly caller: Caller }>(invocation: I): I => {
    const { here, caller } = invocation;
    if (here.workspace === undefined) return invocation;
    const { mayNotManage: _, mayManageChannel: __, managesWorkspace: ___, ...person } = caller;
    const permission = [caller.id, ...(caller.groups ?? [])].some((id) => ids.has(id))
      ? ({ mayManageChannel: true, managesWorkspace: true } as const)
      : { mayManageChannel: false, mayNotManage: NOT_A_MANAGER };
    // What the platform allows does not count.
    return { ...invocation, caller: { ...person, ...permission }, managed: async () => new Set<string>() };
  };
  return {
    ...bot,
    prepare: (invocation) => bot.prepare(checked(invocation)),
    submit: (invocation) => bot.submit(checked(invocation)),
    present: (asked) => bot.present(checked(asked)),
    run: (invocation) => bot.run(checked(invocation)),
    runLine: (line, invocation) => bot.runLine(line, checked(invocation)),
    suggest: (request) => bot.suggest(checked(request)),
    completions: (line, invocation) => bot.completions(line, checked(invocation)),
  };
}

const NOT_A_MANAGER = "Bellwether's operator names those who may. Ask one of them, or the operator.";
