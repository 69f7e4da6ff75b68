import { expect, test } from "vitest";

import { isStateCard, stateAlert } from "../../../../../src/adapters/web/public/alerts/standing.js";
import { silenceLines } from "../../../../../src/adapters/web/public/alerts/silence-lines.js";
import { faultOf } from "../../../../../src/adapters/web/public/vnode/vnode.js";
import { saying } from "../../../../support/said.ts";
import { elementsOf, textsOf } from "../../print-tree.ts";

const silence = { id: "s1", what: "everything", where: "in all channels", by: "ada", leftMillis: 5_430_000 };

test("the banner names each silence with the time left, and ends it", () => {
  const tree = silenceLines([silence, { ...silence, id: "s2", reason: "<b>", leftMillis: 1000 }]);
  const all = elementsOf(tree);
  expect(all.flatMap((element) => faultOf(element) ?? [])).toEqual([]);
  const said = textsOf(tree).join("");
  expect(said).toMatch(saying("everything", "in all channels", "1 h 30 min", "ada"));
  expect(said).toMatch(/1 min\b.*\bada: <b>/u);
  expect(all.flatMap(({ attrs }) => attrs["data-silence"] ?? [])).toEqual(["s1", "s2"]);
});

test("one that lasts until an alert is over says so, not the time until its latest end", () => {
  const said = textsOf(silenceLines([{ ...silence, untilOver: true }])).join("");
  expect(said).toContain("in all channels, until it is over, by ada");
  expect(said).not.toContain("left");
});

test("further silences are counted", () => {
  const tree = silenceLines(Array.from({ length: 5 }, (_, index) => ({ ...silence, id: `s${index}` })));
  expect(elementsOf(tree).flatMap(({ attrs }) => attrs["data-silence"] ?? [])).toHaveLength(3);
  expect(textsOf(tree).join("")).toContain("2 more");
});

test("what is open and was not delivered has a card of its state", () => {
  const open = {
    episode: "node.down|mainnet|a:1|1",
    kind: "node.down",
    network: "mainnet",
    subject: "a:1",
    severity: "warning",
    state: "firing",
    began: "17",
  } as const;
  const alert = stateAlert(open);
  expect(isStateCard(alert)).toBe(true);
  expect(alert).toMatchObject({ episode: open.episode, at: "17", state: "firing" });
});
