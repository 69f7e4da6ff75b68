// Run after `npm ci` and `npm install`, through bin/run.mjs: loads what `npm start` and `npm run ask` load, without
// starting anything, so that the compile cache is filled and the first start is as quick as every other. It may fail:
// the first start then compiles by itself.

const loaded = [
  "../src/main/start.ts",
  "../src/main/cli/ask.ts",
  "../src/main/holder/holder-client.ts",
  "../src/main/holder/holder.ts",
  "../src/simulator/simulator.ts",
  "../src/bot/bot.ts",
  "../commands/index.ts",
  "../src/export/ledger-exports.ts",
  "../src/adapters/web/index.ts",
  "../src/adapters/discord/index.ts",
  "../src/store/tables.ts",
  "../src/store/sqlite/kysely-sqlite.ts",
  "../src/store/migrations/migrate.ts",
  "../src/alerts/dispatch/dispatch.ts",
  "../src/alerts/wording/wording.ts",
  "../src/watchers/create-watchers.ts",
  "../src/watchers/drills.ts",
  "../src/watchers/schedule.ts",
  "prom-client",
  "pino-pretty",
];
await Promise.allSettled(loaded.map((module) => import(module)));
// Some of them hold timers.
process.exit();
