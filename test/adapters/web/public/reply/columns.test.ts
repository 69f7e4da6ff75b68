import { expect, test } from "vitest";

import { columnsToDrop } from "../../../../../src/adapters/web/public/reply/columns.js";

const columns = (...priorities: (1 | 2 | 3 | undefined)[]) => priorities.map((priority) => ({ width: 100, priority }));

test.each([
  { priorities: columns(1, 1, 2, 2, 3), room: 500, dropped: [] },
  { priorities: columns(1, 1, 2, 2, 3), room: 499, dropped: [4] },
  { priorities: columns(1, 1, 2, 2, 3), room: 400, dropped: [4] },
  { priorities: columns(1, 1, 2, 2, 3), room: 399, dropped: [3, 4] },
  { priorities: columns(1, 3, 2, 2, 3), room: 250, dropped: [1, 3, 4] },
  { priorities: columns(3, 1, 1), room: 150, dropped: [1, 2] },
  { priorities: columns(1, 1, undefined), room: 210, dropped: [1] },
  { priorities: [...columns(1, 1), { width: 50, priority: 2, empty: true }, ...columns(3)], room: 300, dropped: [2] },
  { priorities: [{ width: 100, priority: 1, empty: true }, ...columns(1)], room: 300, dropped: [] },
  { priorities: [...columns(1), { width: 400, priority: 1 }, ...columns(1, 2)], room: 350, dropped: [1] },
])("$room pixels for $priorities.length columns: without $dropped", ({ priorities, room, dropped }) => {
  expect([...columnsToDrop(priorities, room)].toSorted((a, b) => a - b)).toEqual(dropped);
});
