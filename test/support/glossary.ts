import { readFileSync } from "node:fs";

const PAGE = new URL("../../docs/glossary.md", import.meta.url);

/** The words that docs/glossary.md has others for, one list for each of its rows. */
export function avoidedWords(): readonly (readonly string[])[] {
  const rows = readFileSync(PAGE, "utf8").matchAll(/^\|(?! Word \||---)[^|]*\|[^|]*\|([^|]*)\|$/gmu);
  return [...rows].map(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/gu)].map(([, word = ""]) => word));
}

/** The words of its first column, as people would type each alone. */
export function glossaryWords(): readonly string[] {
  const rows = readFileSync(PAGE, "utf8").matchAll(/^\|(?! Word \||---)([^|]*)\|[^|]*\|[^|]*\|$/gmu);
  return [...rows].flatMap(([, cell = ""]) => cell.split(",").map((word) => word.trim()));
}

/** The lines that say one of these words, each behind the word. */
export function linesWith(words: readonly string[], lines: readonly string[]): string[] {
  return words.flatMap((word) => {
    const whole = new RegExp(String.raw`(?<![\w.-])${RegExp.escape(word)}(?![\w.-])`, "iu");
    return lines.filter((line) => whole.test(line)).map((line) => `${word}: ${line}`);
  });
}
