import type { Destination } from "../../alerts/sender.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import { type PlatformSuspension, revokedAt } from "../../alerts/suspension/platform-suspension.ts";
import { platformName, tokenRemedy } from "../../alerts/wording/phrases.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import { code, strong, text, type Text, time } from "../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { fromMillis } from "../../units/nanoseconds.ts";

/** Without those of platforms that this process does not serve: they may have been given up on purpose. */
export function servedSuspensions(
  refusals: readonly PlatformSuspension[],
  { platforms }: Pick<AlertService, "platforms">,
): readonly PlatformSuspension[] {
  const served = platforms();
  return served.length === 0 ? refusals : refusals.filter(({ platform }) => served.includes(platform));
}

/** A platform that refuses the bot's own token: since when, what becomes of what is owed there, and what to do. */
export function suspensionWords(refusal: PlatformSuspension, now: Milliseconds): Text {
  const { platform, since, why, retired } = refusal;
  const lasted = formatDuration(Math.max(0, now - since));
  const owed =
    retired === undefined
      ? text`What is owed there waits until ${time(fromMillis(revokedAt(refusal)), "both")}.`
      : text`Its subscriptions (${retired.subscriptions}) have ended; they come back once a token is accepted.`;
  return text`${strong(`${platformName(platform)} refuses the bot's token`)} since ${time(fromMillis(since))} (${lasted}): ${code(why)}. ${owed} To mend it, ${tokenRemedy(platform)}`;
}

/** Said of a place that nothing reaches for now, since its platform refuses the bot's own token; nothing where it does not. */
export async function suspensionNote(
  alerts: Pick<AlertService, "platforms" | "refusals">,
  { platform }: Pick<Destination, "platform">,
): Promise<readonly Block[]> {
  const refused = servedSuspensions(await alerts.refusals(), alerts).some((one) => one.platform === platform);
  if (!refused) return [];
  const name = platformName(platform);
  return [paragraph(`${name} refuses the bot's token at the moment: nothing arrives there until it accepts one.`)];
}
