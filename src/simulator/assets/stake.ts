import { BLOCK_MICROS, HOUR, type Micros, MINUTE, type Moment } from "../chain/chain.ts";
import type { SeededRandom } from "../seeded-random.ts";

/** Every party has a linking, or an unlinking, once in this time; it waits for Ethereum's confirmations first. */
const CHANGE_EVERY: Micros = 24 * HOUR;
const PENDING_FOR: Micros = 45 * MINUTE;
/** Changes come in pairs that cancel each other out; this many recent pairs are listed individually. */
const RECENT_PAIRS = 3;
/** Ethereum's block height at the network's genesis, and its pace. */
const ETHEREUM_HEIGHT = 16_308_190;
const ETHEREUM_BLOCK: Micros = 12_000_000;

interface Linking {
  readonly sequence: number;
  readonly kind: "TYPE_LINK" | "TYPE_UNLINK";
  readonly amount: bigint;
  readonly at: Micros;
  readonly status: "STATUS_PENDING" | "STATUS_ACCEPTED" | "STATUS_REJECTED";
}

export class Stake {
  readonly parties: readonly string[];
  readonly #random: SeededRandom;

  constructor(random: SeededRandom, count: number) {
    this.#random = random;
    this.parties = Array.from({ length: count }, (_, index) => random.hex(32, "party", index));
  }

  /** A party that the network does not know has no stake, which is no error. */
  partiesStake(moment: Moment, party: string | undefined): Record<string, unknown>[] {
    return this.parties
      .map((id, index) => ({ id, index }))
      .filter(({ id }) => party === undefined || id === party)
      .map(({ id, index }) => {
        const linkings = this.#linkings(index, moment.active);
        const available = linkings
          .filter((linking) => linking.status === "STATUS_ACCEPTED")
          .reduce((sum, { kind, amount }) => sum + (kind === "TYPE_LINK" ? amount : -amount), 0n);
        return {
          party: id,
          currentStakeAvailable: available.toString(),
          stakeLinkings: linkings.map((linking) => this.#record(index, linking, moment)),
        };
      });
  }

  #linkings(party: number, active: Micros): Linking[] {
    const founding: Linking[] = [
      {
        sequence: 0,
        kind: "TYPE_LINK",
        amount: this.#amount(party, 0) * 20n,
        at: MINUTE * (party + 1),
        status: "STATUS_ACCEPTED",
      },
    ];
    if (party % 5 === 1) {
      founding.push({
        sequence: 1,
        kind: "TYPE_LINK",
        amount: this.#amount(party, 1),
        at: HOUR,
        status: "STATUS_REJECTED",
      });
    }
    const done = Math.floor((active - this.#phase(party)) / CHANGE_EVERY);
    const from = Math.max(0, done - (done % 2) - RECENT_PAIRS * 2);
    const changes: Linking[] = [];
    for (let change = from; change <= done; change++) {
      const at = change * CHANGE_EVERY + this.#phase(party);
      changes.push({
        sequence: change + 2,
        kind: change % 2 === 0 ? "TYPE_LINK" : "TYPE_UNLINK",
        amount: this.#amount(party, 2 + change - (change % 2)),
        at,
        status: active - at < PENDING_FOR ? "STATUS_PENDING" : "STATUS_ACCEPTED",
      });
    }
    return [...founding, ...changes].filter((linking) => linking.at <= active);
  }

  /** Spread over the day, so that at most times some party has a change pending. */
  #phase(party: number): Micros {
    return Math.floor((CHANGE_EVERY * party) / this.parties.length) + HOUR;
  }

  /** 18 decimals. */
  #amount(party: number, sequence: number): bigint {
    const tokens = BigInt(this.#random.int(50, 90_000, "stake", party, sequence));
    return tokens * 10n ** 18n + BigInt(this.#random.digits(17, "stake-dust", party, sequence));
  }

  #record(party: number, linking: Linking, moment: Moment): Record<string, unknown> {
    const made = moment.timeOf(Math.max(1, Math.floor(linking.at / BLOCK_MICROS)));
    const seconds = (made / 1_000_000_000n).toString();
    const settled = moment.timeOf(Math.floor((linking.at + PENDING_FOR) / BLOCK_MICROS));
    return {
      id: this.#random.hex(32, "linking", party, linking.sequence),
      type: linking.kind,
      ts: seconds,
      party: this.parties[party] ?? "",
      amount: linking.amount.toString(),
      status: linking.status,
      finalizedAt: linking.status === "STATUS_PENDING" ? "0" : settled.toString(),
      txHash: `0x${this.#random.hex(32, "linking-hash", party, linking.sequence)}`,
      blockHeight: String(ETHEREUM_HEIGHT + Math.floor(linking.at / ETHEREUM_BLOCK)),
      blockTime: (BigInt(seconds) - 40n).toString(),
      logIndex: String(this.#random.int(0, 300, "linking-log", party, linking.sequence)),
      ethereumAddress: `0x${this.#random.hex(20, "staker", party)}`,
    };
  }
}
