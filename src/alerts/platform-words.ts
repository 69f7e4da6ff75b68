import { code, text, type Text } from "../reply/text.ts";

interface PlatformWords {
  readonly name: string;
  /** The setting that holds the bot's token. */
  readonly setting: string;
  /** Where a new one is had, as the platform's own pages call it. */
  readonly source: string;
}

const PLATFORM_WORDS: Readonly<Record<string, PlatformWords>> = {
  discord: {
    name: "Discord",
    setting: "DISCORD_TOKEN",
    source: "in the Developer Portal, page Bot of your application: Reset Token",
  },
  slack: {
    name: "Slack",
    setting: "SLACK_BOT_TOKEN",
    source: "on the page Install App of your app: the Bot User OAuth Token",
  },
};

/** A platform as people write it. */
export function platformName(platform: string): string {
  return PLATFORM_WORDS[platform]?.name ?? platform;
}

/** What to do where a platform refuses the bot's token. */
export function tokenRemedy(platform: string): Text {
  const known = PLATFORM_WORDS[platform];
  const doctor = text`${code("npm run doctor")} says whether it is right.`;
  if (known === undefined) return text`set a token that ${platform} accepts and start the bot again. ${doctor}`;
  const { setting, source, name } = known;
  return text`get a token that ${name} accepts (${source}), set ${code(setting)} to it and start the bot again. ${doctor}`;
}
