import { hash } from "node:crypto";

/** Sixteen bits a lane: the sum of 2^37 rows is still exact in a double. */
const LANES = 16;

/** The sum modulo 2^256 of the SHA-256 of each row: equal for equal rows in any order. */
export class RowsHash {
  readonly #lanes = new Float64Array(LANES);

  add(row: Uint8Array): void {
    const digest = hash("sha256", row, "binary");
    const lanes = this.#lanes;
    for (let lane = 0; lane < LANES; lane += 1) {
      lanes[lane] = (lanes[lane] as number) + digest.charCodeAt(2 * lane) * 256 + digest.charCodeAt(2 * lane + 1);
    }
  }

  /** 64 digits of lower-case hex. */
  hex(): string {
    let sum = 0n;
    for (const lane of this.#lanes) sum = (sum << 16n) + BigInt(lane);
    return BigInt.asUintN(256, sum).toString(16).padStart(64, "0");
  }
}
