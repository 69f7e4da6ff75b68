import type { Severity } from "../../../alerts/kinds/severity.ts";
import type { Subscription } from "../../../alerts/routing/subscription.ts";
import { quoteTyped } from "../../../bot/nearest.ts";
import { UserError } from "../../../errors.ts";
import { type Block, paragraph } from "../../../reply/block.ts";
import { parseQuietHours, parseZone } from "../alert-times.ts";
import type { SubscriptionValues } from "./thresholds.ts";

/** How a subscription notifies: from which severity, in which style, when not, and whom. */
export type NotificationSettings = Pick<Subscription, "floor" | "style" | "events" | "quietHours" | "mention">;

export const DEFAULT_NOTIFICATION_SETTINGS: NotificationSettings = { floor: "info", style: "live", events: "usual" };

/** Words that remove a setting. */
const OFF = /^(?:off|none|no|never|nobody)$/iu;

/**
 * The settings after typed values replaced earlier ones.
 * @throws UserError for impossible values.
 */
export function parseNotificationSettings(
  typed: SubscriptionValues,
  platform: string,
  before: NotificationSettings = DEFAULT_NOTIFICATION_SETTINGS,
): NotificationSettings {
  const { quietHours, mention, floor, style, events } = before;
  const quiet = parseQuietOptions(typed, quietHours);
  const notified = typed.mention === undefined ? mention : parseMention(typed.mention, platform);
  return {
    floor,
    style,
    events,
    // The options allow for these words alone.
    ...(typed.severity === undefined ? {} : { floor: typed.severity as Severity }),
    ...(typed.style === undefined ? {} : { style: styleFor(platform, typed.style as Subscription["style"]) }),
    ...(typed.events === undefined ? {} : { events: typed.events as Subscription["events"] }),
    ...(quiet === undefined ? {} : { quietHours: quiet }),
    ...(notified === undefined ? {} : { mention: notified }),
  };
}

/** The console lists messages one by one. */
function styleFor(platform: string, style: Subscription["style"]): Subscription["style"] {
  return platform === "web" && style === "thread" ? "plain" : style;
}

/** A note where a thread was asked for and the destination has none. */
export function threadNote(
  { style: asked }: SubscriptionValues,
  { destination }: Pick<Subscription, "destination">,
): Block[] {
  return asked === "thread" && destination.platform === "web"
    ? [paragraph("The console has no threads: what follows a first message comes as messages of its own.")]
    : [];
}

function parseQuietOptions(typed: SubscriptionValues, before: Subscription["quietHours"]): Subscription["quietHours"] {
  if (typed.quiet !== undefined && OFF.test(typed.quiet.trim())) return undefined;
  const zone = typed.zone === undefined ? (before?.zone ?? "UTC") : parseZone("zone", typed.zone);
  if (typed.quiet !== undefined) return { ...parseQuietHours(typed.quiet), zone };
  if (typed.zone !== undefined && before === undefined) {
    throw new UserError("A time zone goes with quiet hours, and there are none.", {
      option: "zone",
      remedy: "Write both, as in quiet:22:00-07:00 zone:Europe/Berlin.",
    });
  }
  return before === undefined ? undefined : { ...before, zone };
}

/** A role, group or person as the platform's own id, from typed text or from the platform's mention syntax. */
function parseMention(typed: string, platform: string): string | undefined {
  const given = typed.trim();
  if (OFF.test(given)) return undefined;
  switch (platform) {
    case "discord": {
      const match = /^(?:<@(&|!)?(\d{15,20})>|(user:)?(\d{15,20}))$/u.exec(given);
      const id = match?.[2] ?? match?.[4];
      if (id === undefined) {
        throw wrongMention(given, "Pick the role with @, or give its id, as in 1122334455667788990.");
      }
      const person = (match?.[2] !== undefined && match[1] !== "&") || match?.[3] !== undefined;
      return person ? `user:${id}` : id;
    }
    case "slack": {
      const id = /^(?:@?!?subteam\^|<!subteam\^)?(S[A-Z0-9]{5,})(?:\|.*)?>?$/u.exec(given)?.[1];
      const person = /^(?:user:|<@)?([UW][A-Z0-9]{5,})(?:\|.*)?>?$/u.exec(given)?.[1];
      if (id === undefined && person === undefined) {
        throw wrongMention(
          given,
          "Give the user group's id, as in S0123ABCD: it stands behind ⋮ in the group's profile.",
        );
      }
      return id ?? `user:${person ?? ""}`;
    }
    default:
      throw new UserError("Nobody can be notified here.", {
        option: "mention",
        remedy: "Roles and groups are those of a channel on Discord or Slack; leave it out.",
      });
  }
}

function wrongMention(typed: string, remedy: string): UserError {
  return new UserError(`${quoteTyped(typed)} is no role or group that can be notified.`, { option: "mention", remedy });
}
