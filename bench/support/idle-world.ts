import { startSimulator } from "../../src/simulator/simulator.ts";
import { FakeDiscord } from "../../test/support/fake-discord/fake-discord.ts";
import { FakeSlack } from "../../test/support/fake-slack/fake-slack.ts";

// A simulated network, Discord and Slack in a process of their own; says what to set to use them.

const [discord, slack, simulator] = await Promise.all([FakeDiscord.start(), FakeSlack.start(), startSimulator()]);
process.on("disconnect", () => process.exit());
process.send?.({
  env: {
    MAINNET_URLS: simulator.networks.mainnet.map(({ url }) => url).join(","),
    DISCORD_TOKEN: discord.state.token,
    DISCORD_API_URL: discord.apiUrl,
    SLACK_BOT_TOKEN: slack.state.botToken,
    SLACK_APP_TOKEN: slack.state.appToken,
    SLACK_API_URL: slack.apiUrl,
  },
});
