import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { silentLog } from "../src/log.ts";
import { startSimulator } from "../src/simulator/simulator.ts";
import { FakeDiscord } from "../test/support/fake-discord/fake-discord.ts";
import { until } from "../test/support/fake-discord/until.ts";
import { scratchFolder } from "./support/export-once.ts";
import { atMost, runAsScript, type Measured } from "./support/figure.ts";

// Resident memory of the whole process, console included, a minute after it connected to Discord with 200 servers.

const GUILDS = 200;
const SETTLE_MILLIS = 60_000;
const NAME = "Discord: RSS with 200 servers";

async function measure(): Promise<readonly Measured[]> {
  if (process.platform !== "linux") return [{ name: NAME, skipped: "it reads /proc, which is on Linux only" }];
  await using folder = await scratchFolder();
  const [fake, simulator] = await Promise.all([FakeDiscord.start(), startSimulator({ log: silentLog() })]);
  fake.gateway.guilds = GUILDS;
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("../bin/run.mjs", import.meta.url)), "src/main.ts", "start"],
    {
      stdio: "ignore",
      env: {
        PATH: process.env["PATH"],
        WEB_PORT: "18460",
        DATABASE_URL: `file:${folder.path}/b.db`,
        LOG_LEVEL: "warn",
        MAINNET_URLS: simulator.networks.mainnet.map(({ url }) => url).join(","),
        DISCORD_TOKEN: fake.state.token,
        DISCORD_API_URL: fake.apiUrl,
      },
    },
  );
  try {
    await until(() => fake.gateway.connected && fake.state.commands.size > 0, "the bot to connect", 20_000);
    const person = fake.person("Bench");
    const channel = fake.channel();
    for (const command of ["time", "market list", "checkpoints"]) await person.run(channel, command);
    await sleep(SETTLE_MILLIS);
    const status = await readFile(`/proc/${child.pid}/status`, "utf8");
    const megabytes = (Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1024) / 1e6;
    const detail = `${GUILDS} servers, after a few commands and ${SETTLE_MILLIS / 1000} s`;
    return [atMost(NAME, megabytes, 180, "MB", detail)];
  } finally {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
    await Promise.all([fake.stop(), simulator.close()]);
  }
}

await runAsScript(import.meta.url, measure);
