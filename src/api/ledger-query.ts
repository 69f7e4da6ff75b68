import { UserError } from "../errors.ts";
import type { LedgerQuery } from "./api-client.ts";

/** The largest number the interface's int64 holds. */
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * The export's path and query. An end is never sent without a start, which crashes some releases: 0 stands for
 * "from the beginning". Throws UserError for a range that is none.
 */
export function ledgerPath(query: LedgerQuery): string {
  const { partyId, assetId, from, to } = query;
  if (partyId === "") throw new UserError("A ledger export needs a party.", { option: "party" });
  if (assetId === "") throw new UserError("A ledger export needs an asset.", { option: "asset" });
  if (from !== undefined && (from < 0n || from > MAX_INT64)) {
    throw new UserError("The start of a ledger export lies between the years 1970 and 2262.", { option: "from" });
  }
  if (to !== undefined && (to < 0n || to > MAX_INT64)) {
    throw new UserError("The end of a ledger export lies between the years 1970 and 2262.", { option: "to" });
  }
  if (to !== undefined && to <= (from ?? -1n)) {
    throw new UserError("The end of a ledger export lies after its start.", { option: "to" });
  }
  const parameters = new URLSearchParams({ partyId, assetId });
  if (from !== undefined || to !== undefined) parameters.set("dateRange.startTimestamp", String(from ?? 0n));
  if (to !== undefined) parameters.set("dateRange.endTimestamp", String(to));
  return `/api/v2/ledgerentry/export?${parameters.toString()}`;
}
