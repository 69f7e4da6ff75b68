import { expect, test } from "vitest";

import { pollSubjects } from "../../../src/watchers/subjects/subjects.ts";
import { VirtualClock } from "../../api/virtual-clock.ts";

test.each([
  [60, ["a b", "c d", "a b"]],
  [0, ["a", "b", "c"]],
])(
  "a look that takes longer than %i ms has asked for something, and the next ones go on behind it",
  async (millis, expected) => {
    const clock = new VirtualClock();
    const looks: string[] = [];
    let turn: string | undefined;
    while (looks.length < expected.length) {
      const asked = await pollSubjects(["a", "b", "c", "d"], turn, { millis, clock }, () => clock.advance(40));
      ({ turn } = asked);
      looks.push([...asked.answers.keys()].join(" "));
    }
    expect(looks).toEqual(expected);
  },
);
