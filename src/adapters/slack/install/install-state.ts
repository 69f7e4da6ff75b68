import { randomBytes } from "node:crypto";

import type { Milliseconds } from "../../../units/time.ts";
import type { KeyRing } from "../../chat/key-ring.ts";

/** Where people begin, and where Slack sends them back to, below PUBLIC_URL. */
export const INSTALL_PATH = "/slack/install";
export const REDIRECT_PATH = "/slack/oauth_redirect";

/** How long people may take from the link to Slack's answer; Slack's code lasts as long. */
export const STATE_LIFETIME: Milliseconds = 600_000;

/**
 * A new state, of this browser alone: `state` goes to Slack and comes back with its answer, and a cookie carries
 * `browser`.
 */
export function issueState(keys: KeyRing, now: Milliseconds) {
  const browser = randomBytes(24).toString("base64url");
  const claim = `${now + STATE_LIFETIME}.${randomBytes(12).toString("base64url")}`;
  return { state: `${claim}.${keys.sign(signed(claim, browser))}`, browser };
}

/**
 * Checks a state. `forged`: it was not issued, or to another browser; `stale`: too long ago. Otherwise `id` names it among
 * all others, and it ends at a moment in Unix milliseconds.
 */
export function verifyState(keys: KeyRing, state: string, browser: string, now: Milliseconds) {
  const [, claim = "", ends = "", id = "", given = ""] = /^((\d{1,16})\.([\w-]+))\.([\w-]+)$/u.exec(state) ?? [];
  if (!keys.verify(signed(claim, browser), given)) return "forged";
  const endsAt = Number(ends);
  return now < endsAt ? { id, endsAt } : "stale";
}

function signed(claim: string, browser: string): string {
  return `install ${claim} ${browser}`;
}
