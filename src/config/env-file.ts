/** A value in quotes may go on over many lines, until the same quote comes again. */
const QUOTED = /^[^=]*=\s*(["'`])/u;

/** A sentence for each line that Node skips without a word, since it has no `=`. Never the line itself: it may be a secret. */
export function ignoredLines(content: string): readonly string[] {
  const hints: string[] = [];
  let open: string | undefined;
  const lines = content.replace(/^\u{FEFF}/u, "").split(/\r?\n/u);
  for (const [index, line] of lines.entries()) {
    const words = line.trim();
    if (open !== undefined) {
      if (words.includes(open)) open = undefined;
    } else if (words !== "" && !words.startsWith("#")) {
      if (!words.includes("=")) {
        hints.push(`Line ${index + 1} of .env has no “=” and is ignored: a setting is written NAME=value.`);
      }
      const quote = QUOTED.exec(words)?.[1];
      // A quote that is never closed stands for itself.
      const closes = quote !== undefined && lines.slice(index + 1).some((later) => later.includes(quote));
      if (closes && words.split(quote).length === 2) open = quote;
    }
  }
  return hints;
}
