import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { altText } from "../../src/chart/alt.ts";
import { BY_STYLE, DARK, drawScene, FRAME } from "../../src/chart/draw/draw.js";
import { LIGHT } from "../support/light-palette.ts";
import { type SvgElement, svgText } from "../../src/chart/draw/svg.js";
import { GLYPHS } from "../../src/chart/draw/glyphs.js";
import { fittedNames, widthOf } from "../../src/chart/draw/text.js";
import { faultOf, h } from "../../src/adapters/web/public/vnode/vnode.js";
import { Scene } from "../../src/reply/chart.ts";
import { anyScene } from "../support/arbitrary-reply.ts";
import { runs } from "../support/runs.ts";
import { fontWidths } from "./font-widths.ts";
import { SCENES } from "./scenes.ts";

const MAX_BYTES = 64_000;
/** A phone, also at twice its size, and a wide page. */
const FRAMES = [
  { width: 280, height: 340 },
  { width: 340, height: 340 },
  { width: 1000, height: 420 },
];

interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function* elements(element: SvgElement): Generator<SvgElement> {
  yield element;
  for (const child of element.children) if (typeof child !== "string") yield* elements(child);
}

/** Where each text stands. */
function textsOf(drawn: SvgElement): readonly Box[] {
  return [...elements(drawn)]
    .filter(({ tag }) => tag === "text")
    .map(({ attrs, children }) => {
      const [size, x, y] = [Number(attrs["font-size"] ?? 14), Number(attrs["x"]), Number(attrs["y"])];
      const text = children.filter((child) => typeof child === "string").join("");
      const width = widthOf(text, size);
      const anchor = attrs["text-anchor"];
      const left = x - (anchor === "end" ? width : anchor === "middle" ? width / 2 : 0);
      return { text, left, right: left + width, top: y - size * 0.75, bottom: y + size * 0.2 };
    });
}

function overlaps(boxes: readonly Box[]): readonly string[] {
  return boxes.flatMap((a, at) =>
    boxes
      .slice(at + 1)
      .filter(
        (b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5,
      )
      .map((b) => `${a.text} / ${b.text}`),
  );
}

function faultsOf(scene: Scene, frame: (typeof FRAMES)[number] = FRAME): readonly string[] {
  const drawn = drawScene(scene, DARK, "chart", frame);
  const texts = textsOf(drawn);
  const svg = svgText(drawn);
  const outside = texts.filter(
    ({ left, right, top, bottom }) => left < 0 || right > frame.width || top < 0 || bottom > frame.height,
  );
  const parts = [...elements(drawn)];
  // A label of the axis of values stands beside its line, one of the axis of time below its mark.
  const labelled = (line: RegExp) =>
    parts.filter(({ tag }, at) => tag === "text" && line.test(parts[at - 1]?.attrs["d"] ?? "")).length;
  const numbers = parts
    .flatMap(({ attrs }) => Object.values(attrs))
    .filter((value) => /NaN|Infinity|undefined/u.test(value));
  return [
    ...outside.map(({ text }) => `outside: ${text}`),
    ...overlaps(texts).map((both) => `over each other: ${both}`),
    ...numbers,
    ...parts.flatMap(({ attrs }) => (Number(attrs["font-size"] ?? 14) < 14 ? [`small: ${attrs["font-size"]}`] : [])),
    ...[labelled(/^M\S+ \S+H/u), labelled(/^M\S+ \S+v4$/u)].flatMap((count) => (count > 5 ? [`${count} labels`] : [])),
    ...(Buffer.byteLength(svg) > MAX_BYTES ? [`${svg.length} bytes`] : []),
    // No control character, no lone surrogate, and no sign of markup within a text
    ...(/[^\t\n\r\u0020-\uFFFD]|[\uD800-\uDFFF]/u.test(svg) ? ["no XML"] : []),
    ...(svg.replaceAll(/<\/?[a-z]+(?: [a-zA-Z-]+="[^"<>]*")*\/?>/gu, "").match(/[<>]/gu) ?? []),
  ];
}

describe.each(Object.entries(SCENES))("the picture %s", (name, scene) => {
  test("is drawn as it was looked at", async () => {
    expect(Scene.parse(scene)).toEqual(scene);
    expect(faultsOf(scene)).toEqual([]);
    await expect(
      `${svgText(drawScene(scene)).replaceAll("><", ">\n<")}\n<!-- ${altText(scene).replaceAll("--", "- -")} -->\n`,
    ).toMatchFileSnapshot(`../golden/chart/${name}.svg`);
  });
});

test("any scene is XML of a bounded length, with all its text inside and none over another", () => {
  fc.assert(
    fc.property(anyScene, fc.constantFrom(FRAME, ...FRAMES), (scene, frame) => {
      expect(faultsOf(scene, frame)).toEqual([]);
    }),
    runs(60),
  );
});

test("the page may show every element and attribute of a picture, and colours it by its style sheet", () => {
  const drawn = [
    ...elements(drawScene(SCENES["every-state"]!, BY_STYLE)),
    ...elements(drawScene(SCENES["alert"]!, BY_STYLE)),
  ];
  expect(drawn.map((one) => faultOf(one as ReturnType<typeof h>)).filter((fault) => fault !== undefined)).toEqual([]);
  expect(Object.values(BY_STYLE)).toEqual(Object.keys(DARK).map((name) => `var(--chart-${name})`));
  expect(svgText(drawScene(SCENES["every-state"]!, BY_STYLE))).not.toMatch(/#[0-9a-f]{6}/u);
  expect(faultOf(h("rect", { fill: "url(https://example.net/x)" }))).toBeDefined();
});

test.each(Object.entries({ DARK, LIGHT }))(
  "in %s text has 4.5 times the contrast of its ground, and marks have three",
  (_name, palette) => {
    const { ground, ...marks } = palette;
    const low = Object.entries(marks).filter(([name, colour]) => contrast(colour, ground) < (name === "ink" ? 4.5 : 3));
    expect(low).toEqual([]);
  },
);

function contrast(one: string, other: string): number {
  const [a = 0, b = 0] = [luminance(one), luminance(other)].toSorted((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each<[string, readonly string[], readonly string[]]>([
  ["that differ early are cut", ["api1.mainnet.example:3008", "b"], ["api1.mainnet.ex…", "b"]],
  [
    "that begin alike lose that",
    ["mainnet-validator-10.example.com:3008", "mainnet-validator-11.example.com:3008"],
    ["…10.example.co…", "…11.example.co…"],
  ],
  [
    "that end otherwise lose their beginnings",
    ["127.0.0.1:80/mainnet/1", "localhost:80/mainnet/1", "127.0.0.1:80/mainnet/2"],
    ["….1:80/mainnet/1", "…st:80/mainnet/1", "….1:80/mainnet/2"],
  ],
  ["that are the same stay so", ["name-".repeat(9), "name-".repeat(9)], ["name-name-na…", "name-name-na…"]],
])("names of nodes %s", (_, names, shown) => {
  expect(fittedNames(names, 14, 120)).toEqual(shown);
});

test("the widths are those of the font", () => {
  const drawn = new Map(
    GLYPHS.flatMap(([first, digits]) =>
      (digits.match(/../gu) ?? []).map((pair, at) => [first + at, Number.parseInt(pair, 36)] as const),
    ),
  );
  expect(drawn).toEqual(fontWidths());
});
