import { describe, expect, test } from "vitest";
import { plainText } from "../../src/reply/plain-text.ts";
import { saying } from "../support/said.ts";

import { OPS } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

describe("parties that people save", () => {
  test("become the default wherever a party is asked for", async () => {
    const talk = await talkToSimulator();
    const { ask, samples } = talk;
    expect(await ask("stake")).toMatch(/parties stake/u);
    const saved = await ask(`my party ${samples.partyId} treasury`);
    expect(saved).toMatch(saying("✓", "treasury"));
    expect(saved).toContain(samples.partyId);
    expect(await ask("stake")).toContain(samples.partyId);
    expect(await ask(`ledger export asset:${samples.assetSymbol} from:1d`)).toContain(samples.partyId);
    expect(await ask("stake")).toMatch(saying("party:all"));
    expect(await ask("stake all")).toMatch(/parties stake/u);
  });

  test("may be typed by their names, and come first in completion", async () => {
    const talk = await talkToSimulator();
    const { ask, samples, suggest } = talk;
    await ask(`my party ${samples.heavyPartyId} whale`);
    await ask(`my party ${samples.partyId} "the treasury"`);
    expect(await ask("stake WHALE")).toContain(samples.heavyPartyId);
    expect((await suggest("stake", "party", "")).slice(0, 2).map((choice) => choice.value)).toEqual([
      samples.partyId,
      samples.heavyPartyId,
    ]);
    expect((await suggest("ledger export", "party", "whal"))[0]?.label).toMatch(/^whale \(/u);
    expect((await talk.completeLine("stake ")).slice(0, 2)).toEqual(['stake "the treasury"', "stake whale"]);
    expect((await suggest("stake", "party", ""))[2]?.label).toMatch(saying("stakes", /[\d,.]+/u));
  });

  test("are missed with the largest parties to choose from, and the choice goes on with the rest of the line", async () => {
    const { ask, press, askFor } = await talkToSimulator();
    const [largest] = (await askFor("stake")).blocks.flatMap((block) => (block.kind === "table" ? block.rows : []));
    const [party] = largest ?? [];
    expect(await ask("ledger export asset:USDT from:1d")).toMatch(/^• Whose ledger\?/u);
    expect(await press("ledger export")).toContain(plainText(party ?? []));
  });

  test("go with all else that is kept of a person; what they set up for a channel stays without their name", async () => {
    const talk = await talkToSimulator();
    const { ask, samples } = talk;
    const caller = { id: "112233445566778899", name: "Ann O'Hara", mayManageChannel: true };
    talk.become({ here: OPS, caller });
    await ask(`my party ${samples.partyId} treasury`);
    await ask("alerts add node.down");
    await ask(`alerts add stake.changed ${"a".repeat(64)}`);
    expect(await talk.engine.subscriptions()).toHaveLength(2);
    await ask("my forget all");
    expect(talk.lastReply.failure).toBeUndefined();
    expect(await ask("my parties")).not.toContain("treasury");
    const left = await talk.engine.subscriptions();
    expect(left.map(({ kinds, by }) => [kinds, by])).toEqual([[["node.down"], { id: "erased", name: "somebody" }]]);
    expect(await ask("alerts log")).not.toContain("Hara");
  });

  test("alone go from the terminal, which names no person, and the answer claims no more", async () => {
    const talk = await talkToSimulator();
    await talk.ask(`my party ${talk.samples.partyId} treasury`);
    await talk.ask(`alerts add stake.changed ${"a".repeat(64)}`);
    expect(await talk.ask("my forget all")).not.toContain("watch");
    expect(await talk.ask("my parties")).toMatch(saying("•", "my party"));
    expect(await talk.engine.subscriptions()).toHaveLength(1);
  });

  test("are listed, taken away by a button, and saved again", async () => {
    const talk = await talkToSimulator();
    const { ask, press, samples } = talk;
    expect(await ask("my parties")).toMatch(saying("•", "my party"));
    await ask(`my party ${samples.partyId} treasury`);
    await ask(`my party ${samples.heavyPartyId}`);
    expect(await ask("my parties")).toMatch(saying("•", 2, "treasury"));
    expect(await press(`my forget party:${samples.partyId}`)).toMatch(saying("•", "treasury"));
    expect(await press("my parties")).not.toContain("treasury");
    await ask(`my forget ${samples.heavyPartyId.slice(0, 8)}`);
    expect(await press("my party")).toMatch(saying("✓", samples.heavyPartyId));
  });

  test.each<[string, RegExp]>([
    ["my party zz", /^!/u],
    [`my party ${"ab".repeat(32)} all`, /^!/u],
    [`my party ${"ab".repeat(32)} abc123`, saying("abc123")],
    ["my forget nobody", saying("nobody")],
    ["ledger export asset:USDT", /^• Whose ledger\?/u],
  ])("%s is refused with what to do", async (line, expected) => {
    const talk = await talkToSimulator();
    const said = await talk.ask(line);
    expect(said).toMatch(expected);
    expect(said).toMatchSnapshot();
    expect(talk.lastReply.failure).toBe("caller");
  });

  test("do not share a name", async () => {
    const talk = await talkToSimulator();
    await talk.ask(`my party ${"ab".repeat(32)} mine`);
    expect(await talk.ask(`my party ${"cd".repeat(32)} Mine`)).toMatch(saying("!", "Mine"));
  });
});
