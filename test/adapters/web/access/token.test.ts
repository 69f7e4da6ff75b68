import { describe, expect, test } from "vitest";

import { tokenCheck } from "../../../../src/adapters/web/access/access.ts";
import { type TokenTry, TokenTries } from "../../../../src/adapters/web/access/token-tries.ts";
import {
  MAX_TRY_PAUSE_MILLIS,
  MAX_WAITING_TRIES,
  SESSION_LIFETIME_MILLIS,
  TRIES_FORGOTTEN_MILLIS,
} from "../../../../src/adapters/web/limits.ts";
import { toMillis } from "../../../../src/units/time.ts";
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

describe("tries of a token", () => {
  const never = new AbortController().signal;

  /** Tries by a clock that sleeping moves: `try` says how long one took, and what became of it. */
  function tries() {
    const clock = new Clock();
    const compared: number[] = [];
    const line = new TokenTries({ now: clock.now, sleep: async (millis) => clock.pass(millis) });
    const start = toMillis(clock.now());
    const elapsed = () => toMillis(clock.now()) - start;
    const judge = (address: string, right = false): Promise<TokenTry> =>
      line.judge(address, () => (compared.push(elapsed()), right), never);
    return { clock, compared, elapsed, judge };
  }

  test("of one address wait longer after each wrong one, up to ten seconds after twenty", async () => {
    const { compared, judge } = tries();
    for (let n = 0; n < 30; n += 1) expect(await judge("10.0.0.1")).toBe("wrong");
    const pauses = compared.slice(1).map((at, index) => at - compared[index]!);
    expect(pauses.slice(0, 4)).toEqual([25, 100, 225, 400]);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses.slice(19)).toEqual(Array.from({ length: 10 }, () => MAX_TRY_PAUSE_MILLIS));
  });

  test("wait one behind the other, and no more than ten of them", async () => {
    const { compared, judge } = tries();
    for (let n = 0; n < 20; n += 1) await judge("10.0.0.1");
    const before = compared.at(-1)!;
    const all = await Promise.all(Array.from({ length: MAX_WAITING_TRIES + 3 }, () => judge("10.0.0.1")));
    expect(compared.slice(20).map((at) => at - before)).toEqual(
      [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((s) => s * 1000),
    );
    expect(all.slice(0, MAX_WAITING_TRIES)).toEqual(Array.from({ length: MAX_WAITING_TRIES }, () => "wrong"));
    expect(all.slice(MAX_WAITING_TRIES)).toEqual([1, 2, 3].map(() => ({ waitMillis: 100_000 })));
  });

  test("with the right one wait, too, and are not counted", async () => {
    const { clock, elapsed, judge } = tries();
    for (let n = 0; n < 100; n += 1) expect(await judge("10.0.0.1", true)).toBe("right");
    expect(elapsed()).toBe(0);
    for (let n = 0; n < 20; n += 1) await judge("10.0.0.1");
    const before = elapsed();
    expect(await judge("10.0.0.1", true)).toBe("right");
    expect(elapsed() - before).toBe(MAX_TRY_PAUSE_MILLIS);
    clock.pass(MAX_TRY_PAUSE_MILLIS + TRIES_FORGOTTEN_MILLIS);
    await judge("10.0.0.1");
    const later = elapsed();
    await judge("10.0.0.1");
    expect(elapsed() - later).toBe(25);
  });

  test("of a client that left are not compared", async () => {
    const left = AbortSignal.abort();
    const clock = new Clock();
    const line = new TokenTries({ now: clock.now });
    let compared = 0;
    const count = (): boolean => (compared += 1) === 0;
    await line.judge("10.0.0.1", count, left);
    expect(await line.judge("10.0.0.1", count, left)).toBe("wrong");
    expect(compared).toBe(1);
  });

  test("count a whole IPv6 network as one address, and a mapped IPv4 address as itself", async () => {
    const { elapsed, judge } = tries();
    const took = async (address: string): Promise<number> => {
      const before = elapsed();
      await judge(address);
      return elapsed() - before;
    };
    expect(await took("2001:db8:1:2::1")).toBe(0);
    expect(await took("2001:db8:1:2:aaaa:bbbb:cccc:dddd")).toBe(25);
    expect(await took("2001:db8:1:3::1")).toBe(0);
    expect(await took("::ffff:10.0.0.1")).toBe(0);
    expect(await took("10.0.0.1")).toBe(25);
    expect(await took("::ffff:10.0.0.2")).toBe(0);
  });

  test("of many addresses make nobody else wait", async () => {
    const { elapsed, judge } = tries();
    await Promise.all(Array.from({ length: 3000 }, (_, n) => judge(`10.${n % 250}.${n % 13}.1`)));
    const before = elapsed();
    await judge("192.168.0.1");
    expect(elapsed()).toBe(before);
  });
});
