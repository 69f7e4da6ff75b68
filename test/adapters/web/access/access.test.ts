import { describe, expect, test } from "vitest";

import { MAX_WAITING_TRIES, SESSION_LIFETIME_MILLIS } from "../../../../src/adapters/web/limits.ts";
import { freePort } from "../../../support/free-port.ts";
import { saying } from "../../../support/said.ts";
import { Clock, echoBot, type Harness, startConsole } from "../harness.ts";

const TOKEN = "a-token-of-twenty-four-chars";
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

async function signIn(harness: Harness, token: string): ReturnType<Harness["send"]> {
  return harness.send("/login", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token }).toString(),
  });
}

describe("with a token", () => {
  test("the page and its parts are free, everything about the network is not", async () => {
    await using harness = await startConsole(echoBot(), { token: TOKEN });
    for (const path of ["/", "/page/console.js", "/login", "/healthz", "/readyz"]) {
      expect([path, (await harness.send(path)).status]).toEqual([path, 200]);
    }
    for (const path of ["/api/console", `/api/files/${"0".repeat(32)}`, "/metrics", "/api/alerts"]) {
      expect([path, (await harness.send(path)).status]).toEqual([path, 401]);
    }
    const asked = await harness.post("/api/invocations", { text: "time" });
    expect(asked.status).toBe(401);
    expect(asked.headers["www-authenticate"]).toBe('Bearer realm="Bellwether"');
    expect(asked.json()).toEqual({ error: expect.stringMatching(saying("/login", "Authorization: Bearer")) });
  });

  test("programs send it in a header", async () => {
    await using harness = await startConsole(echoBot(), { token: TOKEN });
    expect((await harness.post("/api/invocations", { text: "time" }, bearer(TOKEN))).status).toBe(200);
    const wrong = await harness.post("/api/invocations", { text: "time" }, bearer("wrong-token-wrong-token"));
    expect(wrong.status).toBe(401);
    expect(wrong.json()).toEqual({ error: expect.stringMatching(saying("token")) });
  });

  test("never in a URL", async () => {
    await using harness = await startConsole(echoBot(), { token: TOKEN });
    for (const name of ["token", "access_token", "WEB_TOKEN"]) {
      expect((await harness.send(`/api/console?${name}=${TOKEN}`)).status).toBe(401);
    }
  });

  test("browsers get a cookie for it, which ends", async () => {
    const clock = new Clock();
    await using harness = await startConsole(echoBot(), { token: TOKEN, now: clock.now });
    const answer = await signIn(harness, ` ${TOKEN} `);
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe("/");
    const set = answer.headers["set-cookie"]?.[0] ?? "";
    expect(set).toMatch(/; HttpOnly(;|$)/u);
    expect(set).toMatch(/; SameSite=Strict(;|$)/u);
    expect(set).not.toContain(TOKEN);
    const cookie = set.split(";")[0] ?? "";
    expect((await harness.send("/api/console", { headers: { cookie } })).status).toBe(200);
    expect((await harness.send("/api/console", { headers: { cookie: cookie.slice(0, -1) } })).status).toBe(401);
    expect((await harness.send("/login", { headers: { cookie } })).headers.location).toBe("/");
    const asked = await harness.send("/login?q=market%20list", { headers: { cookie } });
    expect(asked.headers.location).toBe("/?q=market%20list");
    const elsewhere = await harness.send("/login?//example.org/", { headers: { cookie } });
    expect(elsewhere.headers.location).toBe("/?//example.org/");
    clock.pass(SESSION_LIFETIME_MILLIS);
    expect((await harness.send("/api/console", { headers: { cookie } })).status).toBe(401);
  });

  test("over TLS the cookie stays there", async () => {
    await using harness = await startConsole(echoBot(), { token: TOKEN, publicUrl: "https://bell.example.net/" });
    expect((await signIn(harness, TOKEN)).headers["set-cookie"]?.[0]).toMatch(/; Secure(;|$)/u);
  });

  test("signing out takes the cookie away", async () => {
    await using harness = await startConsole(echoBot(), { token: TOKEN });
    const answer = await harness.send("/logout", { method: "POST" });
    expect(answer.headers.location).toBe("/login");
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/^bellwether-\d+=;.*Max-Age=0/u);
  });

  test("signing out ends the session on the server, also after a restart", async () => {
    const kept: { session: string; endsAt: number }[] = [];
    const signOuts = {
      all: async () => kept,
      keep: async (one: { session: string; endsAt: number }) => void kept.push(one),
    };
    const port = await freePort();
    const signedIn = async (harness: Harness): Promise<string> =>
      ((await signIn(harness, TOKEN)).headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
    const statusOf = async (harness: Harness, cookie: string): Promise<number> =>
      (await harness.send("/api/console", { headers: { cookie } })).status;
    let ours: string;
    let others: string;
    {
      await using harness = await startConsole(echoBot(), { token: TOKEN, port, signOuts });
      ours = await signedIn(harness);
      others = await signedIn(harness);
      await harness.send("/logout", { method: "POST", headers: { cookie: ours } });
      expect(await statusOf(harness, ours)).toBe(401);
      expect(await statusOf(harness, others)).toBe(200);
    }
    await using again = await startConsole(echoBot(), { token: TOKEN, port, signOuts });
    expect(await statusOf(again, ours)).toBe(401);
    expect(await statusOf(again, others)).toBe(200);
    // As another process ends it.
    const other = { token: TOKEN, port: await freePort(), signOuts, signOutsMillis: 5 };
    await using beside = await startConsole(echoBot(), other);
    const theirs = await signedIn(beside);
    expect(await statusOf(beside, theirs)).toBe(200);
    kept.push({ session: theirs.split(".")[1]!, endsAt: Number.MAX_SAFE_INTEGER });
    await expect.poll(() => statusOf(beside, theirs)).toBe(401);
  });

  test("a wrong one gets a sentence, and each try waits longer than the one before", async () => {
    const clock = new Clock();
    const waited: number[] = [];
    const sleep = async (millis: number): Promise<void> => (waited.push(millis), clock.pass(millis));
    await using harness = await startConsole(echoBot(), { token: TOKEN, now: clock.now, sleep });
    const session = (await signIn(harness, TOKEN)).headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    for (let n = 0; n < 3; n += 1) {
      const answer = await signIn(harness, `guess ${n}`);
      expect(answer.status).toBe(401);
      expect(answer.body).toMatch(/role="alert">.*WEB_TOKEN/u);
      expect(answer.body).not.toContain("guess");
    }
    expect((await signIn(harness, TOKEN)).status).toBe(303);
    expect(waited).toEqual([25, 100, 225]);
    // Neither a session nor a program waits for what is tried at the login.
    expect((await harness.send("/api/console", { headers: { cookie: session } })).status).toBe(200);
    expect((await harness.send("/api/console", { headers: bearer(TOKEN) })).status).toBe(200);
    expect(waited).toHaveLength(3);
  });

  test("ten tries wait, more are refused, and a session goes on", async () => {
    const clock = new Clock();
    const gate = Promise.withResolvers<void>();
    await using harness = await startConsole(echoBot(), { token: TOKEN, now: clock.now, sleep: () => gate.promise });
    const session = (await signIn(harness, TOKEN)).headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    const guess = (): ReturnType<Harness["send"]> => harness.send("/api/console", { headers: bearer("guess") });
    expect((await guess()).status).toBe(401);
    const waiting = Array.from({ length: MAX_WAITING_TRIES }, guess);
    const refused = await expect.poll(guess).toMatchObject({ status: 429 }).then(guess);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(refused.json()).toEqual({ error: expect.stringMatching(saying("wait")) });
    const headers = { cookie: session, ...bearer("guess") };
    expect((await harness.send("/api/console", { headers })).status).toBe(200);
    gate.resolve();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 401));
  });

  test.each([
    ["trusted proxies name their clients", ["127.0.0.1", "10.0.0.0/8"], "203.0.113.9", "198.51.100.1, 10.1.2.3", false],
    ["other peers cannot", [], "203.0.113.9", "198.51.100.1", true],
    ["a client cannot choose its own address", ["127.0.0.1"], "1.1.1.1, 203.0.113.9", "2.2.2.2, 203.0.113.9", true],
  ])("wrong tokens are counted per client: %s", async (_name, trustProxy, guesser, other, waits) => {
    const clock = new Clock();
    const waited: number[] = [];
    const sleep = async (millis: number): Promise<void> => (waited.push(millis), clock.pass(millis));
    await using harness = await startConsole(echoBot(), { token: TOKEN, trustProxy, now: clock.now, sleep });
    const guess = async (client: string): Promise<number> =>
      (await harness.send("/api/console", { headers: { ...bearer("guess"), "x-forwarded-for": client } })).status;
    for (const client of [guesser, guesser, other]) expect(await guess(client)).toBe(401);
    expect(waited).toEqual(waits ? [25, 100] : [25]);
  });

  test("readiness says yes or no only to clients that are not signed in", async () => {
    const ready = async (): Promise<{ ok: boolean; parts: Record<string, { ok: boolean; why: string }> }> => ({
      ok: false,
      parts: { mainnet: { ok: false, why: "http://10.1.2.3:3008 does not answer" } },
    });
    await using harness = await startConsole(echoBot(), { token: TOKEN, ready });
    const closed = await harness.send("/readyz");
    expect(closed.status).toBe(503);
    expect(closed.json()).toEqual({ ok: false });
    const open = await harness.send("/readyz", { headers: bearer(TOKEN) });
    expect(open.json()).toEqual(await ready());
  });
});

test("without a token nobody has to sign in", async () => {
  await using harness = await startConsole(echoBot());
  expect((await harness.send("/login")).headers.location).toBe("/");
  expect((await signIn(harness, "anything")).headers.location).toBe("/");
  expect((await harness.send("/api/console")).json()).toMatchObject({ signedIn: false });
});
