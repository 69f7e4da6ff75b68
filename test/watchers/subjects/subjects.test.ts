import { expect, test } from "vitest";

import { pollSubjects } from "../../../src/watchers/subjects/subjects.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";

test.each([
  [60, ["a b", "c d", "a b"]],
  [0, ["a", "b", "c"]],
])(
  "an observation that takes longer than %i ms has polled some subjects, and the next ones continue behind them",
  async (millis, expected) => {
    const clock = new VirtualClock();
    const rounds: string[] = [];
    let turn: string | undefined;
    while (rounds.length < expected.length) {
      const asked = await pollSubjects(["a", "b", "c", "d"], turn, { millis, clock }, () => clock.advance(40));
      ({ turn } = asked);
      rounds.push([...asked.answers.keys()].join(" "));
    }
    expect(rounds).toEqual(expected);
  },
);
