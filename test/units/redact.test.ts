import { array, assert, constantFrom, jsonValue, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

import { messageOf } from "../../src/errors.ts";
import { hideSecrets, redact, secretsInAddress } from "../../src/units/redact.ts";

const SECRET = `pa"ss/w&rd+<1>'`;
hideSecrets([SECRET, "short", "plain-secret"]);

const base64 = (before: string, encoding: BufferEncoding) => Buffer.from(`${before}${SECRET}:x`).toString(encoding);

describe("a secret of the settings", () => {
  it.each([
    ["as it is", SECRET],
    ["in a URL", encodeURIComponent(SECRET)],
    ["in a URL with small letters", encodeURIComponent(SECRET).toLowerCase()],
    ["in JSON", JSON.stringify({ said: SECRET })],
    [
      "in Go's JSON",
      JSON.stringify({ said: SECRET }).replaceAll("&", "\\u0026").replaceAll("<", "\\u003c").replaceAll(">", "\\u003e"),
    ],
    ["in PHP's JSON", JSON.stringify({ said: SECRET }).replaceAll("/", "\\/")],
    ["in HTML", "pa&quot;ss/w&amp;rd+&lt;1&gt;&#39;"],
    ...["", "a", "ab", "abc"].flatMap((before): [string, string][] => [
      [`in base64, after ${before.length} bytes`, base64(before, "base64")],
      [`in base64 for URLs, after ${before.length} bytes`, base64(before, "base64url")],
    ]),
  ])("is removed %s", (_name, spelled) => {
    const said = redact(`node says ${spelled}, and goes on`);
    expect(said).toMatch(/^node says .*…/u);
    expect(said).toMatch(/, and goes on$/u);
    // At most the bits that it shares with its neighbours are left.
    expect(said.length).toBeLessThan("node says , and goes on".length + 18);
    expect(messageOf(new Error(`library says ${spelled}`))).toContain("…");
  });

  it("is removed wherever it stands, and leaves JSON valid", () => {
    assert(
      property(string(), string(), jsonValue(), (before, behind, value) => {
        const text = JSON.stringify({ [before]: `${before}${SECRET}${behind}`, value });
        const said = redact(text);
        expect(said).not.toContain(JSON.stringify(SECRET).slice(1, -1));
        expect(Object.values(JSON.parse(said) as object)).toContain(`${before}…${behind}`);
      }),
    );
  });

  // Libraries differ in what they escape, so each way of it is tried.
  const ESCAPES: readonly ((character: string) => string)[] = [
    (character) => character,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`,
    (character) => Buffer.from(character).toString("hex").replaceAll(/../gu, "%$&"),
    (character) => `&#${character.charCodeAt(0)};`,
    (character) => `&#x${character.charCodeAt(0).toString(16)};`,
    (character) => JSON.stringify(JSON.stringify(character).slice(1, -1)).slice(1, -1),
  ];

  it.each([SECRET, "plain-secret", "gehéim-wörter 1"])(
    "is removed whichever of its characters are escaped: %s",
    (secret) => {
      hideSecrets([secret]);
      const escapes = array(constantFrom(...ESCAPES), { minLength: secret.length, maxLength: secret.length });
      assert(
        property(escapes, string({ unit: "grapheme-ascii" }), (how, around) => {
          const spelled = Array.from(secret, (character, index) => how[index]?.(character)).join("");
          expect(redact(`${around} ${spelled} ${around}`)).toBe(`${around} … ${around}`);
        }),
      );
    },
  );

  it("that is short stays, since it would match ordinary text", () => {
    expect(redact("short of a plain-secret")).toBe("short of a …");
  });
});

it.each([
  ["https://node.example", []],
  ["https://user:p%40ssword@node.example/x?key=a%2Fb", ["p%40ssword", "p@ssword", "a%2Fb", "a/b"]],
  ["https://t0ken@node.example", ["t0ken", "t0ken"]],
  ["https://t0ken:@node.example", ["t0ken", "t0ken"]],
  ["postgres://bellwether@host/db", []],
  ["postgres://bellwether:s3cret@host/db?sslmode=require&password=other", ["s3cret", "s3cret", "other", "other"]],
  ["file:./data/bellwether.db", []],
  ["no address", []],
])("the secrets in %s", (address, secrets) => {
  expect(secretsInAddress(address)).toEqual(secrets);
});
