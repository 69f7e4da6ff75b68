import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { LedgerFault } from "../../../src/api/ledger/decoder.ts";
import { DetectingDecoder } from "../../../src/api/ledger/framing.ts";

interface Decoded {
  readonly file: string;
  readonly contentType: string | undefined;
  readonly extensions: readonly unknown[];
  readonly fault: Pick<LedgerFault, "kind" | "message"> | undefined;
}

function decode(chunks: readonly Buffer[]): Decoded {
  const parts: Buffer[] = [];
  let contentType: string | undefined;
  let extensions: readonly unknown[] = [];
  let fault: Decoded["fault"];
  const decoder = new DetectingDecoder({
    bytes: (decoded) => parts.push(Buffer.from(decoded)),
    onFirstMessage: (type, extra) => {
      contentType = type;
      extensions = extra;
    },
  });
  try {
    for (const chunk of chunks) {
      // Good for the call alone: a decoder that kept some of it would read this.
      const reused = Buffer.from(chunk);
      decoder.push(reused);
      reused.fill("#");
    }
    decoder.end();
  } catch (error) {
    if (!(error instanceof LedgerFault)) throw error;
    fault = { kind: error.kind, message: error.message };
  }
  return { file: Buffer.concat(parts).toString("latin1"), contentType, extensions, fault };
}

/** The bytes cut at these places, in any order and number. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const places = fc.array(fc.nat(), { maxLength: 30 });
const field = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n }).map(String),
  fc.constantFrom("", "{", '"{""error"":1}"', "Zürich", "€", "\\x03", '"a\n{""error"":"', "}{"),
);
const csv = fc
  .array(fc.array(field, { minLength: 1, maxLength: 5 }), { maxLength: 20 })
  .map((rows) => `vega_time,quantity\n${rows.map((row) => `${row.join(",")}\n`).join("")}`);
const ERROR = { error: { code: 13, message: "Internal error", details: [{ message: "cut }{ short" }] } };

/** Each text a chunk of its own. */
const decodeTexts = (...texts: readonly string[]): Decoded => decode(texts.map((each) => Buffer.from(each)));

describe("raw bytes", () => {
  test("keep the blanks before them", () => {
    expect(decodeTexts("\r\n", " ", "vega_time\n1\n")).toMatchObject({ file: "\r\n vega_time\n1\n", fault: undefined });
    expect(decodeTexts("\n", " ")).toMatchObject({ file: "\n ", fault: undefined });
  });

  test("with a brace come through at once, where it can begin no error", () => {
    const decoder = new DetectingDecoder({
      bytes: (decoded) => passed.push(decoded.toString()),
      onFirstMessage: () => undefined,
    });
    const passed: string[] = [];
    for (const text of ["vega_time\n{x", `{${" ".repeat(63)}`]) {
      passed.length = 0;
      decoder.push(Buffer.from(text));
      expect(passed.join("")).toBe(text);
    }
    decoder.push(Buffer.from('{"err'));
    expect(passed).toHaveLength(1);
  });

  test("come through whatever the chunks, and nothing else does", () => {
    fc.assert(
      fc.property(csv, places, (text, cuts) => {
        const bytes = Buffer.from(text);
        expect(decode(cut(bytes, cuts))).toMatchObject({ file: bytes.toString("latin1"), fault: undefined });
      }),
    );
  });

  test.each(["\n", "", " \r\n"])("with an error behind them have failed, whatever the chunks (after %j)", (between) => {
    fc.assert(
      fc.property(csv, places, fc.constantFrom("", " ", "\n"), (text, cuts, blank) => {
        const good = Buffer.from(text + between);
        const error = JSON.stringify(ERROR).replace("{", `{${blank}`);
        const decoded = decode(cut(Buffer.concat([good, Buffer.from(`${error}${blank}`)]), cuts));
        expect(decoded).toEqual({
          file: good.toString("latin1"),
          contentType: undefined,
          extensions: [],
          fault: { kind: "said", message: "says “cut }{ short”" },
        });
      }),
    );
  });

  test.each([
    ["an error that is cut itself", 'a,b\n{"error":{"code":13,"mess', "cut"],
    ["an error of no known form", 'a,b\n{"error":7}', "cut"],
    ["nothing at all", "", "unreadable"],
  ])("%s", (_name, text, kind) => {
    expect(decode([Buffer.from(text)]).fault?.kind).toBe(kind);
  });

  test("with an endless error are cut: what of it is kept has a bound", () => {
    const words = Array.from({ length: 5 }, () => "x".repeat(32 * 1024));
    expect(decodeTexts('a,b\n{"error":{"message":"', ...words, '"}}').fault?.kind).toBe("cut");
  });
});

describe("messages", () => {
  const message = (data: Buffer, more: object = {}): object => ({ result: { ...more, data: data.toString("base64") } });

  test("give the file whatever their number, their spacing and the chunks", () => {
    const spacing = fc.constantFrom(
      (value: unknown) => JSON.stringify(value),
      (value: unknown) => `${JSON.stringify(value)}\n`,
      (value: unknown) => `\r\n ${JSON.stringify(value, undefined, 2)}\t`,
      (value: unknown) => JSON.stringify(value).replaceAll("/", String.raw`\/`),
      (value: unknown) => JSON.stringify(value).replaceAll("+", String.raw`\u002b`),
    );
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 6 }),
        spacing,
        places,
        (parts, space, cuts) => {
          const file = Buffer.concat(parts);
          const wire = parts
            .map((part, index) => space(message(Buffer.from(part), index === 0 ? { contentType: "text/csv; é" } : {})))
            .join("");
          expect(decode(cut(Buffer.from(wire), cuts))).toEqual({
            file: file.toString("latin1"),
            contentType: "text/csv; é",
            extensions: [],
            fault: undefined,
          });
        },
      ),
    );
  });

  test("pass on the data before an error, and then fail", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), places, (part, cuts) => {
        const bytes = Buffer.from(part);
        const wire = JSON.stringify(message(bytes)) + JSON.stringify(ERROR);
        expect(decode(cut(Buffer.from(wire), cuts))).toMatchObject({
          file: bytes.toString("latin1"),
          fault: { kind: "said" },
        });
      }),
    );
  });

  test("with extensions hand them on, of the first one only", () => {
    const wire = [
      message(Buffer.from("a"), { extensions: [{ "@type": '}"{' }] }),
      message(Buffer.from("b"), { extensions: ["later"] }),
    ];
    const text = wire.map((one) => JSON.stringify(one)).join("\n");
    for (const chunks of [[text], text.split("")]) {
      expect(decodeTexts(...chunks)).toMatchObject({ file: "ab", extensions: [{ "@type": '}"{' }] });
    }
  });

  test.each([
    ["of an empty content type have none", '{"result":{"contentType":"","data":"QUJD"}}', "ABC"],
    [
      "whose base64 lacks its padding have their last bytes",
      '{"result":{"data":"QUI"}}{"result":{"data":"Qw"}}',
      "ABC",
    ],
    [
      "with data in other members have no more",
      '{"later":{"data":"QUJD"},"result":{"later":"QUJD","data":"QQ=="}}',
      "A",
    ],
    ["with data in an extension have no more", '{"result":{"extensions":[{"data":"QUJD"}],"data":"QQ=="}}', "A"],
    ["with an empty name in front have their data", '{"":0,"result":{"data":"QQ=="}}', "A"],
    ["with data in two members have both", '{"result":{"data":"QQ==","data":"Qg=="}}', "AB"],
  ])("%s", (_name, text, file) => {
    expect(decodeTexts(text)).toMatchObject({ file, contentType: undefined, fault: undefined });
  });

  test.each([
    ["a message that is cut", '{"result":{"data":"QUJD', "cut"],
    ["a missing brace", '{"result":{"data":"QUJD"}', "cut"],
    ["text between", '{"result":{}} x', "unreadable"],
    ["a string between", '{"result":{}} "x"', "unreadable"],
    ["no result", '{"result":null}', "unreadable"],
    ["a list", '{"result":[]}', "unreadable"],
    ["neither result nor error", '{"later":1}', "unreadable"],
    ["data that is a number", '{"result":{"data":7}}', "unreadable"],
    ["data with a stranger in it", '{"result":{"data":"QU!D"}}', "unreadable"],
    ["data with padding inside", '{"result":{"data":"QQ==QUJD"}}', "unreadable"],
    ["data with an escape that is none", String.raw`{"result":{"data":"QU\x44"}}`, "unreadable"],
    ["brackets that do not match", '{"result":{"data":""]}', "unreadable"],
    ["endless depth", `{"result":${"[".repeat(500)}`, "unreadable"],
    ["a bare error", '{"code":3,"message":"no","details":[]}', "said"],
  ])("%s: %s", (_name, text, kind) => {
    expect(decode([Buffer.from(text)]).fault?.kind).toBe(kind);
  });

  test("pass on no string of an object that stands for their data", () => {
    const wire = '{"result":{"data":{"data":"QUJD"}}}';
    expect(decodeTexts(wire)).toMatchObject({ file: "", fault: { kind: "unreadable" } });
  });

  test("are not buffered: an endless envelope is refused", () => {
    const decoder = new DetectingDecoder({ bytes: () => undefined, onFirstMessage: () => undefined });
    decoder.push(Buffer.from('{"result":{"contentType":"'));
    expect(() => {
      for (let count = 0; count < 100; count += 1) decoder.push(Buffer.alloc(64 * 1024, "x"));
    }).toThrow(LedgerFault);
  });
});

test("data that goes on behind its padding is no base64, wherever it is cut", () => {
  const [before, behind] = ['{"result":{"data":"QUI=', 'QUI="}}'];
  expect(decodeTexts(before, behind).fault).toMatchObject({ kind: "unreadable" });
  expect(decodeTexts(before + behind).fault).toMatchObject({ kind: "unreadable" });
  expect(decodeTexts(before, '"}}').fault).toBeUndefined();
});
