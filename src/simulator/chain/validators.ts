import type { PagedList } from "../gateway/pages.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { ChainDeviation } from "./blocks.ts";
import type { Chain, Moment } from "./chain.ts";

export interface Validator {
  readonly id: string;
  readonly name: string;
}

interface Rotation {
  readonly height: number;
  readonly validator: number;
  /** How many rotations this validator had before. */
  readonly before: number;
}

const NAMES = [
  "Aldebaran Staking",
  "Bellatrix",
  "Capella Nodes",
  "Deneb & Sons",
  "Electra Validation",
  "Fomalhaut <one>",
  "Gienah",
  "Hadar Labs",
  "Izar",
  "Jabbah Works",
  "Kochab",
  "Lesath *prime*",
  "Mirach",
];

/** Validators and the Ethereum keys that they change in turn. */
export class Validators {
  readonly list: readonly Validator[];
  readonly #chain: Chain;
  readonly #random: SeededRandom;

  constructor(chain: Chain, random: SeededRandom, count: number) {
    this.#chain = chain;
    this.#random = random;
    this.list = NAMES.slice(0, count).map((name, index) => ({ id: random.hex(32, "validator", index), name }));
  }

  /** Kept for ever, unlike checkpoints. A validator unknown to the node has none, which is no error. */
  rotations(moment: Moment, deviation: ChainDeviation, nodeId: string | undefined): PagedList<Rotation> {
    const { rotationEvery } = this.#chain.pace;
    const rows: Rotation[] = [];
    for (let index = 0; index * rotationEvery <= moment.active; index++) {
      const at = index * rotationEvery + this.#random.int(0, rotationEvery - 1, "rotation", index);
      const height = this.#chain.firstBlockFrom(at);
      const validator = index % this.list.length;
      if (height > moment.height || height <= (deviation.resetAt ?? 0)) continue;
      if (nodeId !== undefined && this.list[validator]?.id !== nodeId) continue;
      rows.push({ height, validator, before: Math.floor(index / this.list.length) });
    }
    return {
      rows,
      keyOf: (row) => `${row.height - (deviation.resetAt ?? 0)}:${row.validator.toString(16)}`,
      compareKeys: (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10),
      render: (row) => ({
        nodeId: this.list[row.validator]?.id ?? "",
        oldAddress: this.address(row.validator, row.before),
        newAddress: this.address(row.validator, row.before + 1),
        blockHeight: String(row.height - (deviation.resetAt ?? 0)),
      }),
    };
  }

  /** The Ethereum address of a validator after a number of rotations. */
  address(validator: number, rotations: number): string {
    return `0x${this.#random.hex(20, "ethereum-key", validator, rotations)}`;
  }

  /** The rows of `/api/v2/nodes`. */
  nodes(moment: Moment): PagedList<number> {
    const turns = Math.floor(moment.active / this.#chain.pace.rotationEvery / this.list.length);
    return {
      rows: this.list.map((_, index) => index),
      keyOf: (index) => index.toString(16),
      compareKeys: (a, b) => Number.parseInt(a, 16) - Number.parseInt(b, 16),
      render: (index) => ({
        id: this.list[index]?.id ?? "",
        pubKey: this.#random.hex(32, "validator-key", index),
        tmPubKey: Buffer.from(this.#random.hex(32, "tendermint-key", index), "hex").toString("base64"),
        ethereumAddress: this.address(index, turns),
        infoUrl: `https://validator-${index + 1}.example`,
        location: this.#random.pick(["DE", "FI", "CA", "SG", "BR", "ZA"], "location", index),
        status: "NODE_STATUS_VALIDATOR",
        name: this.list[index]?.name ?? "",
        avatarUrl: "",
      }),
    };
  }
}
