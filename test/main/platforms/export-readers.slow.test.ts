import { createHash } from "node:crypto";

import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";

import { ASSET, COLUMNS_13, csv, FILE_COLUMNS, PARTY, row, type Row } from "../../export/ledger-csv.ts";
import { createSandbox } from "../../support/bellwether.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { loopbackNode, type StubResponse } from "../../support/loopback-node.ts";
import { startOnBoth } from "../../support/on-both-platforms.ts";
import { openSheet, shownIn, sumOf } from "../../support/spreadsheet.ts";

// One ledger as people receive it: in Discord, in Slack, and by a link in a browser. Readers that nobody here wrote open
// each file with their defaults.

const ROWS = 400;
const DECIMALS = 6;

/** Digits that look like chance, the same in each run. */
function digits(what: string, count: number): string {
  const hex = createHash("sha256").update(what).digest("hex");
  return String(BigInt(`0x${hex}`)).slice(0, count);
}

/** Quantities of 1 to 19 digits, balances of 21; received in every third row. */
const ledger: readonly Row[] = Array.from({ length: ROWS }, (_, index) => {
  const received = { account_from_party_id: "network", account_to_party_id: PARTY };
  return row({
    vega_time: `2023-01-18 01:${String(Math.trunc(index / 60)).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}+00`,
    quantity: digits(`quantity ${index}`, 1 + (index % 19)),
    account_from_balance: digits(`balance ${index}`, 21),
    ...(index % 3 === 0 ? received : {}),
  });
});
const NET = ledger.reduce((sum, { effect }) => sum + BigInt(effect!), 0n);

function answer(path: string): StubResponse | undefined {
  if (path.endsWith("/network/time")) return { body: { timestamp: String(BigInt(Date.now()) * 1_000_000n) } };
  if (path.endsWith("/ledgerentry/export")) {
    return { headers: { "Content-Type": "text/csv" }, body: csv(COLUMNS_13, ledger.toReversed()) };
  }
  if (!path.endsWith("/assets")) return undefined;
  const details = { name: "Tether USD", symbol: "USDT", decimals: String(DECIMALS), quantum: "1" };
  const pageInfo = { startCursor: "", endCursor: "", hasNextPage: false, hasPreviousPage: false };
  return { body: { assets: { edges: [{ cursor: "", node: { id: ASSET, details } }], pageInfo } } };
}

/** Every digit as the node sent it, the sums as the generator has them. */
function check(file: Buffer): void {
  const read: Row[] = parse(file, { columns: true });
  expect(Object.keys(read[0]!)).toEqual(FILE_COLUMNS);
  expect(read.map(({ amount: _own, ...each }) => each)).toEqual(ledger);
  expect(read.reduce((sum, each) => sum + BigInt(each["amount"]!.replace(".", "")), 0n)).toBe(NET);

  const sheet = openSheet(file);
  expect(shownIn(sheet)).toEqual(read);
  // A spreadsheet counts in 15 digits.
  const sum = sumOf(sheet, "amount");
  expect(sum.toPrecision(14)).toBe((Number(NET) / 10 ** DECIMALS).toPrecision(14));
  expect(sumOf(sheet, "quantity")).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
}

test("a ledger in Discord, in Slack and by link is the same file, and opens with each digit and sum", async () => {
  await using node = await loopbackNode(({ path }) => answer(path));
  const [discord, slack] = await Promise.all([FakeDiscord.start(), FakeSlack.start()]);
  const sandbox = createSandbox();
  try {
    await startOnBoth(sandbox, { discord, slack, nodeUrl: node.url, isPublic: true });
    const asked = { party: PARTY, asset: ASSET, from: "2023-01-01", to: "2023-01-31" };

    const ada = discord.person("ada");
    const whole = await ada.run(discord.channel(), "ledger export", asked);
    await until(() => whole.last.files.length > 0, "the file on Discord");
    const inDiscord = whole.last.files[0]!.bytes;

    const ann = slack.person("ann");
    ann.type(slack.channel(), `ledger export ${PARTY} ${ASSET} from:2023-01-01 to:2023-01-31`);
    const received = () => ann.directMessages().flatMap((message) => message.files);
    await until(() => received()[0]?.bytes !== undefined, "the file on Slack", 20_000);
    const inSlack = received()[0]!.bytes!;

    const linked = await ada.run({ channel: discord.channel(), maxBytes: 1000 }, "ledger export", asked);
    const link = /http:\/\/127\.0\.0\.1:\d+\/download\/[\w-]+\/[\w.-]+/u;
    await until(() => link.test(JSON.stringify(linked.messages)), "the link", 20_000);
    const [url = ""] = link.exec(JSON.stringify(linked.messages))!;
    const byLink = Buffer.from(await (await fetch(url)).arrayBuffer());

    check(inDiscord);
    expect(inSlack.equals(inDiscord)).toBe(true);
    expect(byLink.equals(inDiscord)).toBe(true);
    expect([...discord.complaints(), ...slack.complaints()]).toEqual([]);
  } finally {
    await sandbox.cleanUp();
    await Promise.all([discord.stop(), slack.stop()]);
  }
});
