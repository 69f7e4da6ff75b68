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

const TIMES_IN_FORCE: Readonly<Record<string, string>> = {
  GTC: "GTC (good till cancelled)",
  GTT: "GTT (good till time)",
  IOC: "IOC (immediate or cancel)",
  FOK: "FOK (fill or kill)",
  GFA: "GFA (good for auction)",
  GFN: "GFN (good for normal trading)",
};

/** `TIME_IN_FORCE_GTC` as `GTC (good till cancelled)`. */
export function timeInForceWords(value: string | undefined): string {
  const words = enumWords(value, "TIME_IN_FORCE");
  return (Object.hasOwn(TIMES_IN_FORCE, words) ? TIMES_IN_FORCE[words] : undefined) ?? words;
}

/** A trading mode: `TRADING_MODE_MONITORING_AUCTION` as `monitoring auction`. */
export function tradingModeWords(value: string | undefined): string {
  return enumWords(value, "TRADING_MODE");
}

/** The trigger of an auction; undefined without one. */
export function auctionTriggerWords(value: string | undefined): string | undefined {
  if (value === undefined || value === "AUCTION_TRIGGER_UNSPECIFIED") return undefined;
  return enumWords(value, "AUCTION_TRIGGER");
}

/** With a capital letter in front. */
export function capitalised(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** `a, b or c`. */
export function listWords(items: readonly string[], last = " or "): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")}${last}${items.at(-1) ?? ""}`;
}
