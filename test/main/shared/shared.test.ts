import { expect, onTestFinished, test } from "vitest";

import { postgresMissing, scratchPostgres } from "../../support/postgres.ts";
import { Fleet } from "./fleet.ts";

// A short form of troubles.slow.test.ts: most of its seconds pass until a killed process counts as dead.
test.skipIf(postgresMissing !== undefined)(
  `of two processes one is killed and the other delivers all ${postgresMissing ?? ""}`,
  { timeout: 60_000 },
  async () => {
    const database = await scratchPostgres();
    onTestFinished(() => database.drop());
    await using fleet = await Fleet.open({ url: database.url, discord: 4, slack: 0 });
    await Promise.all([fleet.start(), fleet.start()]);
    await fleet.owe({ discord: 10, slack: 0 });
    await fleet.stands(10);
    await fleet.running.shift()?.kill("SIGKILL");
    await fleet.settled(15_000);
    expect(await fleet.drain()).toEqual([]);
    expect(await fleet.judge()).toMatchObject({ owed: 40, faults: [] });
  },
);
