import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { createSandbox } from "../test/support/bellwether.ts";
import { freePort } from "../test/support/free-port.ts";
import { atMost, runAsScript, type Measured } from "./support/figure.ts";

// What the whole process costs while nothing happens: `npm start` with both platforms, watching a network of three
// nodes with the settings as they come. The network and the platforms are in other processes. `--minutes=N` is shorter.

const MINUTES = Number(process.argv.find((argument) => /^--minutes=\d+$/u.test(argument))?.slice(10) ?? 10);
const SETTLE_MILLIS = 15_000;
const NAME = "alerts: CPU while nothing happens";
/** What Linux counts CPU time in: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html, 100 on all common machines. */
const TICKS_A_SECOND = 100;

async function measure(): Promise<readonly Measured[]> {
  if (process.platform !== "linux") return [{ name: NAME, skipped: "it reads /proc, which is on Linux only" }];
  const sandbox = createSandbox();
  const around = fork(new URL("support/idle-world.ts", import.meta.url));
  try {
    const [world] = (await once(around, "message")) as [{ env: Record<string, string> }];
    const bot = sandbox.run(["start"], { WEB_PORT: String(await freePort()), LOG_LEVEL: "warn", ...world.env });
    await bot.printed(/^Bellwether runs/u);
    const { pid } = bot.child;
    await sleep(SETTLE_MILLIS);
    const [before, began] = [await cpuSeconds(pid), performance.now()];
    await sleep(MINUTES * 60_000);
    const [after, ended] = [await cpuSeconds(pid), performance.now()];
    const percent = (100 * (after - before)) / ((ended - began) / 1000);
    const detail = `mean of ${MINUTES} minutes, three nodes, Discord, Slack and the console`;
    return [atMost(NAME, percent, 1, "% of a core", detail)];
  } finally {
    await sandbox.cleanUp();
    around.kill();
  }
}

/** Of all threads of a process, in the kernel and out of it. */
async function cpuSeconds(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name before them may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

await runAsScript(import.meta.url, measure);
