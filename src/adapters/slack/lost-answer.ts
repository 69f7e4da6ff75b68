import type { Ask } from "../../reply/reply.ts";
import { Answer } from "./answer.ts";
import type { Desk } from "./desk.ts";
import { DirectSurface } from "./direct-surface.ts";
import { GivenUp, type Saying } from "./insist.ts";
import { lostNotice } from "./notices.ts";
import type { Origin } from "./origin.ts";

/** Whether something was said within the time that it is insisted on for; rejects with what else is wrong. */
export async function isSaid(desk: Desk, what: string, saying: Saying): Promise<boolean> {
  try {
    await desk.insist.say(what, saying);
    return true;
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    desk.log.error({ platform: "slack", what, why: error.message }, "an answer is given up");
    return false;
  }
}

/**
 * Tells in direct messages, once Slack is back, that an answer was given up: the answer itself is not kept for that long,
 * since it may hold files and goes out of date. Rejects when Slack takes that nowhere, either.
 */
export async function tellLost(desk: Desk, ask: Ask, origin: Origin): Promise<void> {
  const direct = { ...origin, surface: new DirectSurface(desk, origin.caller.id) };
  const notice = lostNotice(desk.command, ask);
  const word = new Answer(desk, { reply: notice, ask, origin: direct, audience: "caller" });
  await desk.insistLonger.say(ask.command, word);
}
