import { OpenAnswers } from "../../src/adapters/chat/open-answers.ts";
import { createSlackAdapter } from "../../src/adapters/slack/index.ts";
import type { FakeSlack } from "../../test/support/fake-slack/fake-slack.ts";
import { EMPTY_HOME } from "../../test/support/empty-home.ts";
import { connectedBot, type ConnectedBot } from "./connected-bot.ts";

/** The bot on a fake Slack and a simulated network, connected. */
export function slackBot(fake: FakeSlack): Promise<ConnectedBot> {
  const { botToken, appToken } = fake.state;
  return connectedBot(
    fake,
    (parts) =>
      createSlackAdapter({
        botToken,
        source: { appToken },
        command: "/bell",
        apiUrl: fake.apiUrl,
        home: EMPTY_HOME,
        openAnswers: new OpenAnswers(),
        ...parts,
      }),
    () => fake.sockets.listening === 2,
  );
}
