import { expect, test } from "vitest";

import { judgeMessage, judgeOptions, judgeView } from "../../support/fake-slack/judge.ts";

const plain = (text: string) => ({ type: "plain_text", text });
const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
const button = (more: object) => ({ type: "button", action_id: "a", text: plain("Go"), ...more });

/** What Slack takes, and what it refuses. */
test.each([
  ["a section", [section("x".repeat(3000))], /^$/u],
  ["a section that is too long", [section("x".repeat(3001))], /3000/u],
  ["an empty section", [{ type: "section" }], /empty section/u],
  ["a long field", [{ type: "section", fields: [plain("x".repeat(2001))] }], /2000/u],
  ["eleven fields", [{ type: "section", fields: Array.from({ length: 11 }, () => plain("x")) }], /10/u],
  ["a header with mrkdwn", [{ type: "header", text: { type: "mrkdwn", text: "x" } }], /blocks\/0/u],
  ["a long header", [{ type: "header", text: plain("x".repeat(151)) }], /150/u],
  ["an unknown block", [{ type: "embed" }], /no block is called embed/u],
  ["an unknown property", [{ ...section("x"), colour: "red" }], /additional properties/u],
  ["a blank text", [section(" ")], /empty text/u],
  ["a long value", [{ type: "actions", elements: [button({ value: "x".repeat(2001) })] }], /2000/u],
  ["a long label", [{ type: "actions", elements: [button({ text: plain("x".repeat(76)) })] }], /75/u],
  ["an action_id twice", [{ type: "actions", elements: [button({}), button({})] }], /action_id twice/u],
  [
    "26 buttons",
    [{ type: "actions", elements: Array.from({ length: 26 }, (_, n) => button({ action_id: `${n}` })) }],
    /25/u,
  ],
  ["101 rows", [{ type: "table", rows: Array.from({ length: 101 }, () => [{ type: "raw_text", text: "x" }]) }], /100/u],
  ["an empty cell", [{ type: "table", rows: [[{ type: "raw_text", text: "" }]] }], /blocks\/0/u],
  [
    "two tables",
    [1, 2].map(() => ({ type: "table", rows: [[{ type: "raw_text", text: "x" }]] })),
    /more than one table/u,
  ],
  ["51 blocks", Array.from({ length: 51 }, () => ({ type: "divider" })), /51 blocks/u],
  ["too much in all", Array.from({ length: 5 }, () => section("x".repeat(2900))), /msg_blocks_too_long/u],
])("%s", (_name, blocks, refusal) => {
  const faults = judgeMessage({ text: "x", blocks }).join("\n");
  expect(faults).toMatch(refusal);
});

test("views and options", () => {
  const modal = { type: "modal", title: plain("x"), blocks: [section("x")] };
  expect(judgeView(modal)).toEqual([]);
  expect(judgeView({ ...modal, title: plain("x".repeat(25)) }).join("\n")).toMatch(/24/u);
  expect(
    judgeView({ ...modal, blocks: [{ type: "input", label: plain("x"), element: { type: "plain_text_input" } }] }).join(
      "\n",
    ),
  ).toMatch(/without submit/u);
  expect(judgeView({ ...modal, blocks: [{ type: "table", rows: [[{ type: "raw_text", text: "x" }]] }] })).toEqual([
    "a table in a view",
  ]);
  const option = (value: string) => ({ text: plain(value), value });
  const group = (label: string, options: object[]) => ({ label: plain(label), options });
  const list = (more: object) => ({ type: "multi_static_select", ...more });
  const fields: [object, RegExp][] = [
    [{ type: "static_select", options: [] }, /offers nothing/u],
    [{ type: "static_select", options: [option("a")], initial_option: option("b") }, /not offered/u],
    [{ type: "plain_text_input", max_length: 3001 }, /3001/u],
    [{ type: "plain_text_input", max_length: 1, initial_value: "ab" }, /more than/u],
    [{ type: "number_input", is_decimal_allowed: false, max_value: "1", initial_value: "2" }, /does not take/u],
    [{ type: "number_input", is_decimal_allowed: false, min_value: "2", max_value: "1" }, /no number/u],
    [list({ option_groups: [group("x", [option("a")])], initial_options: [option("a")] }), /^$/u],
    [list({ option_groups: [] }), /offers nothing/u],
    [list({ option_groups: [group("x", [option("a")]), group("y", [])] }), /0 under a heading/u],
    [
      list({
        option_groups: [
          group(
            "x",
            Array.from({ length: 101 }, (_, at) => option(`${at}`)),
          ),
        ],
      }),
      /101 under/u,
    ],
    [list({ option_groups: [group("x".repeat(76), [option("a")])] }), /heading of 76/u],
    [list({ options: [option("a")], option_groups: [group("x", [option("b")])] }), /with and without/u],
    [list({ options: Array.from({ length: 101 }, (_, at) => option(`${at}`)) }), /100/u],
    [list({ options: [option("a")], initial_options: [] }), /begins with nothing/u],
    [list({ options: [option("a")], initial_options: [option("b")] }), /not offered/u],
    [list({ options: [option("a")], initial_options: [option("a"), option("a")] }), /twice/u],
    [{ type: "multi_external_select", initial_options: [] }, /begins with nothing/u],
    [{ type: "multi_external_select", initial_options: [option("x".repeat(76))] }, /7[56]/u],
    [{ type: "datepicker", initial_date: "2026-02-28" }, /^$/u],
    [{ type: "datepicker", initial_date: "2026-02-30" }, /no day/u],
    [{ type: "datepicker", initial_date: "today" }, /no day/u],
    [{ type: "datetimepicker", initial_date_time: 1_800_000_000 }, /^$/u],
    [{ type: "datetimepicker", initial_date_time: 1_800_000_000_000 }, /ten digits/u],
    [{ type: "radio_buttons", options: [option("a")] }, /which nothing judges/u],
  ];
  for (const [element, refusal] of fields) {
    const blocks = [{ type: "input", label: plain("x"), element }];
    expect(judgeView({ ...modal, submit: plain("x"), blocks }).join("\n")).toMatch(refusal);
  }
  expect(judgeOptions([{ text: plain("x"), value: "x" }])).toEqual([]);
  expect(judgeOptions([{ text: plain("x".repeat(76)), value: "x" }]).join("\n")).toMatch(/75/u);
});
