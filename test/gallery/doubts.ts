import { renderReply } from "../../src/adapters/web/public/reply/reply.js";
import type { VElement, VNode } from "../../src/adapters/web/public/vnode/vnode.js";
import { replyToJson } from "../../src/reply/json.ts";
import { createNetwork } from "../../src/simulator/network.ts";
import { DEFAULT_SEED } from "../../src/simulator/simulator.ts";
import { toMillis } from "../../src/units/time.ts";
import { NOON } from "../support/talk.ts";
import { treeOf } from "./draw.ts";
import type { Shown, Surface } from "./samples.ts";

// What no sample may show: a second zone, a key of the program or of the wire, an id whose name is known.

/** The reader's zone, in which no other time stands. */
const READERS_ZONE = "Asia/Kathmandu";
const IN_READERS_ZONE = /\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} GMT\+5:45/gu;
/** Stands for a time that an app draws in the reader's zone. */
const DRAWN = "⟨drawn⟩";
/** No line is broken, and no column left out. */
const WIDE = { pixels: 4000, columns: 400 };

/** All that a surface shows of a reply, each block on lines of its own; with what is folded where the app unfolds it. */
export function textsShown(surface: Surface, shown: Shown): string[] {
  if (surface !== "web") return textsIn(treeOf(surface, shown, WIDE));
  const document = replyToJson(shown.reply, () => "");
  const reader = { now: toMillis(shown.now), timeZone: READERS_ZONE };
  return textsIn(renderReply(document, reader)).map((line) => line.replaceAll(IN_READERS_ZONE, DRAWN));
}

const BLOCKS: ReadonlySet<string> = new Set(
  "article blockquote dd details div dl dt figcaption figure footer h2 h3 h4 header li ol p pre section small summary table tr ul".split(
    " ",
  ),
);

export function textsIn(node: VNode): string[] {
  const lines = [""];
  const put = (text: string): void => {
    const [first = "", ...rest] = text.split("\n");
    lines.push(`${lines.pop() ?? ""}${first}`, ...rest);
  };
  const walk = (one: VNode): void => {
    if (typeof one === "string") return put(one);
    const classes = one.attrs["class"]?.split(" ") ?? [];
    if (isFrame(one) || classes.includes("whole") || one.attrs["aria-hidden"] === "true") return;
    // An age is the same in every zone.
    if (classes.includes("timestamp") && one.attrs["data-age"] === undefined) return put(DRAWN);
    const isBlock = BLOCKS.has(one.tag);
    if (isBlock) lines.push("");
    if (["td", "th", "button"].includes(one.tag)) put(" ");
    for (const child of one.children) walk(child);
    if (isBlock) lines.push("");
  };
  walk(node);
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** The name and clock of the app above a message. */
function isFrame({ tag, children }: VElement): boolean {
  return tag === "header" && children.some((child) => typeof child !== "string" && child.attrs["class"] === "app");
}

const ZONES = /\b(?:UTC|GMT[+-]\d[\d:]*|(?:Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)\/[A-Z]\w+)/gu;
const ISO = /\d{4}-\d{2}-\d{2}T\d{2}:?\d{2}(?::?\d{2})?Z/u;
const CLOCK = /\b\d{2}:\d{2}(?::\d{2})?\b/u;
const MOMENT = /\b\d{4}-\d{2}-\d{2} \d{2}:\d{2}/u;
/** What repeats by the clock of a zone has that zone, whoever reads it. */
const BY_RULE =
  /\bquiet \d{2}:\d{2} to \d{2}:\d{2} [\w/]+|\bevery \w+ from \d{2}:\d{2} for [\w ]+ by the clock of [\w/]+/gu;

/** A file's name, and a line to type: each is the same for everybody, and shows no clock. */
const SAME_FOR_ALL = /\S+\.(?:csv|zip)|\b(?:from|to):\S+Z\b/gu;

/** Each zone by whose clock the lines show a time, with the line; `none` where moments stand without any. */
export function zonesIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const given of lines) {
    const line = given.replaceAll(BY_RULE, "").replaceAll(SAME_FOR_ALL, "");
    const named = [...line.matchAll(ZONES)].flatMap(([zone]) =>
      CLOCK.test(line) || line.includes(`(${zone})`) || line.includes(`times in ${zone}`) ? [zone] : [],
    );
    const zones = [...(line.includes(DRAWN) ? ["the reader's"] : []), ...(ISO.test(line) ? ["UTC"] : []), ...named];
    for (const zone of zones) if (!found.has(zone)) found.set(zone, line);
  }
  const bare = lines.find((line) => MOMENT.test(line));
  return found.size === 0 && bare !== undefined ? new Map([["none", bare]]) : found;
}

/** A value that is none, a name of the wire, or the parts of a stored key. Settings are called as people set them, an asset has such a name, and so may the id of a delivery. */
const KEY =
  /\bundefined\b|\[object Object\]|\bNaN\b|\b(?!SLACK_BOT_TOKEN)[A-Z]+(?:_[A-Z]+)+\b|(?<![\w/.:-]|\bdelivery )(?!tDAI\b)[a-z]+[A-Z]\w+|\b[\w.-]+\|[\w.:-]*\|\S*/u;

export function keysIn(lines: readonly string[]): string[] {
  return lines.filter((line) => KEY.test(line));
}

/** The markets and assets of the simulated network by their ids. */
const NAMES: ReadonlyMap<string, string> = (() => {
  const { catalogue, assets } = createNetwork("mainnet", DEFAULT_SEED, NOON);
  return new Map([
    ...catalogue.trading.map(({ id, code }) => [id, code] as const),
    ...assets.list.map(({ id, symbol }) => [id, symbol] as const),
  ]);
})();

/** The lines with the id of something, whole or shortened, that is named elsewhere; the field that is called an id is one. */
export function unnamedIdsIn(lines: readonly string[]): string[] {
  const known = [...NAMES].filter(([, name]) => lines.some((line) => line.includes(name)));
  return lines.filter(
    (line, at) =>
      known.some(([id, name]) => line.includes(id.slice(0, 8)) && !line.includes(name)) &&
      !/\bid$/iu.test(lines[at - 1] ?? "") &&
      !/\bid:? +[0-9a-f]{8}/iu.test(line),
  );
}
