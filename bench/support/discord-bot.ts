import { OpenAnswers } from "../../src/adapters/chat/open-answers.ts";
import { createDiscordAdapter } from "../../src/adapters/discord/index.ts";
import type { FakeDiscord } from "../../test/support/fake-discord/fake-discord.ts";
import { connectedBot, type ConnectedBot } from "./connected-bot.ts";

/** The bot on a fake Discord and a simulated network, connected. */
export function discordBot(fake: FakeDiscord): Promise<ConnectedBot> {
  return connectedBot(
    fake,
    (parts) =>
      createDiscordAdapter({ token: fake.state.token, apiUrl: fake.apiUrl, openAnswers: new OpenAnswers(), ...parts }),
    () => fake.state.commands.size > 0,
  );
}
