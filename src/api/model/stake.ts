import { z } from "zod";

import { bigintField, listField, requiredListField, secondsField, textField, timeField } from "./fields.ts";

/** Stake is counted in 10^-18 of the network's token (https://docs.vega.xyz/mainnet/concepts/vega-chain/proof-of-stake). */
export const STAKE_DECIMALS = 18;

/** One linking or unlinking of stake on Ethereum. Amount in 10^-18 of the token. */
export const StakeLinking = z.looseObject({
  id: textField,
  party: textField,
  amount: bigintField,
  ethereumAddress: textField,
  txHash: textField,
  logIndex: bigintField,
  blockHeight: bigintField,
  blockTime: secondsField,
  finalizedAt: timeField,
  ts: secondsField,
  status: textField,
  type: textField,
});
export type StakeLinking = z.infer<typeof StakeLinking>;

/** A party's stake; amounts in 10^-18 of the token. */
export const PartyStake = z.looseObject({
  party: textField,
  currentStakeAvailable: bigintField,
  stakeLinkings: listField(StakeLinking),
});
export type PartyStake = z.infer<typeof PartyStake>;

// Compiled with the first answer, since one answer holds thousands of records.
export const PartiesStake = z.lazy(() => z.compile(z.looseObject({ partiesStake: requiredListField(PartyStake) })));
