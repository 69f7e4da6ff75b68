const UNITS = ["kB", "MB", "GB", "TB"] as const;

/** `932 bytes`, `1.9 kB`, `1.2 GB`: steps of 1000, one decimal place, rounded. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 999.95 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${size.toFixed(1)} ${UNITS[unit] ?? ""}`;
}

/** The number of bytes in `2GB`, `50 MB` or `932 bytes`, in steps of 1000; undefined for anything else. */
export function parseBytes(written: string): number | undefined {
  const [, amount = "", unit = ""] = /^(\d{1,15}(?:\.\d{1,3})?)\s*(bytes?|[kmgt]?b)$/iu.exec(written.trim()) ?? [];
  if (amount === "") return undefined;
  const step = UNITS.findIndex((one) => one.toLowerCase() === unit.toLowerCase()) + 1;
  return Math.round(Number(amount) * 1000 ** step);
}

/** A count with its thousands apart: `12,345`. Intl does the same, but loads its data for 10 ms before the first answer. */
export function formatCount(count: number): string {
  return groupDigits(String(count));
}

/** Digits of a whole number by threes. */
export function groupDigits(whole: string): string {
  let grouped = whole.slice(-3);
  for (let end = whole.length - 3; end > 0; end -= 3) grouped = `${whole.slice(Math.max(0, end - 3), end)},${grouped}`;
  return grouped;
}
