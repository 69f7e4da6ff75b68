import { decimal, formatDecimal } from "../units/decimal.ts";

/** An integer of smallest units in whole ones, `1,250.5`; where the decimals are not known, as sent: `12505 raw`. */
export function formatUnits(units: bigint | undefined, decimals: number | undefined): string | undefined {
  if (units === undefined) return undefined;
  if (decimals === undefined) return `${units} raw`;
  // Negative decimals count whole lots.
  return formatDecimal(decimals >= 0 ? decimal(units, decimals) : decimal(units * 10n ** BigInt(-decimals)));
}
