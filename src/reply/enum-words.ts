/**
 * An enum's name as people read it: `STATUS_PARTIALLY_FILLED` with prefix `STATUS` becomes `partially filled`.
 * Unknown names are treated alike; text that is no enum name stays as it is; undefined becomes a dash.
 */
export function enumWords(value: string | undefined, prefix: string): string {
  if (value === undefined) return "–";
  const bare = value.startsWith(`${prefix}_`) ? value.slice(prefix.length + 1) : value;
  if (!/^[A-Z][A-Z0-9_]*$/u.test(bare)) return bare === "" ? value : bare;
  return bare
    .toLowerCase()
    .replaceAll("_", " ")
    .replaceAll(/\bmtm\b/gu, "mark-to-market")
    .replaceAll(/\b(?:lp|gtc|gtt|ioc|fok|gfa|gfn)\b/gu, (short) => short.toUpperCase())
    .trim();
}
