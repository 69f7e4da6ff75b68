// Authentication: the token, the sessions of browsers, and the guards of every request. Read next: guard.ts (headers,
// hosts, origins, bodies), allowed-hosts.ts (DNS rebinding), client-address.ts (proxies), attempt-limiter.ts,
// connection-limit.ts, login.ts, token-tries.ts (guesses).

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import type { Context, Next } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

import { messageOf } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import { type Milliseconds, type Nanoseconds, toMillis } from "../../../units/time.ts";
import { SESSION_LIFETIME_MILLIS } from "../limits.ts";
import { clientOf, type TrustedProxies } from "./client-address.ts";
import { refuse } from "./guard.ts";
import { type TokenTry, TokenTries } from "./token-tries.ts";

/** Authentication of requests. Without a token, everybody who reaches the port has access. */
export type Access = ReturnType<typeof createAccess>;

/** A session that was signed out before its time. */
export interface SignOut {
  readonly session: string;
  /** When the session would have ended, in Unix milliseconds. */
  readonly endsAt: Milliseconds;
}

/** Keeps sign-outs until their sessions would have ended, so that a restart revives none. */
export interface SignOuts {
  all(): Promise<readonly SignOut[]>;
  keep(signOut: SignOut): Promise<void>;
}

interface AccessOptions {
  readonly token: string | undefined;
  readonly proxies: TrustedProxies;
  /** The sign-outs so far. */
  readonly signedOut: readonly SignOut[];
  readonly keepSignOut: SignOuts["keep"];
  readonly log: Log;
  /** Whether cookies go over TLS only. */
  readonly secure: boolean;
  readonly port: () => number;
  readonly now: () => Nanoseconds;
  /** How the pauses between tokens are waited for; left out: by a timer. */
  readonly sleep?: ((millis: Milliseconds, signal: AbortSignal) => Promise<void>) | undefined;
}

export function createAccess(options: AccessOptions) {
  const { now } = options;
  const check = options.token === undefined ? undefined : tokenCheck(options.token);
  // Two lines: a program with an old token in its header must not keep people from signing in.
  const tries = { login: new TokenTries(options), header: new TokenTries(options) };
  const signedOut = new Map(options.signedOut.map(({ session, endsAt }) => [session, endsAt]));
  // Cookies ignore ports: the name separates two consoles on one machine.
  const cookieName = (): string => `bellwether-${options.port()}`;
  const cookie = { path: "/", httpOnly: true, sameSite: "Strict", secure: options.secure } as const;
  const tried = new WeakMap<Request, Promise<TokenTry>>();
  const withToken = new WeakSet<Request>();

  const tryToken = (c: Context, token: string, line: TokenTries): Promise<TokenTry> =>
    line.judge(clientOf(c, options.proxies), () => check?.matches(token) === true, c.req.raw.signal);

  /** One request is one try, however often it is checked. */
  async function bearer(c: Context): Promise<TokenTry | "none"> {
    const given = /^Bearer +(\S+) *$/iu.exec(c.req.header("authorization") ?? "")?.[1];
    if (given === undefined || check === undefined) return "none";
    const trying = tried.get(c.req.raw) ?? tryToken(c, given, tries.header);
    tried.set(c.req.raw, trying);
    if ((await trying) === "right") withToken.add(c.req.raw);
    return trying;
  }

  /** Whether the request is signed in by its cookie, or its token was found right. */
  function isStillSignedIn(c: Context): boolean {
    return check === undefined || sessionOf(c) !== undefined || withToken.has(c.req.raw);
  }

  /** Whether the request is signed in, by cookie or by header. A session waits for no try. */
  async function isSignedIn(c: Context): Promise<boolean> {
    return isStillSignedIn(c) || (await bearer(c)) === "right";
  }

  /** The session of a cookie that holds; undefined where there is none. */
  function sessionOf(c: Context): SignOut | undefined {
    const session = check?.sessionOf(getCookie(c, cookieName()) ?? "", now());
    return session === undefined || signedOut.has(session.session) ? undefined : session;
  }

  return {
    required: check !== undefined,
    /** Whether the Authorization header carries the token. Wrong ones are counted. */
    hasToken: async (c: Context): Promise<boolean> => (await bearer(c)) === "right",
    isSignedIn,
    isStillSignedIn,
    /** Signs a browser in where the token is right. */
    signIn: async (c: Context, token: string): Promise<TokenTry> => {
      const result = await tryToken(c, token, tries.login);
      if (result === "right" && check !== undefined) {
        setCookie(c, cookieName(), check.issue(now()), { ...cookie, maxAge: SESSION_LIFETIME_MILLIS / 1000 });
      }
      return result;
    },
    /** Ends the browser's session, also for whoever has a copy of its cookie. Never rejects. */
    signOut: async (c: Context): Promise<void> => {
      const session = sessionOf(c);
      deleteCookie(c, cookieName(), cookie);
      if (session === undefined) return;
      for (const [ended, endsAt] of signedOut) if (endsAt <= toMillis(now())) signedOut.delete(ended);
      signedOut.set(session.session, session.endsAt);
      try {
        await options.keepSignOut(session);
      } catch (thrown) {
        // This process refuses the session all the same.
        options.log.error({ why: messageOf(thrown) }, "sign-outs unavailable");
      }
    },
    /** Ends sessions that were signed out elsewhere, such as in another process. */
    endSessions(signOuts: readonly SignOut[]): void {
      for (const { session, endsAt } of signOuts) signedOut.set(session, endsAt);
    },
    /** Refuses requests that are not signed in. */
    guard: async (c: Context, next: Next): Promise<Response | void> => {
      if (await isSignedIn(c)) return next();
      const result = await bearer(c);
      if (typeof result === "object") {
        const error = "Too many wrong tokens: wait, then try again.";
        return refuse(c, 429, error, Math.ceil(result.waitMillis / 1000));
      }
      c.header("WWW-Authenticate", 'Bearer realm="Bellwether"');
      return refuse(
        c,
        401,
        result === "wrong"
          ? "The token is wrong."
          : "Sign in at /login, or send the token in the header Authorization: Bearer …",
      );
    },
  };
}

/**
 * The secret that opens the console, and the sessions that browsers get for it. Sessions are signed with the token, so
 * they outlive a restart and end when the token changes.
 */
export function tokenCheck(token: string) {
  const digest = sha256(token);
  const key = createHmac("sha256", token).update("bellwether console session").digest();
  const sign = (claim: string): string => createHmac("sha256", key).update(claim).digest("base64url");
  return {
    /** Compares in constant time. */
    matches: (given: string): boolean => timingSafeEqual(sha256(given), digest),
    /** A session for a cookie: it proves that the token was known, and does not contain it. */
    issue: (now: Nanoseconds): string => {
      const claim = `${toMillis(now) + SESSION_LIFETIME_MILLIS}.${randomBytes(12).toString("base64url")}`;
      return `${claim}.${sign(claim)}`;
    },
    /** The session of a cookie; undefined unless it was issued with this token and has not ended. */
    sessionOf: (cookie: string, now: Nanoseconds): SignOut | undefined => {
      const cut = cookie.lastIndexOf(".");
      const claim = cookie.slice(0, Math.max(cut, 0));
      if (!timingSafeEqual(sha256(cookie.slice(cut + 1)), sha256(sign(claim)))) return undefined;
      const [, ends, session = ""] = /^(\d+)\.(.*)$/u.exec(claim) ?? [];
      const endsAt = Number(ends);
      return toMillis(now) < endsAt ? { session, endsAt } : undefined;
    },
  };
}

function sha256(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}
