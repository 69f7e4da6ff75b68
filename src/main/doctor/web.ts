import { createServer } from "node:http";

import { fault, ok, warning, type Finding } from "../../adapters/finding.ts";
import { FIRST_PORT } from "../../adapters/web/limits.ts";
import { listen } from "../../adapters/web/listen.ts";
import type { Config } from "../../config.ts";
import { UserError } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";

/** The console: whether it can have its port, or has it already, and whether it stands open. */
export async function examineWeb({ web }: Pick<Config, "web">, signal: AbortSignal): Promise<Finding[]> {
  if (web.port === 0) return [ok("console", "switched off (WEB_PORT=0)")];
  return [await examinePort(web, signal), ...examineDoor(web)];
}

async function examinePort({ host, port }: Config["web"], signal: AbortSignal): Promise<Finding> {
  const check = "console";
  const asked = port ?? FIRST_PORT;
  const server = createServer();
  try {
    const taken = await listen(server, host, port);
    if (taken === asked) return ok(check, `port ${asked} on ${host} is free`);
    const answers = await isBellwether(host, asked, signal);
    if (answers) return ok(check, `a Bellwether answers on port ${asked}`);
    return ok(check, `port ${asked} on ${host} is taken, ${taken} is the next free one`);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    if (await isBellwether(host, asked, signal)) return ok(check, `a Bellwether answers on port ${asked}`);
    return fault(check, thrown.message.replace(/\.$/u, ""), thrown.remedy ?? "Set WEB_PORT to a free port.");
  } finally {
    server.close();
  }
}

async function isBellwether(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(3000)]);
    const response = await fetch(`http://${name}:${port}/healthz`, { redirect: "error", signal: late });
    const body = (await response.json()) as { ok?: unknown };
    return response.status === 200 && body.ok === true;
  } catch {
    return false;
  }
}

function examineDoor({ host, token, publicUrl }: Config["web"]): Finding[] {
  const findings: Finding[] = [];
  const check = "PUBLIC_URL";
  const shown = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (shown !== undefined && token === undefined && !isLoopback(shown.hostname)) {
    const what = "the console is reached from outside and WEB_TOKEN is not set: whoever finds it may silence alerts";
    findings.push(warning(check, what, "Set WEB_TOKEN to a long random word (openssl rand -hex 24)."));
  }
  if (shown?.protocol === "http:" && token !== undefined && !isLoopback(shown.hostname)) {
    findings.push(
      warning(check, "goes over plain http, and WEB_TOKEN with it", "Put a proxy with TLS in front of it."),
    );
  }
  if (shown === undefined && !isLoopback(host)) {
    const what = "not set, though the console listens beyond this machine: links in messages cannot lead to it";
    findings.push(warning(check, what, "Set it to the address under which people reach the console."));
  }
  return findings;
}
