import { describe, expect, test } from "vitest";

import { tokenCheck } from "../../../../src/adapters/web/access/access.ts";
import { createAttemptLimiter } from "../../../../src/adapters/web/access/attempt-limiter.ts";
import {
  ATTEMPT_WINDOW_MILLIS,
  MAX_FAILED_ATTEMPTS,
  SESSION_LIFETIME_MILLIS,
} from "../../../../src/adapters/web/limits.ts";
import { Clock } from "../harness.ts";

describe("the token", () => {
  const check = tokenCheck("correct horse battery staple");
  const clock = new Clock();

  test("is matched whole", () => {
    expect(check.matches("correct horse battery staple")).toBe(true);
    for (const wrong of [
      "",
      "correct horse battery stapl",
      "correct horse battery staple ",
      "Correct horse battery staple",
    ]) {
      expect(check.matches(wrong)).toBe(false);
    }
  });

  test("gives sessions that end, differ, and do not contain it", () => {
    const issued = check.issue(clock.now());
    expect(issued).not.toContain("horse");
    expect(check.issue(clock.now())).not.toBe(issued);
    expect(check.sessionOf(issued, clock.now())).toBeDefined();
    clock.pass(SESSION_LIFETIME_MILLIS - 1);
    expect(check.sessionOf(issued, clock.now())).toBeDefined();
    clock.pass(1);
    expect(check.sessionOf(issued, clock.now())).toBeUndefined();
  });

  test("does not accept a session that was changed, or issued with another token", () => {
    const [ends = "", nonce = "", mac = ""] = check.issue(clock.now()).split(".");
    const forged = [
      `${Number(ends) + 1}.${nonce}.${mac}`,
      `${ends}.x${nonce}.${mac}`,
      `${ends}.${nonce}.`,
      `${ends}.${nonce}`,
      "",
      ".",
      "..",
      tokenCheck("another token entirely").issue(clock.now()),
    ];
    expect(forged.filter((session) => check.sessionOf(session, clock.now()) !== undefined)).toEqual([]);
  });
});

describe("failed attempts", () => {
  const fail = (
    attempts: ReturnType<typeof createAttemptLimiter>,
    address: string,
    clock: Clock,
    times: number,
  ): void => {
    for (let n = 0; n < times; n += 1) attempts.failed(address, clock.now());
  };

  test("make one address wait for the rest of a minute", () => {
    const clock = new Clock();
    const attempts = createAttemptLimiter();
    fail(attempts, "10.0.0.1", clock, MAX_FAILED_ATTEMPTS - 1);
    expect(attempts.waitMillis("10.0.0.1", clock.now())).toBe(0);
    clock.pass(10_000);
    fail(attempts, "10.0.0.1", clock, 1);
    expect(attempts.waitMillis("10.0.0.1", clock.now())).toBe(ATTEMPT_WINDOW_MILLIS - 10_000);
    expect(attempts.waitMillis("10.0.0.2", clock.now())).toBe(0);
    clock.pass(ATTEMPT_WINDOW_MILLIS - 10_000);
    expect(attempts.waitMillis("10.0.0.1", clock.now())).toBe(0);
  });

  test("count a whole IPv6 network as one address, and a mapped IPv4 address as itself", () => {
    const clock = new Clock();
    const attempts = createAttemptLimiter();
    fail(attempts, "2001:db8:1:2::1", clock, 3);
    fail(attempts, "2001:db8:1:2:aaaa:bbbb:cccc:dddd", clock, 2);
    expect(attempts.waitMillis("2001:db8:1:2::77", clock.now())).toBeGreaterThan(0);
    expect(attempts.waitMillis("2001:db8:1:3::1", clock.now())).toBe(0);
    fail(attempts, "::ffff:10.0.0.1", clock, MAX_FAILED_ATTEMPTS);
    expect(attempts.waitMillis("10.0.0.1", clock.now())).toBeGreaterThan(0);
    expect(attempts.waitMillis("::ffff:10.0.0.2", clock.now())).toBe(0);
  });

  test("of many addresses make nobody else wait", () => {
    const clock = new Clock();
    const attempts = createAttemptLimiter();
    for (let n = 0; n < 3000; n += 1) attempts.failed(`10.${n % 250}.${n % 13}.1`, clock.now());
    expect(attempts.waitMillis("192.168.0.1", clock.now())).toBe(0);
  });
});
