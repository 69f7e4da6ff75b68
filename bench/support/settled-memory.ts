import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { silentLog } from "../../src/log.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createSandbox } from "../../test/support/bellwether.ts";
import { FakeDiscord } from "../../test/support/fake-discord/fake-discord.ts";
import { until } from "../../test/support/fake-discord/until.ts";
import { FakeSlack } from "../../test/support/fake-slack/fake-slack.ts";
import { freePort } from "../../test/support/free-port.ts";
import { atMost, type Measured } from "./figure.ts";

const GUILDS = 200;
const SETTLE_MILLIS = 60_000;

/**
 * Resident memory of the whole process, console included, a minute after it connected to Discord with 200 servers (and
 * to Slack, on request) and answered a few commands.
 */
export async function settledMemory(name: string, most: number, withSlack: boolean): Promise<readonly Measured[]> {
  if (process.platform !== "linux") return [{ name, skipped: "it reads /proc, which is on Linux only" }];
  const sandbox = createSandbox();
  const [discord, slack, simulator] = await Promise.all([
    FakeDiscord.start(),
    withSlack ? FakeSlack.start() : undefined,
    startSimulator({ log: silentLog() }),
  ]);
  discord.gateway.guilds = GUILDS;
  try {
    const { child } = sandbox.run(["start"], {
      WEB_PORT: String(await freePort()),
      LOG_LEVEL: "warn",
      MAINNET_URLS: simulator.networks.mainnet.map(({ url }) => url).join(","),
      DISCORD_TOKEN: discord.state.token,
      DISCORD_API_URL: discord.apiUrl,
      ...(slack === undefined
        ? {}
        : {
            SLACK_BOT_TOKEN: slack.state.botToken,
            SLACK_APP_TOKEN: slack.state.appToken,
            SLACK_API_URL: slack.apiUrl,
          }),
    });
    const isConnected = (): boolean =>
      discord.gateway.connected &&
      discord.state.commands.size > 0 &&
      (slack === undefined || slack.sockets.listening === 2);
    await until(isConnected, "the bot to connect", 20_000);
    const [ann, bob] = [discord.person("Ann"), slack?.person("bob")];
    const [there, here] = [discord.channel(), slack?.channel() ?? ""];
    for (const command of ["time", "market list", "checkpoints"]) {
      await ann.run(there, command);
      await bob?.run(here, command);
    }
    await sleep(SETTLE_MILLIS);
    const status = await readFile(`/proc/${child.pid}/status`, "utf8");
    const megabytes = (Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1024) / 1e6;
    const where = `${GUILDS} servers${withSlack ? " and a workspace" : ""}`;
    return [atMost(name, megabytes, most, "MB", `${where}, after a few commands and ${SETTLE_MILLIS / 1000} s`)];
  } finally {
    await sandbox.cleanUp();
    await Promise.all([discord.stop(), slack?.stop(), simulator.close()]);
  }
}
