import { expect, it } from "vitest";

import { questionsDue } from "../../../../src/alerts/deliver/dispatch/ask-token.ts";
import { Suspensions } from "../../../../src/alerts/route/suspension.ts";
import { FakeSender } from "../../../support/fake-sender.ts";
import { GuardedSender } from "../../../support/guarded-sender.ts";

const AT = 1_800_000_000_000;
const MINUTE = 60_000;
const slack = new GuardedSender({ platform: "slack", now: () => AT });
const untold = new FakeSender({ platform: "untold", now: () => AT });
const refused = { platform: "slack", since: AT, why: "invalid_auth" };

it("a refused token that is due is asked about by one process, once; at its start each asks", () => {
  const suspensions = new Suspensions([]);
  suspensions.put({ ...refused, workspace: "T1", nextAt: AT });
  suspensions.put({ ...refused, workspace: "T2", nextAt: AT + 1 });
  suspensions.put({ ...refused, destination: { platform: "slack", channel: "C1" }, nextAt: AT });
  const ask = (at: number, isFirst = false, isRound = false) =>
    questionsDue([slack, untold], at, { isFirst, isRound }, { suspensions, random: () => 0 }).map(
      ({ sender, token }) => `${sender.platform} ${token.workspace ?? "all"}`,
    );
  expect(ask(AT)).toEqual(["slack T1"]);
  expect(ask(AT)).toEqual([]);
  expect(ask(AT + 1)).toEqual(["slack T2"]);
  expect(ask(AT + MINUTE)).toEqual(["slack T1"]);
  expect(ask(AT + MINUTE, true, true)).toEqual(["slack T1", "slack T2", "slack all"]);
  expect(ask(AT + MINUTE, false, true)).toEqual(["slack all"]);
  suspensions.put({ ...refused, nextAt: AT + 9 * MINUTE });
  expect(ask(AT + MINUTE, false, true)).toEqual([]);
});
