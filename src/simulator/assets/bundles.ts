import { type Micros, MINUTE, type Moment } from "../chain/chain.ts";
import { entityFailure, entityNotFound } from "../gateway/gateway.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { Asset, Assets } from "./assets.ts";

/** How long validators take to sign a bundle. */
const SIGNING: Micros = 10 * MINUTE;
/** 64 bytes and a recovery byte per validator. */
const SIGNATURE_BYTES = 65;
const SIGNERS = 9;

export interface Proposals {
  /** An update of an asset's limits, signed long ago. */
  readonly signed: string;
  /** One that the validators never sign. */
  readonly unsigned: string;
  /** A proposal of a new market, for which there is no bundle. */
  readonly market: string;
}

/** Bundles that an asset's owner submits to Ethereum; the dialect decides the name of the asset's field. */
export class Bundles {
  readonly proposals: Proposals;
  readonly #random: SeededRandom;
  readonly #assets: Assets;
  readonly #newEvery: Micros;

  constructor(assets: Assets, random: SeededRandom, newEvery: Micros) {
    this.#assets = assets;
    this.#random = random;
    this.#newEvery = newEvery;
    this.proposals = {
      signed: this.#proposal("signed"),
      unsigned: this.#proposal("unsigned"),
      market: this.#proposal("market"),
    };
  }

  /** The proposal that came last: not signed in its first minutes. */
  newest(moment: Moment): string {
    return this.#proposal("rolling", Math.floor(moment.active / this.#newEvery));
  }

  listAsset(assetId: string, assetField: string): Record<string, unknown> {
    const asset = this.#assets.byId(assetId);
    if (asset === undefined) throw entityFailure("notFound", "asset not found");
    if (asset.contract === undefined) throw entityFailure("internal", "not an ERC20 asset");
    const signed = asset.status === "STATUS_ENABLED";
    return {
      assetSource: asset.contract,
      [assetField]: asset.id,
      nonce: this.#random.digits(78, "list-nonce", asset.id),
      signatures: signed ? this.#signatures(asset.id) : "",
    };
  }

  limits(proposalId: string, assetField: string, moment: Moment): Record<string, unknown> {
    const { signed, unsigned, market } = this.proposals;
    if (proposalId === market) throw entityFailure("internal", "not an update asset proposal");
    const turn = this.#turnOf(proposalId, moment);
    if (proposalId !== signed && proposalId !== unsigned && turn === undefined) {
      throw entityNotFound("proposal");
    }
    const isSigned = turn === undefined ? proposalId === signed : moment.active - turn * this.#newEvery >= SIGNING;
    const asset = this.#asset(turn ?? 0);
    const limits = this.#assets.limits(asset);
    return {
      assetSource: asset.contract ?? "",
      [assetField]: asset.id,
      nonce: this.#random.digits(78, "limits-nonce", proposalId),
      lifetimeLimit: limits.lifetimeLimit,
      threshold: limits.withdrawThreshold,
      signatures: isSigned ? this.#signatures(proposalId) : "",
    };
  }

  #turnOf(proposalId: string, moment: Moment): number | undefined {
    const last = Math.floor(moment.active / this.#newEvery);
    for (let turn = last; turn >= Math.max(0, last - 100); turn--) {
      if (this.#proposal("rolling", turn) === proposalId) return turn;
    }
    return undefined;
  }

  #asset(turn: number): Asset {
    const owned = this.#assets.list.filter((asset) => asset.contract !== undefined);
    return owned[turn % owned.length] ?? this.#assets.bySymbol("USDT");
  }

  #proposal(kind: string, turn = 0): string {
    return this.#random.hex(32, "proposal", kind, turn);
  }

  #signatures(of: string): string {
    return `0x${this.#random.hex(SIGNATURE_BYTES * SIGNERS, "signatures", of)}`;
  }
}
