import { expect, onTestFinished, test } from "vitest";

import { onServer, postgresMissing, scratchPostgres } from "../../support/postgres.ts";
import { Fleet } from "./fleet.ts";

// A short form of troubles.slow.test.ts: it does not wait until the killed process counts as dead, but says so in its row.
test.skipIf(postgresMissing !== undefined)(
  `of two processes one is killed while it sends, and the other delivers all ${postgresMissing ?? ""}`,
  { timeout: 60_000 },
  async () => {
    const database = await scratchPostgres();
    onTestFinished(() => database.drop());
    await using fleet = await Fleet.open({ url: database.url, discord: 4, slack: 0 });
    const { discord } = fleet;
    // The first message stands in its channel, but its sender never hears so.
    let stuck: string | undefined;
    discord.misbehave = ({ method, path }) =>
      method === "POST" && (stuck ??= path) === path ? "hang-after" : undefined;
    await Promise.all([fleet.start(), fleet.owe({ discord: 1, slack: 0 })]);
    await fleet.stands(4);
    const owing = fleet.owe({ discord: 9, slack: 0 });
    await fleet.start();
    await fleet.running.shift()?.kill("SIGKILL");
    discord.misbehave = () => undefined;
    await owing;
    await onServer(database.url, "update processes set alive_until = 0");
    await fleet.settled(15_000);
    expect(await fleet.drain()).toEqual([]);
    expect(await fleet.judge()).toMatchObject({ owed: 40, faults: [] });
    // Answered were the repeat of the first, which Discord dropped, and the nine after it.
    expect(discord.requests.filter(({ method, path }) => method === "POST" && path === stuck)).toHaveLength(10);
  },
);
