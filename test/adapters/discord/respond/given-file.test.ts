import { expect, test } from "vitest";

import { textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { loopbackNode } from "../../../support/loopback-node.ts";
import { stage } from "../stage.ts";

test("a file that was delivered is recognised when it is attached again; another one is not, nor one that is gone", async () => {
  await using scene = await stage();
  const { fake, channel, simulator } = scene;
  const ann = fake.person("ann");
  const { partyId, assetSymbol: asset } = simulator.samples.mainnet;
  const exported = await ann.run(channel, "ledger export", { party: partyId, asset, from: "1d" });
  await until(() => exported.last.files.length > 0, "the file");
  const file = exported.last.files.find(({ name }) => name.startsWith("SIMULATED-ledger-"));
  const csv = file!.bytes.toString();
  await using cdn = await loopbackNode(({ path }) => {
    if (path.endsWith("/gone.csv")) return undefined;
    return { headers: { "Content-Type": "text/csv" }, body: path.endsWith("/changed.csv") ? `${csv}\n1` : csv };
  });
  const verify = async (name: string): Promise<() => string> => {
    const dialog = await ann.run(channel, "ledger verify", { file: `${cdn.url}/${name}` });
    return () => textOf(dialog.last);
  };
  await expect.poll(await verify("ledger.csv")).toMatch(/ledger\.csv.*byte for byte/u);
  await expect.poll(await verify("changed.csv")).toMatch(/changed\.csv.* no export/u);
  await expect.poll(await verify("gone.csv")).toMatch(/gone\.csv.*404/u);
  // What a question offers opens a form that takes the file.
  const offered = await ann.run(channel, "ask", { question: "is this export file genuine" });
  const form = await ann.press(offered.last, "Verify an export");
  const sent = await ann.submit(form, { file: `${cdn.url}/ledger.csv` });
  await expect.poll(() => textOf(sent.last)).toMatch(/ledger\.csv.*byte for byte/u);
  expect(fake.complaints()).toEqual([]);
});
