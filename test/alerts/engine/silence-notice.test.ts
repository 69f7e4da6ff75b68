import { expect, it } from "vitest";

import { plainText } from "../../../src/reply/plain-text.ts";
import { describeAlert, gist } from "../../support/gist.ts";
import { openStage } from "../stage.ts";
import { readMessages } from "../../../src/alerts/deliver/outbox/stored-messages.ts";

const DAY = 86_400_000;
const operators = { platform: "fake", channel: "operators" };

it("tells the operators once a day which silences hold, also after a restart", async () => {
  const stage = await openStage({ operators });
  await stage.stopDelivering();
  const pass = async (millis: number): Promise<void> => {
    await stage.clock.advance(millis);
    await stage.engine.upkeep();
  };
  const owed = () =>
    stage.store.transaction(async ({ alerts }) => {
      const rows = await alerts.outbox.openOf("fake//operators/");
      const messages = await readMessages(alerts, rows);
      return rows.map(({ message }) => gist(messages.get(message)!));
    });
  const begin = stage.now();
  const silence = { by: "ann", created: begin };
  const until = begin + 3 * DAY + 60_000;
  await stage.engine.putSilence(
    { ...silence, id: "long1", scope: { destination: "fake//c1/" }, from: begin, until },
    "a",
  );
  const recurrence = { every: "day", zone: "UTC", until: begin + 3 * DAY } as const;
  const window = { from: begin, until: begin + 3_600_000, recurrence };
  await stage.engine.putSilence({ ...silence, id: "noon1", scope: { kind: "node.down" }, ...window }, "a");
  await pass(DAY - 1000);
  expect(await owed()).toEqual([]);
  await pass(1000);
  expect(await owed()).toEqual(["silences: 2"]);
  await pass(3000);
  expect(await owed()).toEqual(["silences: 2"]);
  await stage.restart();
  expect(stage.sender.take()).toEqual(["operators: silences: 2"]);
  await stage.stopDelivering();
  // Outside of the window that comes again, one of them holds.
  await pass(DAY + 7_200_000);
  expect(await owed()).toEqual(["silences: 1"]);
  await pass(2 * DAY);
  expect(await owed()).toEqual(["silences: 1"]);
});

it("says of a silence until alerts are over that it lasts so long, of another one its end", () => {
  const silence = { id: "s1", scope: { kind: "node.down" }, from: 0, until: 30 * DAY, by: "ada", created: 0 };
  const waiting = { ...silence, id: "s2", untilOver: ["node.down|mainnet|a:1|3"] };
  const several = { ...silence, id: "s3", untilOver: [...waiting.untilOver, "node.down|mainnet|b:1|1"] };
  const silences = [silence, waiting, several];
  const { blocks } = describeAlert({ type: "notice", notice: { about: "silences", silences }, at: "0" });
  const [list] = blocks;
  if (list?.kind !== "list") throw new Error("no list");
  expect(list.items.map((item) => plainText(item))).toEqual([
    "node outages in all channels, until 1970-01-31 00:00:00 UTC, by ada",
    "node outages in all channels, until it is over, by ada",
    "node outages in all channels, until all are over, by ada",
  ]);
});
