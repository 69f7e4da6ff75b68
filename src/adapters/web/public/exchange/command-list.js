// @ts-check
// All commands, with what each is for, in the rail of a wide page.
/** @import { CommandInfo } from "../../console-info.ts" */
import { commandGroups } from "./command-groups.js";
import { makeElement } from "../vnode/make-dom.js";
import { h } from "../vnode/vnode.js";

/** So many groups, of what is asked most, are open. */
const OPEN_GROUPS = 2;

/**
 * @param {HTMLElement} place
 * @param {readonly CommandInfo[]} commands
 * @param {(command: CommandInfo) => void} choose
 */
export function listCommands(place, commands, choose) {
  place.replaceChildren(
    ...commandGroups(commands).map(([title, members], index) => {
      const list = makeElement(h("ul", {}));
      for (const command of members) {
        const { name, summary } = command;
        const button = makeElement(
          h("button", { type: "button", title: summary }, h("b", {}, name), h("span", {}, summary)),
        );
        button.addEventListener("click", () => choose(command));
        const item = makeElement(h("li", {}));
        item.append(button);
        list.append(item);
      }
      const group = makeElement(h("details", {}, h("summary", {}, title)));
      group.toggleAttribute("open", index < OPEN_GROUPS);
      group.append(list);
      return group;
    }),
  );
}
