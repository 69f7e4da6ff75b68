/**
 * Account types by number, as in the platform's protocol definitions (vega.proto, AccountType). No release that exports
 * numbers has 8, or 30 and above.
 */
const ACCOUNT_TYPES: readonly (string | undefined)[] = [
  "UNSPECIFIED",
  "INSURANCE",
  "SETTLEMENT",
  "MARGIN",
  "GENERAL",
  "FEES_INFRASTRUCTURE",
  "FEES_LIQUIDITY",
  "FEES_MAKER",
  undefined,
  "BOND",
  "EXTERNAL",
  "GLOBAL_INSURANCE",
  "GLOBAL_REWARD",
  "PENDING_TRANSFERS",
  "REWARD_MAKER_PAID_FEES",
  "REWARD_MAKER_RECEIVED_FEES",
  "REWARD_LP_RECEIVED_FEES",
  "REWARD_MARKET_PROPOSERS",
  "HOLDING",
  "LP_LIQUIDITY_FEES",
  "LIQUIDITY_FEES_BONUS_DISTRIBUTION",
  "NETWORK_TREASURY",
  "VESTING_REWARDS",
  "VESTED_REWARDS",
  "REWARD_AVERAGE_POSITION",
  "REWARD_RELATIVE_RETURN",
  "REWARD_RETURN_VOLATILITY",
  "REWARD_VALIDATOR_RANKING",
  "PENDING_FEE_REFERRAL_REWARD",
];

/** Transfer types by number (vega.proto, TransferType), as far as all releases agree on them. */
const TRANSFER_TYPES: readonly (string | undefined)[] = [
  "UNSPECIFIED",
  "LOSS",
  "WIN",
  undefined,
  "MTM_LOSS",
  "MTM_WIN",
  "MARGIN_LOW",
  "MARGIN_HIGH",
  "MARGIN_CONFISCATED",
  "MAKER_FEE_PAY",
  "MAKER_FEE_RECEIVE",
  "INFRASTRUCTURE_FEE_PAY",
  "INFRASTRUCTURE_FEE_DISTRIBUTE",
  "LIQUIDITY_FEE_PAY",
  "LIQUIDITY_FEE_DISTRIBUTE",
  "BOND_LOW",
  "BOND_HIGH",
  undefined,
  "WITHDRAW",
  "DEPOSIT",
  "BOND_SLASHING",
  "REWARD_PAYOUT",
];

/** `4`, `GENERAL` and `ACCOUNT_TYPE_GENERAL` are `ACCOUNT_TYPE_GENERAL`; unknown types are unchanged. */
export function accountTypeName(sent: string): string {
  return nameOf(sent, "ACCOUNT_TYPE_", ACCOUNT_TYPES);
}

/** `5`, `MTM_WIN` and `TRANSFER_TYPE_MTM_WIN` are `TRANSFER_TYPE_MTM_WIN`; unknown types are unchanged. */
export function transferTypeName(sent: string): string {
  return nameOf(sent, "TRANSFER_TYPE_", TRANSFER_TYPES);
}

function nameOf(sent: string, prefix: string, names: readonly (string | undefined)[]): string {
  const name = /^\d{1,3}$/u.test(sent) ? names[Number(sent)] : names.includes(sent) ? sent : undefined;
  return name === undefined ? sent : `${prefix}${name}`;
}
