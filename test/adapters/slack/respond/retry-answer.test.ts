import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import {
  ANSWER_RETRY_POLICY,
  answerRetrier,
  type RetryableAnswer,
  type SendAnswer,
} from "../../../../src/adapters/slack/respond/retry-answer.ts";
import {
  ResponseRefused,
  ResponseUnreached,
  ResponseUrlExpired,
} from "../../../../src/adapters/slack/transport/response-url.ts";
import { silentLog } from "../../../../src/log.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { VirtualWaits } from "../virtual-waits.ts";

const MINUTE = 60_000;
const platform = (error: string) => new WebAPIPlatformError({ ok: false, error });
const http = (status: number) => new WebAPIHTTPError(status, "", {}, "");
const unreached = () => new ResponseUnreached("no answer", { cause: new Error("reset") });
const refused = () =>
  new ResponseUnreached("no answer", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });

function retrier(waits: VirtualWaits, stopping = new AbortController()): SendAnswer {
  return answerRetrier({
    log: silentLog(),
    sleep: waits.sleep,
    now: () => waits.passed,
    stopping: stopping.signal,
    policy: ANSWER_RETRY_POLICY,
  });
}

/** An answer that fails with these errors at each place, one after the other, and is then sent. */
function answerThat(here: readonly unknown[], there?: readonly unknown[]) {
  const tries: string[] = [];
  const attempt = (name: string, faults: unknown[]) => (again: boolean) => {
    tries.push(again ? `${name} again` : name);
    const fault = faults.shift();
    return fault === undefined ? Promise.resolve() : Promise.reject(fault);
  };
  const answer: RetryableAnswer = {
    sayHere: attempt("here", [...here]),
    sayInDirectMessage: there === undefined ? undefined : attempt("there", [...there]),
    simplify: () => {
      tries.push("simpler");
      return tries.filter((one) => one === "simpler").length === 1;
    },
  };
  return { tries, answer };
}

const often = (fault: () => unknown): unknown[] => Array.from({ length: 200 }, fault);

describe("an answer is retried", () => {
  // Pauses are shortened at random.
  beforeEach(() => vi.spyOn(Math, "random").mockReturnValue(0.999));
  afterEach(() => vi.restoreAllMocks());

  test.each<[string, unknown[], unknown[] | undefined, string[]]>([
    ["nothing is wrong", [], [], ["here"]],
    ["too late for the response_url", [new ResponseUrlExpired("x")], [], ["here", "there"]],
    ["nothing arrived", [new ResponseRefused("503")], [], ["here", "there"]],
    ["perhaps it arrived", [new ResponseRefused("500")], [], ["here", "there again"]],
    ["no answer", [unreached()], [], ["here", "there again"]],
    ["nobody there", [refused()], [http(503)], ["here", "there", "here"]],
    ["a place that is gone", [platform("channel_not_found")], [http(503)], ["here", "there", "there"]],
    ["refused content, once", [new ResponseRefused("invalid_blocks")], [], ["here", "simpler", "here"]],
    [
      "refused content in direct messages",
      [new ResponseUrlExpired("x")],
      [platform("msg_too_long")],
      ["here", "there", "simpler", "there"],
    ],
    ["one place alone", [http(500), http(500)], undefined, ["here", "here again", "here again"]],
    ["a token that is refused for a while", [platform("invalid_auth")], undefined, ["here", "here"]],
    ["a long rate limit", [new WebAPIRateLimitedError(50)], undefined, ["here", "here"]],
    ["a line that breaks", [new WebAPIRequestError(new Error("reset"))], undefined, ["here", "here again"]],
    ["the page of a proxy", [platform("<html>Maintenance</html>")], undefined, ["here", "here again"]],
  ])("%s", async (_name, here, there, expected) => {
    const waits = new VirtualWaits();
    const { tries, answer } = answerThat(here, there);
    let done = false;
    const work = retrier(waits)("x", answer).then((sent) => (done = sent));
    await waits.passUntil(() => done, "it to be sent");
    await work;
    expect(tries).toEqual(expected);
  });

  test.each<[string, unknown[], unknown[] | undefined]>([
    ["refused twice", [platform("invalid_blocks"), platform("invalid_blocks")], undefined],
    ["a place that is gone, and no other", [platform("is_archived")], undefined],
    ["both gone", [new ResponseUrlExpired("x")], [platform("user_disabled")]],
    ["a missing permission", [platform("missing_scope")], undefined],
    ["a fault of ours", [new TypeError("x is undefined")], undefined],
  ])("%s: not at all", async (_name, here, there) => {
    const waits = new VirtualWaits();
    const { answer } = answerThat(here, there);
    await expect(retrier(waits)("x", answer)).rejects.toThrow(Error);
    expect(waits.passed).toBe(0);
  });

  test("for half an hour, with growing pauses; the response_url's five uses are spread over ten minutes", async () => {
    const waits = new VirtualWaits();
    const { answer, tries } = answerThat(
      often(unreached),
      often(() => http(500)),
    );
    const at: number[] = [];
    const timed: RetryableAnswer = {
      ...answer,
      sayHere: (again) => {
        at.push(waits.passed);
        return answer.sayHere(again);
      },
    };
    let sent: boolean | undefined;
    const work = retrier(waits)("x", timed).then((is) => (sent = is));
    await waits.passUntil(() => sent !== undefined, "the end");
    await work;
    expect(sent).toBe(false);
    expect(waits.passed).toBeGreaterThan(28 * MINUTE);
    expect(waits.passed).toBeLessThanOrEqual(30 * MINUTE);
    expect(at[3]).toBeGreaterThan(MINUTE);
    expect(at[4]).toBeGreaterThan(8 * MINUTE);
    expect(tries.length).toBeLessThan(50);
  });

  test("after a rate limit, once the time is over that Slack names", async () => {
    const waits = new VirtualWaits();
    const { answer } = answerThat([new WebAPIRateLimitedError(300)]);
    const work = retrier(waits)("x", answer);
    await waits.next();
    await work;
    expect(waits.passed).toBe(300_000);
  });

  test("at most 200 wait at a time: one more is rejected, and later ones are taken again", async () => {
    const waits = new VirtualWaits();
    const queue = retrier(waits);
    const many = Array.from({ length: 200 }, () => answerThat([http(503)]));
    const work = Promise.all(many.map(({ answer }) => queue("x", answer)));
    await until(() => waits.waiting === 200, "all of them to wait");
    expect(await queue("x", answerThat([http(503)]).answer)).toBe(false);
    while (waits.waiting > 0) await waits.next();
    expect(await work).toEqual(many.map(() => true));
    const { answer, tries } = answerThat([http(503)]);
    const later = queue("x", answer);
    await waits.next();
    await later;
    expect(tries).toEqual(["here", "here"]);
  });

  test("not by a bot that stops", async () => {
    const waits = new VirtualWaits();
    const stopping = new AbortController();
    const queue = retrier(waits, stopping);
    const work = queue("x", answerThat(often(() => http(503))).answer);
    await until(() => waits.waiting === 1, "it to wait");
    stopping.abort(new Error("stop"));
    await expect(work).rejects.toThrow(/503/u);
    expect(waits.waiting).toBe(0);
  });
});
