import { Assets } from "./assets/assets.ts";
import { Bundles } from "./assets/bundles.ts";
import { Ledger } from "./assets/ledger.ts";
import { Stake } from "./assets/stake.ts";
import { Blocks } from "./chain/blocks.ts";
import { Chain, type ChainPace, DAY, GENESIS, HOUR, type Micros, MINUTE, toMicros } from "./chain/chain.ts";
import { Validators } from "./chain/validators.ts";
import { MarketRecords } from "./market/market-records.ts";
import { MarketCatalogue } from "./market/market.ts";
import { Orders } from "./market/orders.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Nanoseconds } from "../units/time.ts";

export const NETWORKS = ["mainnet", "testnet"] as const;
export type NetworkName = (typeof NETWORKS)[number];

interface Size {
  readonly pace: ChainPace;
  readonly validators: number;
  readonly parties: number;
  readonly proposalEvery: Micros;
  readonly rollBlocks: number;
}

// The spacing of checkpoints is the platform's own, by its network parameter network.checkpoint.timeElapsedBetweenCheckpoints.
// The rest is chosen so that a testnet shows within an hour what takes a mainnet a day.
const SIZES: Record<NetworkName, Size> = {
  mainnet: {
    pace: {
      checkpointEvery: 5 * MINUTE,
      withdrawalEvery: 40 * MINUTE,
      upgradeEvery: 2 * DAY,
      rotationEvery: 36 * HOUR,
    },
    validators: 13,
    parties: 34,
    proposalEvery: 6 * HOUR,
    rollBlocks: 123_429,
  },
  testnet: {
    pace: {
      checkpointEvery: MINUTE,
      withdrawalEvery: 10 * MINUTE,
      upgradeEvery: 12 * HOUR,
      rotationEvery: 8 * HOUR,
    },
    validators: 7,
    parties: 25,
    proposalEvery: HOUR,
    rollBlocks: 10_286,
  },
};

/** The state of a network, the same on every node. Its only mutable state is caches. */
export type Network = Readonly<ReturnType<typeof createNetwork>>;

/** `began`: when the process began. So do the auctions that last for ever, of markets that are not over. */
export function createNetwork(name: NetworkName, seed: string, began: Nanoseconds = GENESIS) {
  const size = SIZES[name];
  const random = new SeededRandom(`${seed}/${name}`);
  const chain = new Chain(random, size.pace);
  const assets = new Assets(random);
  const catalogue = new MarketCatalogue(random, assets, {
    rollBlocks: size.rollBlocks,
    began: chain.heightAt(chain.toActive(toMicros(began))),
  });
  const stake = new Stake(random, size.parties);
  return {
    name,
    random,
    chain,
    blocks: new Blocks(chain, random),
    validators: new Validators(chain, random, size.validators),
    assets,
    catalogue,
    markets: new MarketRecords(catalogue, random),
    orders: new Orders(catalogue, random),
    stake,
    bundles: new Bundles(assets, random, size.proposalEvery),
    ledger: new Ledger(chain, random, {
      markets: catalogue.trading.map((market) => market.id),
      parties: stake.parties,
      assets: assets.list.map((asset) => asset.id),
    }),
  };
}
