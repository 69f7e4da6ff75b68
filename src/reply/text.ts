import { groupDigits } from "../units/format-number.ts";
import { type Nanoseconds, nanoseconds } from "../units/time.ts";
import type { Inline, Text } from "./document.ts";

export type { Inline, Text } from "./document.ts";

/**
 * The values of a text template; plain ones become plain text. A bigint counts something, such as blocks: people read its
 * thousands apart. Floats are not among them on purpose.
 */
export type TextPart = Inline | Text | string | bigint | number | undefined;

/** ``text`Last traded at ${strong(price)}` ``: plain values and the words around them are one run, data as a whole. */
export function text(strings: TemplateStringsArray, ...parts: TextPart[]): Text {
  return interleave(strings, parts);
}

function interleave(between: readonly string[], parts: readonly TextPart[]): Text {
  const inlines: Inline[] = [];
  let run = "";
  for (let index = 0; index < between.length; index += 1) {
    run += between[index] ?? "";
    const part = parts[index];
    if (typeof part === "string") {
      run += part;
      continue;
    }
    for (const inline of toText(part)) {
      if (inline.kind === "text" && inline.detail === undefined && inline.at === undefined) {
        run += inline.text;
        continue;
      }
      if (run !== "") inlines.push({ kind: "text", text: run });
      run = "";
      inlines.push(inline);
    }
  }
  if (run !== "") inlines.push({ kind: "text", text: run });
  return inlines;
}

/** Any part as Text; undefined becomes nothing. */
export function toText(part: TextPart): Text {
  if (part === undefined || part === "") return [];
  if (typeof part === "bigint") {
    const exact = part.toString();
    return [number(exact, part < 0n ? `-${groupDigits(exact.slice(1))}` : groupDigits(exact))];
  }
  if (typeof part === "string" || typeof part === "number") return [{ kind: "text", text: String(part) }];
  return isText(part) ? part : [part];
}

export function joinText(parts: readonly TextPart[], separator: string): Text {
  return interleave(
    parts.map((_, index) => (index === 0 ? "" : separator)),
    parts,
  );
}

export function strong(value: string | number): Inline {
  return { kind: "strong", text: String(value) };
}

/** Words about a normal state: only the whole reply says them. */
export function detailText(words: string): Inline {
  return { kind: "text", text: words, detail: true };
}

/** An exact number, and the digits of it that people read. */
export function number(exact: string, short: string): Inline {
  return exact === short ? { kind: "text", text: exact } : { kind: "number", text: exact, short };
}

export function code(value: string | bigint | number): Inline {
  return { kind: "code", text: String(value) };
}

/** A command line to type, as in a terminal: `alerts add markets`. */
export function commandLine(line: string): Inline {
  return { kind: "code", text: line, command: true };
}

/** A long identifier (party, market, order, hash): whole wherever it is copied, shortened where space is short. */
export function id(value: string): Inline {
  return { kind: "code", text: value, id: true };
}

/** A channel or a role by its id: its own platform shows its name. */
export function named(what: "channel" | "role", platform: string, value: string): Inline {
  return { kind: "code", text: value, names: { what, platform } };
}

/** A link; only http and https become one, anything else stays plain text. */
export function link(label: string, url: string): Inline {
  return /^https?:\/\//iu.test(url) && URL.canParse(url)
    ? { kind: "link", text: label, url: new URL(url).href }
    : { kind: "text", text: label };
}

/** A person by name, and as their platform knows them. */
export type Person = Extract<Inline, { kind: "person" }>;

export type TimeStyle = Extract<Inline, { kind: "time" }>["style"];

export function time(at: Nanoseconds, style: TimeStyle = "absolute"): Inline {
  return { kind: "time", at: at.toString(), style };
}

/** A point in time as the clock of a zone shows it, where the reply names the zone. */
export function clockTime(at: Nanoseconds, shown: string): Inline {
  return { kind: "text", text: shown, at: at.toString() };
}

/** The point in time of a run that is one. */
export function timeOf(inline: Extract<Inline, { kind: "time" }>): Nanoseconds {
  return nanoseconds(BigInt(inline.at));
}

/** `f8ac93d1…4e21`: the ends of a long id, enough to tell it by eye. */
export function shortenId(value: string): string {
  return value.length <= 16 ? value : `${value.slice(0, 8)}…${value.slice(-4)}`;
}

function isText(part: Inline | Text): part is Text {
  return Array.isArray(part);
}

/**
 * Neighbours of one kind become one leaf, so that no markup can be put together from two harmless halves.
 * With `bold`, plain runs become strong ones. A number, and a person who cannot be mentioned, is a plain run.
 */
export function mergeRuns(content: Text, bold: boolean, canMention: (person: Person) => boolean): Inline[] {
  const merged: Inline[] = [];
  for (const given of content) {
    const isPlain = given.kind === "text" || given.kind === "number" || (given.kind === "person" && !canMention(given));
    const inline: Inline = isPlain ? { kind: bold ? "strong" : "text", text: given.text } : given;
    const last = merged.at(-1);
    if (last !== undefined && (inline.kind === "text" || inline.kind === "strong") && last.kind === inline.kind) {
      merged[merged.length - 1] = { kind: inline.kind, text: last.text + inline.text };
    } else {
      merged.push(inline);
    }
  }
  return merged;
}
