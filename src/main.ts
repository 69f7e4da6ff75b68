import { randomBytes } from "node:crypto";

import { StorageError, UserError } from "./errors.ts";
import { EXIT_BUG, EXIT_CALLER, EXIT_NETWORK, type Subcommand } from "./main/cli/cli.ts";

interface Listed {
  readonly about: string;
  /** Whether it answers --help by itself. */
  readonly ownHelp?: true;
  readonly run: Subcommand;
}

/** Each subcommand loads only the modules that it needs. */
const SUBCOMMANDS: Readonly<Record<string, Listed>> = {
  start: {
    about: "runs the bot: the web console, and each platform whose tokens are set",
    run: async (args) => (await import("./main/start.ts")).start(args),
  },
  ask: {
    about: 'asks one question in the terminal: ask "market list"; without one, a prompt',
    ownHelp: true,
    run: async (args) => (await import("./main/cli/ask.ts")).ask(args),
  },
  simulator: {
    about: "serves a simulated network by itself: simulator --port 3008",
    ownHelp: true,
    run: async (args) => (await import("./main/cli/simulator.ts")).simulator(args),
  },
  doctor: {
    about:
      "says what is wrong with settings, tokens, nodes, clock and database, and what to do; --ping pings DEADMAN_URL, too",
    run: async (args) => (await import("./main/doctor/doctor.ts")).doctor(args),
  },
  backup: {
    about: "copies the database into a file while the bot runs: backup FILE [--without-looks]",
    run: async (args) => (await import("./main/cli/backup.ts")).backup(args),
  },
  restore: {
    about: "puts a backup in the place of the database: restore FILE",
    run: async (args) => (await import("./main/cli/backup.ts")).restore(args),
  },
  "migrate-store": {
    about: "copies the database into an empty one, from a file to PostgreSQL or back: migrate-store --from … --to …",
    run: async (args) => (await import("./main/cli/migrate-store.ts")).migrateStore(args),
  },
  replay: {
    about: "judges what the watchers saw again: replay --network NAME --from TIME --to TIME [--check]",
    ownHelp: true,
    run: async (args) => {
      const { replay } = await import("./main/cli/replay.ts");
      (await import("./main/v8-memory.ts")).limitYoungGeneration();
      return await replay(args);
    },
  },
  trace: {
    about: "writes what the watchers saw to a file, and judges such files: trace export … FILE, trace judge FILE",
    ownHelp: true,
    run: async (args) => (await import("./main/cli/trace.ts")).trace(args),
  },
};

const [name = "", ...args] = process.argv.slice(2);
// Until it has run to its end: the process may also end because nothing is left to wait for.
process.exitCode = EXIT_BUG;
void run(name, args).then((code) => process.exit(code));

async function run(name: string, args: readonly string[]): Promise<number> {
  const isKnown = Object.hasOwn(SUBCOMMANDS, name);
  const more = isKnown ? {} : (await import("./main/cli/platform-subcommands.ts")).platformSubcommands();
  const all: Readonly<Record<string, Listed>> = { ...SUBCOMMANDS, ...more };
  const subcommand = Object.hasOwn(all, name) ? all[name] : undefined;
  if (subcommand === undefined) {
    const list = Object.entries(all).map(([known, { about }]) => `  ${known.padEnd(18)}${about}`);
    console.error(`${name === "" ? "Say what to do" : `There is no subcommand ${name}`}:\n${list.join("\n")}`);
    return EXIT_CALLER;
  }
  if (subcommand.ownHelp !== true && args.some((arg) => arg === "--help" || arg === "-h")) {
    console.log(`${name}: ${subcommand.about}.`);
    return 0;
  }
  try {
    return await subcommand.run(args);
  } catch (thrown) {
    if (thrown instanceof StorageError) {
      const remedy = thrown.remote
        ? "See that the server runs and can be reached from here, and that its address is right."
        : "";
      console.error(`${thrown.message}.\n${remedy}`.trimEnd());
      return EXIT_NETWORK;
    }
    if (thrown instanceof UserError) {
      console.error([thrown.message, thrown.remedy].filter((line) => line !== undefined).join("\n"));
      return EXIT_CALLER;
    }
    const bug = randomBytes(4).toString("hex");
    console.error(`Bellwether hit a bug (${bug}):`, thrown);
    return EXIT_BUG;
  }
}
