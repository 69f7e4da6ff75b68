import { describe, expect, test } from "vitest";

import { parseBaseUrl } from "../../../src/api/http/base-url.ts";

describe("a base URL", () => {
  test.each([
    ["http://node.example:3008", "/api/v2/info", "/api/v2/info", "node.example:3008"],
    ["http://node.example:3008/", "/api/v2/info", "/api/v2/info", "node.example:3008"],
    ["https://node.example/vega/main/", "/api/v2/info", "/vega/main/api/v2/info", "node.example/vega/main"],
    ["https://node.example/x?key=s3cret", "/a?b=1", "/x/a?b=1&key=s3cret", "node.example/x"],
    ["https://node.example/x?key=s3cret", "/a", "/x/a?key=s3cret", "node.example/x"],
    ["http://[::1]:3008", "/a", "/a", "[::1]:3008"],
  ])("%s with %s is asked for %s and shown as %s", (url, path, joined, name) => {
    const base = parseBaseUrl(url);
    expect(base.join(path)).toBe(joined);
    expect(base.name).toBe(name);
  });

  test("keeps its credentials out of its name", () => {
    const base = parseBaseUrl("https://us%40er:pass@node.example/x");
    expect(base.name).toBe("node.example/x");
    expect(base.origin).toBe("https://node.example");
    expect(base.authorization).toBe(`Basic ${Buffer.from("us@er:pass").toString("base64")}`);
  });

  test("takes a percent sign that encodes nothing as it stands", () => {
    const base = parseBaseUrl("https://us%zz:50%@node.example");
    expect(base.authorization).toBe(`Basic ${Buffer.from("us%zz:50%").toString("base64")}`);
  });

  test("redacts its credentials in other texts", () => {
    const { redact } = parseBaseUrl("https://user:p%40ss@node.example/x?key=a%2Fb%2Fc&v=2");
    const basic = Buffer.from("user:p@ss").toString("base64");
    expect(redact(`GET /x?key=a%2Fb%2Fc&v=2 (a/b/c) with ${basic}, p@ss or p%40ss`)).toBe(
      "GET /x?key=…&v=2 (…) with …, … or …",
    );
    expect(parseBaseUrl("https://node.example/x").redact("user:p@ss")).toBe("user:p@ss");
  });

  test.each(["", "node.example:3008", "ftp://node.example", "not a url s3cret"])(
    "%j is none, and is not repeated",
    (url) => {
      expect(() => parseBaseUrl(url)).toThrow(TypeError);
      expect(() => parseBaseUrl(url)).not.toThrow(/s3cret/u);
    },
  );
});
