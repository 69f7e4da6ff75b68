// @ts-check
/** @import { CommandInfo } from "../../console-info.ts" */

/** What stands alone, before those that share their first word. */
const SINGLE = "network";

/**
 * Commands by their first word, those without company first.
 *
 * @param {readonly CommandInfo[]} commands
 * @returns {readonly (readonly [title: string, commands: readonly CommandInfo[]])[]}
 */
export function commandGroups(commands) {
  const byWord = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? "");
  /** @type {Map<string, CommandInfo[]>} */
  const groups = new Map([[SINGLE, []]]);
  for (const [word, members] of byWord) {
    const title = members.length === 1 ? SINGLE : word;
    groups.set(title, [...(groups.get(title) ?? []), ...members]);
  }
  return [...groups]
    .filter(([, members]) => members.length > 0)
    .map(([title, members]) => [`${title.slice(0, 1).toUpperCase()}${title.slice(1)}`, members]);
}
