// Authentication: the token, the sessions of browsers, and the guards of every request. Read next: guard.ts (headers,
// hosts, origins, bodies), allowed-hosts.ts (DNS rebinding), attempt-limiter.ts, login.ts.

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

import { type Nanoseconds, toMillis } from "../../../units/nanoseconds.ts";
import { SESSION_LIFETIME_MILLIS } from "../limits.ts";
import { createAttemptLimiter } from "./attempt-limiter.ts";
import { refuse } from "./guard.ts";

/** Authentication of requests. Without a token, everybody who reaches the port has access. */
export interface Access {
  readonly required: boolean;
  /** Whether the Authorization header carries the token. Wrong ones are counted. */
  readonly hasToken: (c: Context) => boolean;
  /** Whether the request is signed in, by header or by cookie. */
  isSignedIn(c: Context): boolean;
  /** Signs a browser in, or returns why not. */
  signIn(c: Context, token: string): "signed-in" | "wrong" | { waitMillis: number };
  signOut(c: Context): void;
  /** Refuses requests that are not signed in. */
  guard: MiddlewareHandler;
}

interface AccessOptions {
  readonly token: string | undefined;
  /** Whether cookies go over TLS only. */
  readonly secure: boolean;
  readonly port: () => number;
  readonly now: () => Nanoseconds;
}

export function createAccess(options: AccessOptions): Access {
  const { now } = options;
  const check = options.token === undefined ? undefined : tokenCheck(options.token);
  const attempts = createAttemptLimiter();
  // Cookies ignore ports: the name separates two consoles on one machine.
  const cookieName = (): string => `bellwether-${options.port()}`;
  const cookie = { path: "/", httpOnly: true, sameSite: "Strict", secure: options.secure } as const;
  const tried = new WeakMap<Request, "right" | "wrong" | { waitMillis: number }>();

  function tryToken(c: Context, token: string): "right" | "wrong" | { waitMillis: number } {
    const address = addressOf(c);
    // While an address must wait, it does not learn whether a token is right; otherwise waiting would not slow
    // guessing.
    const waitMillis = attempts.waitMillis(address, now());
    if (waitMillis > 0) return { waitMillis };
    if (check?.matches(token) === true) return "right";
    attempts.failed(address, now());
    return "wrong";
  }

  /** One request is one attempt, however often it is checked. */
  function bearer(c: Context): "right" | "wrong" | "none" | { waitMillis: number } {
    const given = /^Bearer +(\S+) *$/iu.exec(c.req.header("authorization") ?? "")?.[1];
    if (given === undefined || check === undefined) return "none";
    const before = tried.get(c.req.raw);
    if (before !== undefined) return before;
    const result = tryToken(c, given);
    tried.set(c.req.raw, result);
    return result;
  }

  function isSignedIn(c: Context): boolean {
    if (check === undefined || bearer(c) === "right") return true;
    const session = getCookie(c, cookieName());
    return session !== undefined && check.accepts(session, now());
  }

  return {
    required: check !== undefined,
    hasToken: (c) => bearer(c) === "right",
    isSignedIn,
    signIn: (c, token) => {
      const result = tryToken(c, token);
      if (result !== "right" || check === undefined) return result === "right" ? "signed-in" : result;
      setCookie(c, cookieName(), check.issue(now()), { ...cookie, maxAge: SESSION_LIFETIME_MILLIS / 1000 });
      return "signed-in";
    },
    signOut: (c) => {
      deleteCookie(c, cookieName(), cookie);
    },
    guard: async (c, next) => {
      if (isSignedIn(c)) return next();
      const result = bearer(c);
      if (typeof result === "object") {
        c.header("Retry-After", String(Math.ceil(result.waitMillis / 1000)));
        return refuse(c, 429, "Too many wrong tokens: wait a minute and try again.");
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

function addressOf(c: Context): string {
  return getConnInfo(c).remote.address ?? "unknown";
}

/** The secret that opens the console, and the sessions that browsers get for it. */
interface TokenCheck {
  /** Compares in constant time. */
  matches(given: string): boolean;
  /** A session for a cookie: it proves that the token was known, and does not contain it. */
  issue(now: Nanoseconds): string;
  /** Whether a session was issued with this token and has not ended. */
  accepts(session: string, now: Nanoseconds): boolean;
}

/** Sessions are signed with the token, so they outlive a restart and end when the token changes. */
export function tokenCheck(token: string): TokenCheck {
  const digest = sha256(token);
  const key = createHmac("sha256", token).update("bellwether console session").digest();
  const sign = (claim: string): string => createHmac("sha256", key).update(claim).digest("base64url");
  return {
    matches: (given) => timingSafeEqual(sha256(given), digest),
    issue: (now) => {
      const claim = `${toMillis(now) + SESSION_LIFETIME_MILLIS}.${randomBytes(12).toString("base64url")}`;
      return `${claim}.${sign(claim)}`;
    },
    accepts: (session, now) => {
      const cut = session.lastIndexOf(".");
      const claim = session.slice(0, Math.max(cut, 0));
      if (!timingSafeEqual(sha256(session.slice(cut + 1)), sha256(sign(claim)))) return false;
      const ends = Number(/^(\d+)\./u.exec(claim)?.[1]);
      return toMillis(now) < ends;
    },
  };
}

function sha256(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}
