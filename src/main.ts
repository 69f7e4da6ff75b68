import { randomBytes } from "node:crypto";

import { StorageError, UserError } from "./errors.ts";
import { EXIT_BUG, EXIT_CALLER, EXIT_NETWORK, type Subcommand } from "./main/cli/cli.ts";
import { limitYoungGeneration } from "./main/v8-memory.ts";

/** Each loads only the modules it needs. */
const SUBCOMMANDS: Readonly<Record<string, { readonly about: string; load(): Promise<Subcommand> }>> = {
  start: {
    about: "runs the bot: the web console, and each platform whose tokens are set",
    load: async () => {
      // Before large modules are loaded; without a chat platform, start lifts the limit again.
      limitYoungGeneration();
      return (await import("./main/start.ts")).start;
    },
  },
  ask: {
    about: 'asks one question in the terminal: ask "market list"; without one, a prompt',
    load: async () => (await import("./main/cli/ask.ts")).ask,
  },
  simulator: {
    about: "serves a simulated network by itself: simulator --port 3008",
    load: async () => (await import("./main/cli/simulator.ts")).simulator,
  },
  doctor: {
    about: "says what is wrong with settings, tokens, nodes, clock and database, and what to do",
    load: async () => (await import("./main/doctor/doctor.ts")).doctor,
  },
  backup: {
    about: "copies the database into a file while the bot runs: backup FILE",
    load: async () => (await import("./main/cli/backup.ts")).backup,
  },
  restore: {
    about: "puts a backup in the place of the database: restore FILE",
    load: async () => (await import("./main/cli/backup.ts")).restore,
  },
  "migrate-store": {
    about: "copies the database into an empty one, from a file to PostgreSQL or back: migrate-store --from … --to …",
    load: async () => (await import("./main/cli/migrate-store.ts")).migrateStore,
  },
};

const [name = "", ...args] = process.argv.slice(2);
process.exit(await run(name, args));

async function subcommandOf(name: string): Promise<Subcommand | undefined> {
  if (Object.hasOwn(SUBCOMMANDS, name)) return SUBCOMMANDS[name]?.load();
  const ofPlatforms = await loadPlatformSubcommands();
  return Object.hasOwn(ofPlatforms, name) ? ofPlatforms[name]?.run : undefined;
}

async function loadPlatformSubcommands() {
  return (await import("./main/cli/platform-subcommands.ts")).platformSubcommands();
}

async function run(name: string, args: readonly string[]): Promise<number> {
  const subcommand = await subcommandOf(name);
  if (subcommand === undefined) {
    const all = { ...SUBCOMMANDS, ...(await loadPlatformSubcommands()) };
    const list = Object.entries(all).map(([known, { about }]) => `  ${known.padEnd(18)}${about}`);
    console.error(`${name === "" ? "Say what to do" : `There is no subcommand ${name}`}:\n${list.join("\n")}`);
    return EXIT_CALLER;
  }
  try {
    return await subcommand(args);
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
