import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { silentLog } from "../src/log.ts";
import { startSimulator } from "../src/simulator/simulator.ts";
import { FakeDiscord } from "../test/support/fake-discord/fake-discord.ts";
import { until } from "../test/support/fake-discord/until.ts";
import { FakeSlack } from "../test/support/fake-slack/fake-slack.ts";
import { scratchFolder } from "./support/export-once.ts";
import { atMost, runAsScript, type Measured } from "./support/figure.ts";

// Resident memory of the whole process, console included, a minute after it connected to Discord with 200 servers and
// to Slack.

const GUILDS = 200;
const SETTLE_MILLIS = 60_000;
const NAME = "Discord and Slack: RSS with 200 servers";

async function measure(): Promise<readonly Measured[]> {
  if (process.platform !== "linux") return [{ name: NAME, skipped: "it reads /proc, which is on Linux only" }];
  await using folder = await scratchFolder();
  const [discord, slack, simulator] = await Promise.all([
    FakeDiscord.start(),
    FakeSlack.start(),
    startSimulator({ log: silentLog() }),
  ]);
  discord.gateway.guilds = GUILDS;
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("../bin/run.mjs", import.meta.url)), "src/main.ts", "start"],
    {
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"],
        WEB_PORT: "18461",
        DATABASE_URL: `file:${folder.path}/b.db`,
        LOG_LEVEL: "warn",
        MAINNET_URLS: simulator.networks.mainnet.map(({ url }) => url).join(","),
        DISCORD_TOKEN: discord.state.token,
        DISCORD_API_URL: discord.apiUrl,
        SLACK_BOT_TOKEN: slack.state.botToken,
        SLACK_APP_TOKEN: slack.state.appToken,
        SLACK_API_URL: slack.apiUrl,
      },
    },
  );
  try {
    await until(
      () => discord.gateway.connected && discord.state.commands.size > 0 && slack.sockets.listening === 2,
      "the bot to connect",
      20_000,
    );
    const [ann, bob] = [discord.person("Ann"), slack.person("bob")];
    const [there, here] = [discord.channel(), slack.channel()];
    for (const command of ["time", "market list", "checkpoints"]) {
      await ann.run(there, command);
      await bob.run(here, command);
    }
    await sleep(SETTLE_MILLIS);
    const status = await readFile(`/proc/${child.pid}/status`, "utf8");
    const megabytes = (Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1024) / 1e6;
    const detail = `${GUILDS} servers and a workspace, after a few commands and ${SETTLE_MILLIS / 1000} s`;
    return [atMost(NAME, megabytes, 200, "MB", detail)];
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
    await Promise.all([discord.stop(), slack.stop(), simulator.close()]);
  }
}

await runAsScript(import.meta.url, measure);
