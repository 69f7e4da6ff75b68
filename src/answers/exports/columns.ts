import type { ChoiceGroup } from "../../bot/options/options.ts";
import type { FileColumnName } from "../../export/normalise/file-columns.ts";

/** What each column of an export holds, in the order of the file. */
const COLUMN_WORDS: Readonly<Record<FileColumnName, string>> = {
  vega_time: "Time",
  quantity: "Quantity, as the node writes it",
  effect: "Effect on the party",
  transfer_type: "Type of transfer",
  asset_id: "Asset",
  account_from_market_id: "From: market",
  account_from_party_id: "From: party",
  account_from_account_type: "From: type of account",
  account_from_balance: "From: balance after it",
  account_to_market_id: "To: market",
  account_to_party_id: "To: party",
  account_to_account_type: "To: type of account",
  account_to_balance: "To: balance after it",
  amount: "Amount in units of the asset",
};

/** The columns to choose from. A node of a later release may have more, which can be typed. */
export const COLUMN_CHOICES: readonly ChoiceGroup[] = [
  {
    heading: "Columns",
    choices: Object.entries(COLUMN_WORDS).map(([value, words]) => ({ label: `${words} (${value})`, value })),
  },
];
