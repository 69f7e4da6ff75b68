import { randomBytes } from "node:crypto";

import { describe, expect, it } from "vitest";

import { issueState, STATE_LIFETIME, verifyState } from "../../../src/adapters/slack/install/install-state.ts";
import { KeyRing } from "../../../src/adapters/chat/key-ring.ts";

const [oldKey, newKey, otherKey] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const old = new KeyRing([oldKey]);

/** The text with one bit of a part changed. */
function changed(sealed: string, part: number): string {
  const parts = sealed.split(".").map((one) => Buffer.from(one, "base64url"));
  parts[part]![parts[part]!.length - 1]! ^= 1;
  return parts.map((one) => one.toString("base64url")).join(".");
}

describe("a sealed text", () => {
  const sealed = old.seal("xoxb-secret", "slack/T1");

  it.each<[string, KeyRing, string, string, string | undefined]>([
    ["by its key", old, sealed, "slack/T1", "xoxb-secret"],
    ["behind a newer key", new KeyRing([newKey, oldKey]), sealed, "slack/T1", "xoxb-secret"],
    ["by another key", new KeyRing([newKey, otherKey]), sealed, "slack/T1", undefined],
    ["as another workspace's", old, sealed, "slack/T2", undefined],
    ["with another key's name", old, changed(sealed, 0), "slack/T1", undefined],
    ["with another nonce", old, changed(sealed, 1), "slack/T1", undefined],
    ["with another tag", old, changed(sealed, 2), "slack/T1", undefined],
    ["cut short", old, sealed.slice(0, -4), "slack/T1", undefined],
    ["without its bytes", old, sealed.split(".").slice(0, 2).join("."), "slack/T1", undefined],
    ["that is none", old, "xoxb-secret", "slack/T1", undefined],
  ])("is opened %s", (_how, keys, given, about, text) => {
    expect(keys.open(given, about)).toBe(text);
  });

  it("holds nothing of the text, is never the same twice, and says whether the first key sealed it", () => {
    expect(sealed).not.toContain("xoxb");
    expect(Buffer.from(sealed.split(".")[2]!, "base64url").toString("latin1")).not.toContain("xoxb");
    expect(old.seal("xoxb-secret", "slack/T1")).not.toBe(sealed);
    expect(old.isCurrent(sealed)).toBe(true);
    expect(new KeyRing([newKey, oldKey]).isCurrent(sealed)).toBe(false);
  });

  it("takes keys of 32 bytes alone", () => {
    for (const keys of [[], [randomBytes(31)], [oldKey, randomBytes(33)]]) {
      expect(() => new KeyRing(keys)).toThrow(TypeError);
    }
  });
});

describe("a state", () => {
  const at = 1_772_443_800_000;
  const { state, browser } = issueState(old, at);
  const later = state.replace(/^\d+/u, (ends) => String(Number(ends) + 1));

  it.each<[string, KeyRing, string, string, number, "verified" | "forged" | "stale"]>([
    ["of this browser", old, state, browser, at, "verified"],
    ["at the last moment", old, state, browser, at + STATE_LIFETIME - 1, "verified"],
    ["after a rotation of keys", new KeyRing([newKey, oldKey]), state, browser, at, "verified"],
    ["too late", old, state, browser, at + STATE_LIFETIME, "stale"],
    ["of another browser", old, state, issueState(old, at).browser, at, "forged"],
    ["without a cookie", old, state, "", at, "forged"],
    ["signed with another key", new KeyRing([otherKey]), state, browser, at, "forged"],
    ["with a later end", old, later, browser, at, "forged"],
    ["with another name", old, state.replace(/\.[\w-]+\./u, ".another."), browser, at, "forged"],
    ["without a signature", old, state.replace(/\.[\w-]+$/u, "."), browser, at, "forged"],
    ["that is none", old, "x", browser, at, "forged"],
  ])("%s", (_what, keys, given, cookie, now, outcome) => {
    const verified = verifyState(keys, given, cookie, now);
    expect(typeof verified === "string" ? verified : "verified").toBe(outcome);
  });

  it("has a name of its own, and an end", () => {
    const [one, two] = [state, issueState(old, at)].map((each) =>
      typeof each === "string" ? verifyState(old, each, browser, at) : verifyState(old, each.state, each.browser, at),
    );
    expect(one).toMatchObject({ endsAt: at + STATE_LIFETIME });
    expect((one as { id: string }).id).not.toBe((two as { id: string }).id);
  });
});
