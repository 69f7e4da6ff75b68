import type { Platforms } from "../../alerts/platform.ts";
import type { Destination } from "../../alerts/sender.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import { type PlatformSuspension, revokedAt } from "../../alerts/suspension/platform-suspension.ts";
import { tokenRemedy } from "../../alerts/wording/phrases.ts";
import { type Block, paragraph } from "../../reply/block.ts";
import { code, strong, text, type Text, time } from "../../reply/text.ts";
import { formatDuration, type Milliseconds } from "../../units/duration.ts";
import { fromMillis } from "../../units/nanoseconds.ts";

/** Suspensions of platforms that this process serves; others may have been abandoned on purpose. */
export function servedSuspensions(
  suspensions: readonly PlatformSuspension[],
  { platforms }: Pick<AlertService, "platforms">,
): readonly PlatformSuspension[] {
  const served = platforms();
  return served.length === 0 ? suspensions : suspensions.filter(({ platform }) => served.includes(platform));
}

/** A suspended platform in words: since when, the effect on undelivered messages, and what to do. */
export function suspensionWords(suspension: PlatformSuspension, platforms: Platforms, now: Milliseconds): Text {
  const { platform, since, why, retired } = suspension;
  const lasted = formatDuration(Math.max(0, now - since));
  const owed =
    retired === undefined
      ? text`What is owed there waits until ${time(fromMillis(revokedAt(suspension)), "both")}.`
      : text`Its subscriptions (${retired.subscriptions}) have ended; they come back once a token is accepted.`;
  return text`${strong(`${platforms.nameOf(platform)} refuses the bot's token`)} since ${time(fromMillis(since))} (${lasted}): ${code(why)}. ${owed} To mend it, ${tokenRemedy(platform, platforms)}`;
}

/** A note for a destination on a suspended platform; empty for any other. */
export async function suspensionNote(
  alerts: Pick<AlertService, "platforms" | "suspensions">,
  platforms: Platforms,
  { platform }: Pick<Destination, "platform">,
): Promise<readonly Block[]> {
  const isSuspended = servedSuspensions(await alerts.suspensions(), alerts).some((one) => one.platform === platform);
  if (!isSuspended) return [];
  return [
    paragraph(
      `${platforms.nameOf(platform)} refuses the bot's token at the moment: nothing arrives there until it accepts one.`,
    ),
  ];
}
