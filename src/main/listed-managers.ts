import type { Bot } from "../bot/bot.ts";
import type { Caller, Target } from "../bot/invocation.ts";

/**
 * The bot as Discord reaches it, where the operator lists who may change what channels are told: those alone may, and
 * not whoever manages the channel. Ids stand bare or behind `discord:`; what stands for Slack is passed over, and without
 * any for Discord nothing changes. In direct messages everybody rules over their own.
 */
export function listedManagers(bot: Bot, listed: readonly string[] | undefined): Bot {
  const ids = new Set((listed ?? []).flatMap((entry) => /^(?:discord:)?(\d+)$/iu.exec(entry.trim())?.[1] ?? []));
  if (ids.size === 0) return bot;
  const checked = <I extends { readonly here: Target; readonly caller: Caller }>(invocation: I): I => {
    const { here, caller } = invocation;
    if (here.workspace === undefined) return invocation;
    const { mayNotManage: _, mayManageChannel: __, ...person } = caller;
    const verdict = ids.has(caller.id) ? { mayManageChannel: true } : { mayManageChannel: false, mayNotManage: WHY };
    return { ...invocation, caller: { ...person, ...verdict } };
  };
  return {
    ...bot,
    prepare: (invocation) => bot.prepare(checked(invocation)),
    run: (invocation) => bot.run(checked(invocation)),
    runLine: (line, invocation) => bot.runLine(line, checked(invocation)),
    suggest: (request) => bot.suggest(checked(request)),
    completeLine: (line, invocation) => bot.completeLine(line, checked(invocation)),
  };
}

const WHY = "Bellwether's operator names those who may. Ask one of them, or the operator.";
