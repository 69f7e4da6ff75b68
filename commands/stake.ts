import { percentWords, stakeAmount } from "../src/answers/amounts.ts";
import { answer, askFor, chartAction, idCell, timeCell } from "../src/answers/answer.ts";
import { enumWords } from "../src/reply/enum-words.ts";
import { noteSeen, PARTY } from "../src/answers/ids/ids.ts";
import { idOption, lookUp, type ResolveContext, resolveId, saidId } from "../src/answers/ids/typed-ids.ts";
import type { PartyStake, StakeLinking } from "../src/api/model/stake.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { EVERYBODY } from "../src/bot/options/saved-parties.ts";
import { details, facts, field, fields, paragraph, table, type Table } from "../src/reply/block.ts";
import { tableAttachment } from "../src/reply/csv.ts";
import { plainText } from "../src/reply/plain-text.ts";
import type { Action, Reply } from "../src/reply/reply.ts";
import { commandLine, id, shortenId, strong, type Text, text, time, toText } from "../src/reply/text.ts";
import { compareIntegers, decimal, roundedPercentOf } from "../src/units/decimal.ts";
import { formatCount } from "../src/units/format-number.ts";
import type { Nanoseconds } from "../src/units/time.ts";

/** How many parties are shown; all of them go into the CSV. */
const TOP = 20;

/** They ask for all parties, also where one is saved. */
const MOST = /^(?:largest|biggest|top|most|highest|all|whales?|ranking)$/u;

const LARGEST = { label: "Largest stakes", value: EVERYBODY };

const options = {
  party: idOption(PARTY, {
    description: "Whose stake: an id or a saved name; left out = the party you saved; all = the largest stakes",
    saved: "party",
    finds: (option, typed, context) => findParty(typed, lookUp(context), option),
    said: (words, context) => {
      const most = words.filter((word) => MOST.test(word));
      return most.length === 0 ? saidId(PARTY)(words, context) : { value: EVERYBODY, words: most };
    },
  }),
} as const;
type Context = CommandContext<typeof options>;

export const stake = command({
  name: "stake",
  alsoCalled: ["linking"],
  asked: [
    "stake|staker {party}",
    "stake|staker",
    "who stake|staker",
    "big|biggest|large|largest|top|high|highest stake|staker",
    "stake my|link|party|holder",
  ],
  summary: "A party's stake, or the largest ones",
  verb: "Show stake",
  examples: ["stake", "stake <party>", "stake all"],
  options,
  run: async (context) => {
    const { party = EVERYBODY } = context.options;
    const found = await findParty(party, context, "party");
    return found === EVERYBODY ? everybody(context) : oneParty(context, found);
  },
});

/** The id of a party, or the word for all of them. */
async function findParty(typed: string, context: ResolveContext, option: string): Promise<string> {
  if (typed.trim().toLowerCase() === EVERYBODY) return EVERYBODY;
  return resolveId(PARTY, typed, context, option, { instead: LARGEST });
}

async function everybody(context: Context): Promise<Reply> {
  const { api, signal, network } = context;
  const { value, asOf } = await api.getPartiesStake(undefined, { signal });
  const parties = value
    .map((party) => ({ ...party, ...stakeTotals(party) }))
    .toSorted((a, b) => compareIntegers(b.currentStakeAvailable ?? 0n, a.currentStakeAvailable ?? 0n));
  const total = parties.reduce((sum, party) => sum + (party.currentStakeAvailable ?? 0n), 0n);
  const pending = parties.filter(({ pendingCount }) => pendingCount > 0).length;
  const staking = parties.filter(({ currentStakeAvailable: own = 0n }) => own > 0n).length;
  const without = parties.length - staking;
  const others = without === 0 ? "" : `, ${formatCount(without)} ${without === 1 ? "has" : "have"} none`;
  const top = parties.slice(0, TOP);
  const ids = top.map(({ party }) => ({ id: party }));
  noteSeen(context, "party", ids);
  const shown: Table = table({
    name: "stake",
    rows: top,
    columns: [
      ["Party", (party) => idCell(party.party)],
      ["Stake", (party) => stakeAmount(party.currentStakeAvailable), "right"],
      [
        "Share",
        (party) => percentWords(roundedPercentOf(decimal(party.currentStakeAvailable ?? 0n), decimal(total)), "column"),
        "right",
      ],
      ["Pending", ({ pending, pendingCount }) => (pendingCount === 0 ? [] : stakeAmount(pending)), "right", 2],
      ["#", (_, index) => index + 1, "right", 3],
    ],
    total: parties.length,
    rowAction: {
      label: "Show",
      invocations: top.map(({ party = "" }) => askFor(context, "stake", { party })),
      effect: "reply",
    },
    empty: text`Nobody has stake.`,
  });
  return answer(context, asOf, {
    title: text`${formatCount(staking)} ${staking === 1 ? "party stakes" : "parties stake"} ${stakeAmount(total)} on ${network}${others}`,
    blocks: [
      ...(pending === 0
        ? []
        : facts([field("Pending linkings", text`${pending} ${pending === 1 ? "party" : "parties"}`)])),
      shown,
      ...details([fields([field("Total stake", stakeAmount(total))])]),
    ],
    attachments: parties.length === 0 ? [] : [tableAttachment(wholeStakeTable(parties))],
    ask: askFor(context, "stake", { party: EVERYBODY }),
  });
}

async function oneParty(context: Context, partyId: string): Promise<Reply> {
  const { api, signal } = context;
  const [{ value, asOf }, [saved]] = await Promise.all([
    api.getPartiesStake(partyId, { signal }),
    context.parties.list().catch(() => []),
  ]);
  // A saved party is the default: the note says how to get the list instead.
  const own =
    saved?.id === partyId
      ? [paragraph(text`This is the party that you saved; ${commandLine("stake party:all")} lists the largest stakes.`)]
      : [];
  const drawn = chartAction(context, "stake", { party: partyId, private: true });
  const actions: Action[] = [
    { label: LARGEST.label, invocation: askFor(context, "stake", { party: LARGEST.value }), effect: "reply" },
  ];
  // Nodes that do not know `party` send everybody.
  const found = value.find((one) => one.party?.toLowerCase() === partyId);
  const ask = askFor(context, "stake", { party: partyId });
  if (found === undefined || (found.stakeLinkings.length === 0 && (found.currentStakeAvailable ?? 0n) === 0n)) {
    return answer(context, asOf, {
      title: text`Party ${shortenId(partyId)} has no stake`,
      blocks: [
        fields([field("Party", id(partyId), { wide: true })]),
        paragraph(
          "It never linked any, or the network does not know it: the answer is the same. Check the id if this surprises you.",
        ),
        ...own,
      ],
      actions,
      ask,
    });
  }
  noteSeen(context, "party", [{ id: partyId }]);
  const totals = stakeTotals(found);
  const last = newestFirst(found.stakeLinkings)[0];
  const pending =
    totals.pendingCount === 0 ? undefined : text`${stakeAmount(totals.pending)}, ${totals.pendingCount} unconfirmed`;
  return answer(context, asOf, {
    title: text`Party ${shortenId(partyId)} stakes ${stakeAmount(found.currentStakeAvailable)}`,
    tone: totals.pendingCount > 0 ? "warning" : "neutral",
    blocks: [
      ...facts([
        field("Pending", pending),
        field("Last change", last === undefined ? undefined : changeWords(last)),
        field("Linked", stakeAmount(totals.linked)),
        field("Unlinked", stakeAmount(totals.unlinked)),
      ]),
      ...details([
        fields([
          field("Stake available", stakeAmount(found.currentStakeAvailable)),
          field("Party", id(partyId), { wide: true }),
        ]),
        linkingsTable(found.stakeLinkings),
        ...own,
      ]),
    ],
    actions: [drawn, ...actions],
    ask,
  });
}

/**
 * Sums over a party's linkings, in 10^-18 of the token: of accepted ones, and of unconfirmed links less unconfirmed
 * unlinks, which may be negative.
 */
function stakeTotals(party: PartyStake) {
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
function wholeStakeTable(parties: readonly (PartyStake & ReturnType<typeof stakeTotals>)[]): Table {
  return table({
    name: "stake",
    rows: parties,
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

function newestFirst(linkings: readonly StakeLinking[]): readonly StakeLinking[] {
  return linkings.toSorted((a, b) => compareIntegers(whenOf(b) ?? 0n, whenOf(a) ?? 0n));
}

/** One linking in a line: `unlink 52,350.05, 2026-01-15 09:20:37 UTC`; says so where it is not accepted. */
function changeWords(linking: StakeLinking): Text {
  const status = linking.status === "STATUS_ACCEPTED" ? text`` : text` (${statusText(linking.status)})`;
  const at = whenOf(linking);
  const when = at === undefined ? text`` : text`, ${time(at)}`;
  return text`${enumWords(linking.type, "TYPE")} ${stakeAmount(linking.amount)}${status}${when}`;
}

/** A party's linkings, newest first. */
function linkingsTable(linkings: readonly StakeLinking[]): Table {
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
