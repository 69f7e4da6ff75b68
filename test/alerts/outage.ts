import { fullTextAttachment } from "../../src/reply/full-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { stalled } from "./readings.ts";
import { aSubscription } from "./samples.ts";
import { openStage, type Stage, type StageOptions } from "./stage.ts";

export const FIRED = "warning: network.stalled on mainnet";
export const CRITICAL = "now critical: network.stalled on mainnet";
export const RESOLVED = "resolved: network.stalled on mainnet";

/** A channel subscribed to a healthy network. */
export async function subscribed(
  options: StageOptions = {},
  more: Parameters<typeof aSubscription>[0] = {},
): Promise<Stage> {
  const it = await openStage(options);
  await it.engine.putSubscriptions([aSubscription(more)], "ada");
  await it.rounds(2, [stalled("good")]);
  return it;
}

/** The full text of a reply. */
export async function wordsOf(reply: Reply): Promise<string> {
  return Buffer.concat(await fullTextAttachment(reply, "story.txt").open().toArray()).toString();
}
