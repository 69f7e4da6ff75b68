import { describe, expect, it } from "vitest";

import {
  afterRefusal,
  isTryDue,
  nextTryAt,
  readSuspensions,
  Suspensions,
  tryNow,
} from "../../../src/alerts/route/suspension.ts";
import { openStage } from "../stage.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const AT = 1_800_000_000_000;
const ops = { platform: "slack", channel: "ops" };
const lost = { platform: "slack", destination: ops, since: AT, why: "is_archived" };
const refused = { platform: "slack", workspace: "T1", since: AT, why: "invalid_auth" };
const retired = { at: AT, subscriptions: 1, unsent: 0 };

describe("what is suspended is tried next", () => {
  it.each([
    ["a destination after a minute", lost, 0, MINUTE],
    ["a destination after as long as it is suspended", lost, 10 * MINUTE, 10 * MINUTE],
    ["a destination after an hour at most", lost, DAY, HOUR],
    ["a token after a minute", refused, 10 * MINUTE, MINUTE],
    ["a token whose subscriptions have ended after five", { ...refused, retired }, DAY, 5 * MINUTE],
  ])("%s", (_what, suspension, lasted, pause) => {
    const at = AT + lasted;
    expect(nextTryAt(suspension, at, () => 0)).toBe(at + pause);
    const spread = nextTryAt(suspension, at, () => 0.999) - at;
    expect(spread).toBeGreaterThan(pause * 0.74);
    expect(spread).toBeLessThanOrEqual(pause);
  });

  it.each([
    [-1, true],
    [0, true],
    [1, false],
    [HOUR, false],
    // The clock was set back.
    [HOUR + 1, true],
  ])("%d ms from now: %s", (from, isDue) => {
    expect(isTryDue({ nextAt: AT + from }, AT)).toBe(isDue);
  });
});

describe("a refusal", () => {
  const error = { message: "not_in_channel", operator: false };
  it.each([
    ["begins", undefined, AT, { since: AT }],
    ["goes on", { ...lost, nextAt: 0 }, AT + 5, { since: AT }],
    ["of a clock that was set back makes it no longer", { ...lost, nextAt: 0 }, AT - 5, { since: AT - 5 }],
    ["keeps that its subscriptions have ended", { ...lost, nextAt: 0, retired }, AT, { since: AT, retired }],
    ["refutes that it was accepted", { ...lost, nextAt: 0, accepted: true as const }, AT, { since: AT }],
  ])("%s", (_what, before, at, after) => {
    const target = { platform: "slack", destination: ops };
    expect(afterRefusal(before, target, error, at)).toMatchObject({ ...after, why: "not_in_channel" });
    expect(afterRefusal(before, target, error, at)).not.toHaveProperty("accepted");
    expect(afterRefusal(before, target, { ...error, operator: true }, at)).toMatchObject({ operator: true });
  });
});

it("what an earlier version stored is tried at once; what is asked for by key is, too, and nothing else", async () => {
  const { store } = await openStage();
  await store.transaction(async ({ alerts }) => {
    await alerts.watch.putSnapshot("", "refused-tokens", AT, JSON.stringify([lost]));
    const [stored] = await readSuspensions(alerts);
    expect(stored).toEqual({ ...lost, nextAt: 0 });
    const suspensions = new Suspensions([]);
    const desk = { ...lost, destination: { ...ops, channel: "desk" }, nextAt: AT + 9 };
    for (const one of [{ ...lost, nextAt: AT + 9 }, desk]) suspensions.put(one);
    await suspensions.save(alerts, AT);
    await tryNow(alerts, ["slack//ops/", "slack//none/"], AT + 1);
    expect((await readSuspensions(alerts)).map(({ nextAt }) => nextAt - AT)).toEqual([1, 9]);
  });
});
