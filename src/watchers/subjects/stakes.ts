import { z } from "zod";

import { type AlertEvent, stakeChange } from "../../alerts/judge/kinds/event.ts";
import { timeToText } from "../../alerts/judge/kinds/kind.ts";
import { type PartyStake, STAKE_DECIMALS, type StakeLinking } from "../../api/model/stake.ts";
import { compareIntegers } from "../../units/decimal.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Watcher, WatcherOptions } from "../watcher.ts";
import { formatUnits, pollSubjects } from "./subjects.ts";

const change = z.object(stakeChange);

const partyRecord = z.object({
  node: z.string(),
  /** The names of accepted linkings. */
  accepted: z.array(z.string()),
  /** Linkings accepted since the observation before, oldest first. */
  fresh: z.array(z.object({ name: z.string(), ...stakeChange })),
  available: z.string().exactOptional(),
});
type PartyRecord = z.output<typeof partyRecord>;

const Stakes = z.object({
  parties: z.record(z.string(), partyRecord),
  turn: z.string().exactOptional(),
});
type Stakes = z.output<typeof Stakes>;

/** Stake that watched parties have linked or unlinked, once the network has accepted it. */
export function stakesWatcher(options: Pick<WatcherOptions, "network" | "config" | "clock">): Watcher<Stakes> {
  const { network, config, clock } = options;
  const every = config.poll.rest;
  return {
    name: "stakes",
    every,
    snapshot: Stakes,
    async observe(api, context, signal) {
      const { before } = context;
      const ids = context.subjects("stake.changed");
      const call = { lane: "watchers", fresh: true, signal } as const;
      const { answers, turn } = await pollSubjects(ids, before?.turn, { millis: every, clock }, (party) =>
        api.getPartiesStake(party, call),
      );
      const parties = ids.flatMap((party): [string, PartyRecord][] => {
        const known = before?.parties[party];
        const answer = answers.get(party);
        if (answer === undefined) return known === undefined ? [] : [[party, { ...known, fresh: [] }]];
        const stake = answer.value.find((one) => one.party === party);
        return [[party, partyRecordOf(stake, answer.asOf.node, known)]];
      });
      return { parties: Object.fromEntries(parties), ...withoutUndefined({ turn }) };
    },
    judge(_before, after, at) {
      const events = Object.entries(after.parties).flatMap(([subject, { node, fresh, available }]) =>
        fresh.map(({ name, ...changed }): AlertEvent => ({
          kind: "stake.changed",
          network,
          subject,
          key: `${subject}/${name}`,
          at: timeToText(at),
          node,
          ...changed,
          ...withoutUndefined({ available }),
        })),
      );
      return { readings: [], events };
    },
  };
}

/** A new party's linkings are not fresh. */
function partyRecordOf(stake: PartyStake | undefined, node: string, known: PartyRecord | undefined): PartyRecord {
  const accepted = (stake?.stakeLinkings ?? []).filter(({ status }) => status === "STATUS_ACCEPTED");
  const had = new Set(known?.accepted);
  const fresh = known === undefined ? [] : accepted.filter((linking) => !had.has(nameOf(linking)));
  const available = formatUnits(stake?.currentStakeAvailable, STAKE_DECIMALS);
  return {
    node,
    // Linkings that a node no longer lists stay known: another node may still list them.
    accepted: [...new Set([...had, ...accepted.map((linking) => nameOf(linking))])],
    fresh: fresh.toSorted(byTime).map((linking) => ({ name: nameOf(linking), ...changeOf(linking) })),
    ...withoutUndefined({ available }),
  };
}

function changeOf({ type, amount, txHash, ethereumAddress }: StakeLinking): z.output<typeof change> {
  const shown = formatUnits(amount, STAKE_DECIMALS);
  return {
    change: type === "TYPE_UNLINK" ? "unlinked" : "linked",
    ...withoutUndefined({ amount: shown, txHash, ethereumAddress }),
  };
}

/** Half of an id is enough to tell a party's linkings apart, and keeps snapshots small. */
function nameOf({ id, txHash = "", logIndex = 0n }: StakeLinking): string {
  return id === undefined ? `${txHash}/${logIndex}` : id.slice(0, 32);
}

function byTime(a: StakeLinking, b: StakeLinking): number {
  return compareIntegers(a.finalizedAt ?? a.ts ?? 0n, b.finalizedAt ?? b.ts ?? 0n);
}
