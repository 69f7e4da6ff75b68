import { atMost, type Measured, runAsScript } from "./support/figure.ts";
import { measureLoad } from "./markets/load.ts";
import { play } from "./markets/play.ts";
import { TABLES } from "./markets/tables.ts";

// Alerts about values of markets: tables of what a market shows and what must be told of it, through the watcher, the
// engine, the outbox and a database in virtual time; and how long 1,000 markets with 10,000 watches take to judge.

async function measure(): Promise<readonly Measured[]> {
  let wrong = 0;
  for (const table of TABLES) {
    const story = await play(table);
    if (story.length === 0) continue;
    wrong += 1;
    console.log(`${table.ask}\n${story.map(({ look, told }) => `  ${look}: ${told}`).join("\n")}\n`);
  }
  const tables = atMost("markets: tables that are told otherwise", wrong, 0, "", `of ${TABLES.length}`);
  return [tables, ...(await measureLoad())];
}

await runAsScript(import.meta.url, measure);
