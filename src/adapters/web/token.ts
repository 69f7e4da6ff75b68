import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import { toMillis, type Nanoseconds } from "../../units/nanoseconds.ts";
import { SESSION_LIFETIME_MILLIS } from "./limits.ts";

/** The secret that opens the console, and the sessions that browsers get for it. */
export interface TokenCheck {
  /** Takes the same time whatever is given. */
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
