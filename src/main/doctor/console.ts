import { createServer } from "node:http";

import { fault, type Finding, ok } from "../../adapters/finding.ts";
import { FIRST_PORT } from "../../adapters/web/limits.ts";
import { listen } from "../../adapters/web/listen.ts";
import type { Config } from "../../config.ts";
import { UserError } from "../../errors.ts";
import { databaseFile } from "../../store/file/database-url.ts";
import { type HolderRecord, readHolderRecord } from "../../store/file/holder-record.ts";
import { isPostgresUrl } from "../../store/postgres-url.ts";
import { findHolder } from "../holder/find-holder.ts";

/** The console: whether its port is free or it runs already. */
export async function examineConsole(
  { web, databaseUrl }: Pick<Config, "web" | "databaseUrl">,
  signal: AbortSignal,
): Promise<Finding> {
  if (web.port === 0) return ok("console", "switched off (WEB_PORT=0)");
  const running = await runningBot(databaseUrl);
  const url = running?.console;
  if (url !== undefined && (await isBellwether(url, signal))) {
    return ok("console", `the running Bellwether (process ${running?.pid}) answers at ${url}`);
  }
  return examinePort(web, running !== undefined, signal);
}

/**
 * The bot that runs on this database; undefined where none runs, or none answers. The holder record of a file says where
 * its console is; a server knows only that processes use the database.
 */
async function runningBot(databaseUrl: string): Promise<Partial<HolderRecord> | undefined> {
  if (isPostgresUrl(databaseUrl)) {
    const { processesOn } = await import("../../store/postgres/postgres.ts");
    return (await processesOn(databaseUrl)).length === 0 ? undefined : {};
  }
  try {
    const file = databaseFile(databaseUrl);
    return (await findHolder(file, 0)) === undefined ? undefined : readHolderRecord(file);
  } catch (thrown) {
    // The check of the database reports this.
    if (thrown instanceof UserError) return undefined;
    throw thrown;
  }
}

/** `held`: a bot runs on this database without a known console. */
async function examinePort({ host, port }: Config["web"], held: boolean, signal: AbortSignal): Promise<Finding> {
  const check = "console";
  const asked = port ?? FIRST_PORT;
  const answers = () => isBellwether(addressOf(host, asked), signal);
  const ours = ok(check, `a Bellwether answers on port ${asked}`);
  const another = `port ${asked} on ${host} is another Bellwether's, on another database`;
  const server = createServer();
  try {
    const taken = await listen(server, host, port);
    if (taken === asked) return ok(check, `port ${asked} on ${host} is free`);
    if (!(await answers())) return ok(check, `port ${asked} on ${host} is taken, ${taken} is the next free one`);
    return held ? ours : ok(check, `${another}; ${taken} is the next free one`);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const remedy = thrown.remedy ?? "Set WEB_PORT to a free port.";
    if (!(await answers())) return fault(check, thrown.message.replace(/\.$/u, ""), remedy);
    return held ? ours : fault(check, another, remedy);
  } finally {
    server.close();
  }
}

function addressOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}/`;
}

async function isBellwether(address: string, signal: AbortSignal): Promise<boolean> {
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(3000)]);
    const response = await fetch(new URL("/healthz", address), { redirect: "error", signal: late });
    const body = (await response.json()) as { ok?: unknown };
    return response.status === 200 && body.ok === true;
  } catch {
    return false;
  }
}
