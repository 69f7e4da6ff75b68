import * as fc from "fast-check";
import { expect, test } from "vitest";

import { commands } from "../../../../commands/index.ts";
import { renderHome } from "../../../../src/adapters/slack/home/render-home.ts";
import { renderForm } from "../../../../src/adapters/slack/render/form.ts";
import { textOfMention, typedText } from "../../../../src/adapters/slack/respond/command-handler.ts";
import { anyString, anyText } from "../../../support/arbitrary-reply.ts";
import { judgeView } from "../../../support/fake-slack/judge.ts";
import { nastyStrings } from "../../../support/nasty-strings.ts";
import { strings } from "../shown.ts";
import { runs } from "../../../support/runs.ts";

const place = {
  command: "order",
  shared: true,
  channel: "C1",
  response: { url: "https://hooks.slack.com/x", since: 1, used: 0 },
};

test("the home tab passes the judge, with any parties and subscriptions", () => {
  const party = fc.record({ id: anyString(), name: fc.option(anyString(), { nil: undefined }) });
  const ask = fc.record({ command: anyString(), options: fc.dictionary(anyString(), anyString(), { maxKeys: 2 }) });
  const subscription = fc.record(
    { text: anyText, trouble: anyText, channel: fc.oneof(fc.constantFrom("C0123", "D9"), anyString()), remove: ask },
    { requiredKeys: ["text"] },
  );
  const parties = fc.oneof(fc.array(party, { maxLength: 40 }), fc.constant("unreadable" as const));
  const subscriptions = fc.oneof(fc.array(subscription, { maxLength: 60 }), fc.constant("unreadable" as const));
  const tone = fc.constantFrom("neutral" as const, "good" as const, "warning" as const, "bad" as const);
  const network = fc.record({ tone, text: anyText });
  const alert = fc.record(
    { tone, text: anyText, why: ask, acknowledge: ask, silence: ask, channel: anyString() },
    { requiredKeys: ["tone", "text", "why"] },
  );
  const silence = fc.record({ text: anyText, end: ask, channel: anyString() }, { requiredKeys: ["text"] });
  const notice = fc.option(fc.record({ tone, text: anyText }), { nil: undefined });
  const manages = fc.constantFrom("all" as const, "own" as const, "none" as const);
  const standing = fc.oneof(
    fc.record({
      title: network,
      silences: fc.array(silence, { maxLength: 30 }),
      networks: fc.array(network, { maxLength: 6 }),
      open: fc.array(alert, { maxLength: 10 }),
      more: fc.nat(),
      pages: fc.integer({ min: 1, max: 200 }),
    }),
    fc.constant("unreadable" as const),
  );
  const place = fc.record(
    {
      list: fc.constantFrom("alerts" as const, "silences" as const, "told" as const, "parties" as const),
      page: fc.nat({ max: 150 }),
    },
    { requiredKeys: ["page"] },
  );
  fc.assert(
    fc.property(
      standing,
      parties,
      subscriptions,
      fc.tuple(place, notice, manages),
      (standing, parties, subscriptions, more) => {
        const [place, notice, manages] = more;
        const given = {
          command: "/bell",
          botName: "bellwether",
          commands,
          standing,
          place,
          at: 1_768_478_400_000,
          manages,
        };
        const home = renderHome({ ...given, ...(notice === undefined ? {} : { notice }), parties, subscriptions });
        expect(judgeView(home)).toEqual([]);
        for (const { text } of strings(home.blocks)) {
          for (const [, inside = ""] of text.matchAll(/<([^<>]*)>/gu)) {
            expect(inside).toMatch(/^(#[CG][A-Z0-9]{8,}$|!date\^\d+\^[^|]*\||https?:\/\/)/u);
          }
        }
      },
    ),
    runs(60),
  );
});

test("every command's form passes the judge, whatever was typed before it", () => {
  fc.assert(
    fc.property(fc.constantFrom(...commands), fc.constantFrom(...nastyStrings, "2", "yes"), (command, value) => {
      const given = Object.fromEntries(Object.keys(command.options).map((name) => [name, value]));
      expect(judgeView(renderForm(command, given, ["mainnet"], place))).toEqual([]);
    }),
    runs(100),
  );
});

test("a form keeps to Slack's limits when its response_url is too long to carry", () => {
  const [command] = commands;
  const long = { ...place, response: { ...place.response, url: `https://hooks.slack.com/${"x".repeat(4000)}` } };
  expect(judgeView(renderForm(command!, {}, ["mainnet"], long))).toEqual([]);
});

test.each([
  ["market show <http://USDC.e|USDC.e>", "market show USDC.e"],
  ["<https://example.net/?a=1&amp;b=2>", "https://example.net/?a=1&b=2"],
  ["<@U1|ann> <@U2> <#C1|general> <#C2>", "@ann @U2 #general #C2"],
  ["alerts add mention:<!subteam^S012345|@ops> x", "alerts add mention:S012345 x"],
  ["alerts add --mention <@U012345|ann lee>", "alerts add --mention U012345"],
  ["<!here> <!subteam^S1|@ops> <!date^1^{date}|then>", "@here @ops then"],
  ["<mailto:a@b.c|a@b.c> <mailto:d@e.f>", "a@b.c d@e.f"],
  ["&lt;b&gt; &amp;amp; a &lt; b", "<b> &amp; a < b"],
])("%s was typed as %s", (given, typed) => {
  expect(typedText(given)).toBe(typed);
});

test("the mention goes, wherever it stands, and no other", () => {
  expect(textOfMention("<@UBOT> market list", "UBOT")).toBe("market list");
  expect(textOfMention("hey <@UBOT|bell>: time", "UBOT")).toBe("hey  : time");
  expect(textOfMention("<@U1|ann> <@UBOT> time", "UBOT")).toBe("@ann   time");
  expect(textOfMention("<@UBOT>, time", undefined)).toBe("time");
});
