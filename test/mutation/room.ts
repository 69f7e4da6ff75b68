// oxlint-disable-next-line no-restricted-properties -- settings of a test, not of the bot
const { MUTATION_ROOM = "alerts", MUTATION_SEED = "1", MUTATION_SHARE } = process.env;

interface Room {
  readonly mutate: readonly string[];
  /** Tests in `test/`, as globs, those of single functions before those of the whole: they fail first for a fault. */
  readonly tests: readonly string[];
  /** How many of the mutants are tested unless MUTATION_SHARE says, from 0 to 1. */
  readonly share: number;
}

const ROOMS: Readonly<Record<string, Room>> = {
  alerts: {
    mutate: ["src/alerts/{engine,judge,judge/rules,deliver/outbox,message}/*.ts"],
    tests: [
      "judge",
      "judge/rules",
      "message",
      "route",
      "deliver/outbox",
      "engine",
      "deliver/dispatch",
      "service",
      ".",
    ].map((folder) => `alerts/${folder}/*`),
    share: 0.2,
  },
  ledger: {
    // The threads run what normalise/ and block-writer.ts hold; a mutant is switched on in the test's own thread alone.
    mutate: [
      "src/api/ledger/*.ts",
      "src/export/*.ts",
      "src/export/{normalise,verify}/*.ts",
      "!src/export/**/*-thread.ts",
    ],
    tests: [
      "api/ledger/*",
      "export/!(every-cut|ledger-cases|ledger-exports|readers)",
      "export/{ledger-exports,readers,ledger-cases,every-cut}",
    ],
    share: 0.2,
  },
  verdict: { mutate: ["src/api/verdict/*.ts"], tests: ["api/verdict/*", "watchers/sources/*"], share: 1 },
};

const room = ROOMS[MUTATION_ROOM];
if (room === undefined) throw new Error(`MUTATION_ROOM is one of ${Object.keys(ROOMS).join(", ")}`);

/** The room whose code is broken. */
export const ROOM: Room = room;

/** The mutants that are tested: their share, and what chooses them. */
export const SAMPLE = { seed: MUTATION_SEED, share: Number(MUTATION_SHARE ?? room.share) };
