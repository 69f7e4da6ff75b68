/** A command line that people type, and the figure that answers it. */
export interface CommonestLine {
  /** `<…>` stands for a sample, as in `LINES`. */
  readonly line: string;
  /** The figure, in the digits that people read: in the first six lines of 38 characters, on every surface. */
  readonly figure: RegExp;
}

/** The twenty commonest lines, in an order that lets one conversation with the simulated networks type all of them. */
export const COMMONEST: readonly CommonestLine[] = [
  { line: "time", figure: /mainnet is healthy, block 136,901,\d{3}/u },
  { line: "time network:testnet", figure: /testnet is healthy, block [\d,]{9,}/u },
  {
    line: "market list",
    figure: /14 of 27 markets trade.*RICE\/USDC: suspended, XMR\/USDT: pending.*RICE\/USDC\W+17\.1969\W/u,
  },
  { line: "market show BTC/USDT", figure: /103,924\.07(?!\d).*0\.04 %/u },
  { line: "market show ETH/USDT", figure: /2,979\.14(?!\d).*0\.077\d? %/u },
  { line: "order <order>", figure: /Active: sell 49\.54 BTC\/USDT at\s97,597\.49574/u },
  { line: "order <rejected>", figure: /Rejected: the margin is not covered/u },
  { line: "order <stopped>", figure: /Stopped: it would have traded/u },
  { line: "stake", figure: /34 parties stake 27,102,825\.07(?!\d)/u },
  { line: "stake <party>", figure: /1,744,641\.03(?!\d)/u },
  { line: "help", figure: /market show/u },
  { line: "info", figure: /v0\.71\.6/u },
  { line: "checkpoints", figure: /136,900,714/u },
  { line: "snapshots", figure: /136,900,741/u },
  { line: "bundle list-asset USDT", figure: /9 signatures/u },
  { line: "ledger export <party> USDT from:2d", figure: /(?:gained|lost) .* USDT/u },
  { line: "alerts add", figure: /ops alerts on mainnet/u },
  { line: "alerts list", figure: /1 subscription/u },
  { line: "alerts silence all 1h", figure: /13:00/u },
  { line: "alerts status", figure: /alert is open/u },
];
