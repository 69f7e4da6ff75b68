import { discordRecord } from "../../adapters/discord/record.ts";
import type { PlatformRecord } from "../../adapters/chat/chat.ts";
import { slackRecord } from "../../adapters/slack/record.ts";

/** The chat platforms of this program, in the order in which they are shown. This module loads no library of theirs. */
export const PLATFORM_RECORDS: readonly PlatformRecord[] = [discordRecord, slackRecord];
