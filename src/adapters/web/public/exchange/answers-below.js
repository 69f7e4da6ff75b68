// @ts-check
// What buttons ask, answered below what they belong to.
/** @import { ButtonAction } from "../../../../reply/fold.ts" */
/** @import { Question } from "../../invocations/question.ts" */
/** @import { Surroundings } from "./exchange.js" */
import { confirmFirst } from "./confirm.js";
import { createExchange } from "./exchange.js";
import { formatLine, isFilled } from "./lines.js";

/** So many answers stay. */
const MAX_ANSWERS = 10;

/**
 * @param {Element} list
 * @param {Surroundings} around
 */
export function answersBelow(list, around) {
  /**
   * @param {Question} question
   * @param {string} [heading]
   * @returns {Promise<HTMLElement | undefined>}
   */
  async function ask(question, heading) {
    if (!("command" in question)) return undefined;
    /** @type {Surroundings} */
    const below = { ...around, askBelow: async (next, _line, { heading: said }) => void (await ask(next, said)) };
    const { element, start } = createExchange(formatLine(question.command, question.options ?? {}), below, heading);
    list.append(element);
    while (list.children.length > MAX_ANSWERS) list.firstElementChild?.remove();
    await start(question);
    return element;
  }
  /**
   * @param {Omit<Extract<ButtonAction, { invocation: unknown }>, "label">} action
   * @param {string} label
   */
  const press = async ({ invocation, confirm, form }, label) => {
    if (confirm !== undefined && !(await confirmFirst(around.dialog, confirm, label))) return;
    if (isFilled(label, form)) around.fillIn(invocation);
    else await ask(invocation, label);
  };
  return {
    ask,
    /** @type {(...pressed: Parameters<typeof press>) => void} */ press: (...pressed) => void press(...pressed),
  };
}
