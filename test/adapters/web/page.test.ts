import { readdir, readFile } from "node:fs/promises";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createHistory, formatLine } from "../../../src/adapters/web/public/exchange/lines.js";
import { shorten } from "../../../src/adapters/web/public/reply/render-text.js";
import { span } from "../../../src/adapters/web/public/reply/times.js";
import { formatLine as botLine } from "../../../src/bot/grammar/grammar.ts";
import { shortenId } from "../../../src/reply/text.ts";
import { formatDuration } from "../../../src/units/time.ts";
import { anyString } from "../../support/arbitrary-reply.ts";
import { parseConfig } from "../../support/platforms.ts";
import { echoBot, startConsole } from "./harness.ts";

const previews = parseConfig({}).platforms.map(({ platform, page }) => ({
  platform: platform.id,
  name: platform.name,
  page,
  render: () => null,
}));
const folders = [
  ["", new URL("../../../src/adapters/web/public/", import.meta.url)],
  ...previews.map(({ platform, page }) => [`${platform}/page/`, page] as const),
] as const;
const listed = folders.map(async ([address, folder]) => {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:js|css|html|svg)$/u.test(name));
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [
      address + name,
      await readFile(new URL(name, folder), "utf8"),
    ]),
  );
});
const sources = (await Promise.all(listed)).flat();

describe("the page", () => {
  test.each(sources)("%s is served as it is, and again only when it has changed", async (name, source) => {
    await using harness = await startConsole(echoBot(), { previews });
    const path = name === "index.html" ? "/" : `/page/${name}`;
    const answer = await harness.send(path);
    expect(answer.status).toBe(200);
    expect(answer.body).toBe(source);
    const again = await harness.send(path, { headers: { "if-none-match": answer.headers.etag ?? "" } });
    expect(again).toMatchObject({ status: 304, body: "" });
  });

  test.each(sources)("%s loads nothing from elsewhere and turns no text into markup", (_name, source) => {
    const code = source
      .replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gmu, "")
      .replaceAll('xmlns="http://www.w3.org/2000/svg"', "");
    expect(code).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc/u,
    );
    expect(code).not.toMatch(/https?:\/\/[a-z]/u);
    expect(code).not.toMatch(/@import|url\(/u);
    expect(code).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle=|\son[a-z]+=/u);
  });

  test("is described to itself: networks, commands, previews", async () => {
    await using harness = await startConsole(echoBot());
    expect((await harness.send("/api/console")).json()).toEqual({
      networks: ["mainnet", "testnet"],
      previews: [],
      previewNames: {},
      simulated: false,
      signedIn: false,
      alerts: false,
      looks: false,
      incident: false,
      commands: [
        {
          name: "market list",
          summary: "All markets",
          examples: ["market list"],
          needs: [],
          takesFile: false,
          changes: false,
        },
        expect.objectContaining({ name: "ask", needs: ["question"] }),
      ],
    });
  });
});

describe("what the page does by itself as the bot does", () => {
  test("a button's question as a line", () => {
    fc.assert(
      fc.property(fc.dictionary(anyString(), fc.oneof(anyString(), fc.integer(), fc.boolean())), (options) => {
        expect(formatLine("market show", options)).toBe(botLine({ command: "market show", options }));
      }),
    );
  });

  test("an id by its ends", () => {
    fc.assert(
      fc.property(anyString(), (value) => {
        expect(shorten(value)).toBe(shortenId(value));
      }),
    );
  });

  test("a span of time, up to years", () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(31_535_999_999), fc.maxSafeNat()), (millis) => {
        expect(span(millis)).toBe(formatDuration(millis));
      }),
    );
    expect(span(731 * 86_400_000)).toBe("2 y 1 d");
  });
});

describe("history", () => {
  const memory = (): Pick<Storage, "getItem" | "setItem" | "removeItem"> => {
    const kept = new Map<string, string>();
    return {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    };
  };

  test("goes back to the first line and forth to what was being typed", () => {
    const history = createHistory(memory(), "k");
    for (const line of ["time", "market list", "time"]) history.add(line);
    expect(history.back("mark")).toBe("time");
    expect(history.back("time")).toBe("market list");
    expect(history.back("market list")).toBeUndefined();
    expect(history.forth()).toBe("time");
    expect(history.forth()).toBe("mark");
    expect(history.forth()).toBeUndefined();
  });

  test("outlives the page, as far as the browser lets it", () => {
    const storage = memory();
    createHistory(storage, "k").add("time");
    expect(createHistory(storage, "k").back("")).toBe("time");
    const full = {
      getItem: () => "{not json",
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
      removeItem: () => {
        throw new DOMException("forbidden", "SecurityError");
      },
    };
    const history = createHistory(full, "k");
    history.add("time");
    expect(history.back("")).toBe("time");
    history.clear();
    expect(history.back("")).toBeUndefined();
  });

  test("is cleared for good", () => {
    const storage = memory();
    const history = createHistory(storage, "k");
    history.add("time");
    history.clear();
    expect(history.back("")).toBeUndefined();
    expect(createHistory(storage, "k").back("")).toBeUndefined();
  });

  test("keeps the last 200", () => {
    const storage = memory();
    const history = createHistory(storage, "k");
    for (let n = 0; n < 250; n += 1) history.add(`order ${n}`);
    let count = 0;
    while (history.back("") !== undefined) count += 1;
    expect(count).toBe(200);
  });
});
