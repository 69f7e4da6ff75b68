import type { Samples } from "../../src/simulator/samples.ts";

/** A command line that people type, and the figure that answers it. */
export interface CommonestLine {
  /** `<…>` stands for a sample of the simulated network: `fillIn` puts it in. */
  readonly line: string;
  /** The figure, in the digits that people read: in the first six lines of 38 characters, on every surface. */
  readonly figure: RegExp;
  /** Lines typed beforehand. */
  readonly after?: readonly string[];
}

/** The twenty commonest lines, in an order that lets one conversation with the simulated networks type all of them. */
export const COMMONEST: readonly CommonestLine[] = [
  { line: "time", figure: /mainnet is running, block 136,901,\d{3}/u },
  { line: "time network:testnet", figure: /testnet is running, block [\d,]{9,}/u },
  { line: "market list", figure: /16 live markets/u },
  { line: "market show BTC/USDT", figure: /103,924\.07(?!\d).*0\.04 %/u },
  { line: "market show ETH/USDT", figure: /2,979\.14(?!\d).*0\.077\d? %/u },
  { line: "order <orderId>", figure: /Active: sell 49\.54 BTC\/USDT at 97,597\.5(?!\d)/u },
  { line: "order <rejectedOrderId>", figure: /Rejected: margin check failed/u },
  { line: "order <stoppedOrderId>", figure: /Stopped: self trading/u },
  { line: "stake", figure: /34 parties stake 27,102,825\.07(?!\d)/u },
  { line: "stake <partyId>", figure: /1,744,641\.03(?!\d)/u },
  { line: "help", figure: /market show/u },
  { line: "info", figure: /v0\.71\.6/u },
  { line: "checkpoints", figure: /136,900,714/u },
  { line: "snapshots", figure: /136,900,741/u },
  { line: "bundle list-asset USDT", figure: /9 signatures/u },
  { line: "ledger export <partyId> USDT from:2d", figure: /(?:gained|lost) .* USDT/u },
  { line: "alerts add", figure: /ops alerts on mainnet/u },
  { line: "alerts list", figure: /1 subscription/u },
  { line: "alerts silence all 1h", figure: /13:00/u },
  { line: "alerts status", figure: /mainnet not watched yet/u },
];

/** A line with its samples put in. */
export function fillIn(line: string, samples: Samples): string {
  const known: Partial<Record<string, unknown>> = { ...samples };
  return line.replaceAll(/<(\w+)>/gu, (whole, name: string) => {
    const sample = known[name];
    return typeof sample === "string" ? sample : whole;
  });
}

/** What a phone shows before the thumb moves: so many lines of so many characters. */
const FIRST_LINES = 6;
const LINE_WIDTH = 38;

/** The first six lines of 38 characters, broken between words, as one line that figures can be looked for in. */
export function firstLines(lines: readonly string[]): string {
  const broken = lines.flatMap((line) => {
    const rows = [""];
    for (const word of line.split(/\s+/u)) {
      const row = rows.at(-1) ?? "";
      if (row === "") rows[rows.length - 1] = word;
      else if (row.length + 1 + word.length <= LINE_WIDTH) rows[rows.length - 1] = `${row} ${word}`;
      else rows.push(word);
    }
    // A word wider than a line goes on below.
    return rows.flatMap((row) => row.match(new RegExp(`.{1,${LINE_WIDTH}}`, "gu")) ?? []);
  });
  return broken.slice(0, FIRST_LINES).join(" ");
}
