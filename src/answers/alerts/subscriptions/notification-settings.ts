import { Guidance } from "../../../alerts/alerts-config.ts";
import type { Severity } from "../../../alerts/judge/kinds/kind.ts";
import type { Destination, Platforms } from "../../../alerts/destination.ts";
import type { Subscription } from "../../../alerts/route/subscription.ts";
import { quoteTyped } from "../../../bot/nearest.ts";
import { UserError } from "../../../errors.ts";
import { type Block, paragraph } from "../../../reply/block.ts";
import { type Nanoseconds, toMillis } from "../../../units/time.ts";
import { callerZone, parseQuietHours, parseZone } from "../alert-times.ts";
import { listWords } from "../../../reply/enum-words.ts";
import { type SubscriptionValues, withFixedEnd } from "./thresholds.ts";

/** How a subscription notifies: from which severity, in which style, when not, and whom. */
export type NotificationSettings = Pick<
  Subscription,
  "floor" | "style" | "events" | "quietHours" | "mention" | "guidance" | "chart"
>;

export const DEFAULT_NOTIFICATION_SETTINGS: NotificationSettings = { floor: "info", style: "live", events: "usual" };

/** Words that remove a setting. */
const OFF = /^(?:off|none|no|never|nobody)$/iu;

/**
 * The settings after typed values replaced earlier ones. `place`: the destination's platform, and its server or workspace
 * where that is known.
 * @throws UserError for impossible values.
 */
export function parseNotificationSettings(
  typed: SubscriptionValues,
  place: Pick<Destination, "platform" | "workspace">,
  platforms: Platforms,
  before: NotificationSettings = DEFAULT_NOTIFICATION_SETTINGS,
): NotificationSettings {
  const { quietHours, mention, guidance } = before;
  const quiet = parseQuietOptions(typed, quietHours);
  const notified = typed.mention === undefined ? mention : parseMention(typed.mention, place, platforms);
  // The console lists messages one by one.
  const style = typed.style === "thread" && platforms.isOperators(place.platform) ? "plain" : typed.style;
  return {
    // The options allow for these words alone.
    floor: (typed.severity as Severity | undefined) ?? before.floor,
    style: (style as Subscription["style"] | undefined) ?? before.style,
    events: (typed.events as Subscription["events"] | undefined) ?? before.events,
    ...(quiet === undefined ? {} : { quietHours: quiet }),
    ...(notified === undefined ? {} : { mention: notified }),
    ...((typed.chart ?? before.chart) === "off" ? { chart: "off" as const } : {}),
    ...parseGuidance(typed, guidance),
  };
}

/** A note where a thread was asked for and the destination has none. */
export function threadNote(
  { style: asked }: SubscriptionValues,
  { destination }: Pick<Subscription, "destination">,
  platforms: Platforms,
): Block[] {
  return asked === "thread" && platforms.isOperators(destination.platform)
    ? [paragraph("The console has no threads: what follows a first message comes as messages of its own.")]
    : [];
}

/** New quiet hours are those of the caller's clock, where no zone is named. */
export async function inCallersZone<T extends SubscriptionValues>(
  context: { zone(): Promise<string>; now(): Nanoseconds },
  values: T,
  before?: Subscription["quietHours"],
): Promise<T> {
  const { quiet, zone, if: condition } = values;
  const isQuiet = quiet !== undefined && !OFF.test(quiet.trim()) && zone === undefined && before === undefined;
  if (!isQuiet && condition === undefined) return values;
  const own = await callerZone(context);
  return {
    ...values,
    ...(isQuiet && own !== "UTC" ? { zone: own } : {}),
    ...(condition === undefined ? {} : { if: withFixedEnd(condition, toMillis(context.now()), own) }),
  };
}

function parseQuietOptions(typed: SubscriptionValues, before: Subscription["quietHours"]): Subscription["quietHours"] {
  if (typed.quiet !== undefined && OFF.test(typed.quiet.trim())) return undefined;
  const zone = typed.zone === undefined ? (before?.zone ?? "UTC") : parseZone("zone", typed.zone);
  if (typed.quiet !== undefined) return { ...parseQuietHours(typed.quiet), zone };
  if (typed.zone !== undefined && before === undefined) {
    throw new UserError("A time zone goes with quiet hours, and there are none.", {
      option: "zone",
      remedy: (named) => `Write both, as in ${named("quiet", "22:00-07:00")} ${named("zone", "Europe/Berlin")}.`,
    });
  }
  return before === undefined ? undefined : { ...before, zone };
}

/** @throws UserError for what is neither hours nor a word that removes them. */
export function readQuietHours(_option: string, typed: string): void {
  if (!OFF.test(typed)) parseQuietHours(typed);
}

function parseGuidance(
  { note, runbook }: SubscriptionValues,
  before: Subscription["guidance"] = {},
): Pick<Subscription, "guidance"> {
  const given = { note: note?.trim() ?? before.note, runbook: runbook?.trim() ?? before.runbook };
  const kept = Object.entries(given).filter((entry) => entry[1] !== undefined && !OFF.test(entry[1]));
  if (kept.length === 0) return {};
  for (const [option, typed] of kept) readGuidance(option, typed ?? "");
  return { guidance: Guidance.parse(Object.fromEntries(kept)) };
}

/** @throws UserError for a note or a runbook that cannot be kept. */
export function readGuidance(option: string, typed: string): void {
  if (OFF.test(typed) || Guidance.safeParse({ [option]: typed }).success) return;
  throw new UserError(`${quoteTyped(typed)} is no ${option}.`, {
    option,
    remedy:
      option === "note"
        ? "A note is one sentence of at most 300 characters."
        : "A runbook is an address that begins with https://, of at most 500 characters.",
  });
}

/** A role, group or person as the platform's own id, from typed text or from the platform's mention syntax. */
function parseMention(
  typed: string,
  { platform, workspace }: Pick<Destination, "platform" | "workspace">,
  platforms: Platforms,
): string | undefined {
  const given = typed.trim();
  if (OFF.test(given)) return undefined;
  const known = platforms.chat(platform);
  if (known === undefined) {
    throw new UserError("Nobody can be notified here.", {
      option: "mention",
      remedy: `Roles and groups are those of a channel on ${listWords(platforms.chats.map(({ name }) => name)) || "a chat platform"}; leave it out.`,
    });
  }
  const mention = known.parseMention(given, workspace);
  if (mention === undefined) {
    const why = `${quoteTyped(given)} is no role or group that can be notified.`;
    throw new UserError(why, { option: "mention", remedy: known.mentionRemedy });
  }
  return mention;
}
