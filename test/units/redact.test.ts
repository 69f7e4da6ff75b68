import { assert, jsonValue, property, string } from "fast-check";
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

  it("that is short stays, since it would match ordinary text", () => {
    expect(redact("short of a plain-secret")).toBe("short of a …");
  });
});

it.each([
  ["https://node.example", []],
  ["https://user:p%40ssword@node.example/x?key=a%2Fb", ["p%40ssword", "p@ssword", "a%2Fb", "a/b"]],
  ["https://user@node.example", []],
  ["postgres://bellwether:s3cret@host/db?sslmode=require&password=other", ["s3cret", "s3cret", "other", "other"]],
  ["file:./data/bellwether.db", []],
  ["no address", []],
])("the secrets in %s", (address, secrets) => {
  expect(secretsInAddress(address)).toEqual(secrets);
});
