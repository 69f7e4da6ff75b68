import type { PartyStake, StakeLinking } from "../api/model/stake.ts";
import { table, type Table } from "../reply/block.ts";
import { plainText } from "../reply/plain-text.ts";
import { strong, type Text, text, time, toText } from "../reply/text.ts";
import { compareIntegers } from "../units/decimal.ts";
import type { Nanoseconds } from "../units/nanoseconds.ts";
import { stakeAmount } from "./amounts.ts";
import { idCell, timeCell } from "./cells.ts";
import { enumWords } from "./enum-words.ts";

/**
 * Sums over a party's linkings, in 10^-18 of the token: of accepted ones, and of unconfirmed links less unconfirmed
 * unlinks, which may be negative.
 */
export function stakeTotals(party: PartyStake) {
  let [linked, unlinked, pending, pendingCount] = [0n, 0n, 0n, 0];
  for (const { amount = 0n, status, type } of party.stakeLinkings) {
    const unlinks = type === "TYPE_UNLINK";
    if (status === "STATUS_PENDING") {
      pending += unlinks ? -amount : amount;
      pendingCount += 1;
    } else if (status === "STATUS_ACCEPTED") {
      if (unlinks) unlinked += amount;
      else linked += amount;
    }
  }
  return { linked, unlinked, pending, pendingCount };
}

/** All parties for a spreadsheet: amounts in tokens and as the integers sent. */
export function wholeStakeTable(parties: readonly PartyStake[]): Table {
  return table({
    name: "stake",
    rows: parties.map((party) => ({ ...party, ...stakeTotals(party) })),
    columns: [
      ["party", ({ party }) => party],
      ["stake", ({ currentStakeAvailable }) => plainStake(currentStakeAvailable)],
      ["stake_raw", ({ currentStakeAvailable }) => currentStakeAvailable],
      ["linked", ({ linked }) => plainStake(linked)],
      ["unlinked", ({ unlinked }) => plainStake(unlinked)],
      ["pending", ({ pending }) => plainStake(pending)],
      ["linkings", ({ stakeLinkings }) => stakeLinkings.length],
    ],
  });
}

export function newestFirst(linkings: readonly StakeLinking[]): readonly StakeLinking[] {
  return linkings.toSorted((a, b) => compareIntegers(whenOf(b) ?? 0n, whenOf(a) ?? 0n));
}

/** One linking in a line: `unlink 52,350.05, 2026-01-15 09:20:37 UTC`; says so where it is not accepted. */
export function changeWords(linking: StakeLinking): Text {
  const status = linking.status === "STATUS_ACCEPTED" ? text`` : text` (${statusText(linking.status)})`;
  const at = whenOf(linking);
  const when = at === undefined ? text`` : text`, ${time(at)}`;
  return text`${enumWords(linking.type, "TYPE")} ${stakeAmount(linking.amount)}${status}${when}`;
}

/** A party's linkings, newest first. */
export function linkingsTable(linkings: readonly StakeLinking[]): Table {
  return table({
    title: text`Linkings`,
    name: "stake-linkings",
    rows: newestFirst(linkings),
    columns: [
      ["Type", (linking) => enumWords(linking.type, "TYPE")],
      ["Amount", (linking) => stakeAmount(linking.amount), "right"],
      ["When", (linking) => timeCell(whenOf(linking))],
      ["Status", (linking) => statusText(linking.status), 2],
      ["Ethereum address", (linking) => idCell(linking.ethereumAddress), 3],
      ["Transaction", (linking) => idCell(linking.txHash), 3],
      ["Log index", (linking) => linking.logIndex ?? "–", "right", 3],
      ["Ethereum block", (linking) => linking.blockHeight ?? "–", "right", 3],
      ["Block time", (linking) => timeCell(linking.blockTime), 3],
      ["Finalised", (linking) => timeCell(linking.finalizedAt), 3],
      ["Id", (linking) => idCell(linking.id), 3],
    ],
    empty: text`No linkings.`,
  });
}

function whenOf({ ts, blockTime, finalizedAt }: StakeLinking): Nanoseconds | undefined {
  return ts ?? blockTime ?? finalizedAt;
}

function statusText(status: string | undefined): Text {
  const words = enumWords(status, "STATUS");
  return toText(status === "STATUS_ACCEPTED" ? words : strong(words));
}

/** For machines: no separators between thousands. */
function plainStake(units: bigint | undefined): string {
  return plainText([stakeAmount(units)]).replaceAll(",", "");
}
