import { type Sandbox, startOn } from "./bellwether.ts";
import type { FakeDiscord } from "./fake-discord/fake-discord.ts";
import { until } from "./fake-discord/until.ts";
import type { FakeSlack } from "./fake-slack/fake-slack.ts";
import { freePort } from "./free-port.ts";

interface BothPlatforms {
  readonly discord: FakeDiscord;
  readonly slack: FakeSlack;
  /** The address of a data node. */
  readonly nodeUrl: string;
  /** Whether others reach the console, and so the links to files. Default false. */
  readonly isPublic?: boolean;
  /** More settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The whole bot on Discord and on Slack, once it is connected to both. */
export async function startOnBoth(
  sandbox: Sandbox,
  { discord, slack, nodeUrl, isPublic = false, settings = {} }: BothPlatforms,
): ReturnType<typeof startOn> {
  const port = await freePort();
  const running = await startOn("discord", sandbox, {
    DISCORD_TOKEN: discord.state.token,
    DISCORD_API_URL: discord.apiUrl,
    SLACK_BOT_TOKEN: slack.state.botToken,
    SLACK_APP_TOKEN: slack.state.appToken,
    SLACK_API_URL: slack.apiUrl,
    MAINNET_URLS: nodeUrl,
    WEB_PORT: String(port),
    ...settings,
    ...(isPublic ? { PUBLIC_URL: `http://127.0.0.1:${port}/` } : {}),
  });
  await until(() => discord.state.commands.size > 0 && slack.sockets.listening >= 2, "both platforms");
  return running;
}
