import { describe, expect, test } from "vitest";

import { talkToSimulator } from "./conversation.ts";

describe("parties that people save", () => {
  test("become the default wherever a party is asked for", async () => {
    const talk = await talkToSimulator();
    const { ask, samples } = talk;
    expect(await ask("stake")).toMatch(/parties stake/u);
    const saved = await ask(`my party ${samples.partyId} treasury`);
    expect(saved).toContain("Saved as treasury");
    expect(saved).toContain(samples.partyId);
    expect(await ask("stake")).toContain(samples.partyId);
    expect(await ask(`ledger export asset:${samples.assetSymbol} from:1d`)).toContain(samples.partyId);
    expect(await ask("stake")).toContain("the largest stakes are listed by stake party:all");
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
  });

  test("are listed, taken away by a button, and saved again", async () => {
    const talk = await talkToSimulator();
    const { ask, press, samples } = talk;
    expect(await ask("my parties")).toContain("You have saved no party");
    await ask(`my party ${samples.partyId} treasury`);
    await ask(`my party ${samples.heavyPartyId}`);
    expect(await ask("my parties")).toMatch(/Your 2 parties[\s\S]*yes[\s\S]*treasury/u);
    expect(await press(`my forget party:${samples.partyId}`)).toContain("Forgotten: treasury");
    expect(await press("my parties")).not.toContain("treasury");
    await ask(`my forget ${samples.heavyPartyId.slice(0, 8)}`);
    expect(await press("my party")).toContain("Saved");
  });

  test.each<[string, RegExp]>([
    ["my party zz", /party/u],
    [`my party ${"ab".repeat(32)} all`, /could be taken for something else/u],
    [`my party ${"ab".repeat(32)} abc123`, /could be taken for something else/u],
    ["my forget nobody", /You have saved no party “nobody”/u],
    ["ledger export asset:USDT", /needs a party[\s\S]*my party/u],
  ])("%s is refused with what to do", async (line, expected) => {
    const talk = await talkToSimulator();
    expect(await talk.ask(line)).toMatch(expected);
    expect(talk.lastReply.failure).toBe("caller");
  });

  test("do not share a name", async () => {
    const talk = await talkToSimulator();
    await talk.ask(`my party ${"ab".repeat(32)} mine`);
    expect(await talk.ask(`my party ${"cd".repeat(32)} Mine`)).toContain(
      "Another of your parties is called Mine already.",
    );
  });
});
