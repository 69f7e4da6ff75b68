// @ts-check
// The questions that were asked, with their answers, and their addresses.
/** @import { Question } from "../../invocations/question.ts" */
/** @import { Answer } from "../../render.ts" */
/** @import { Surroundings } from "./exchange.js" */
import { addressOf, questionAt } from "../address.js";
import { createExchange } from "./exchange.js";

/** The number of exchanges; older ones are removed, and counted. */
const MAX_EXCHANGES = 200;

/**
 * @param {object} parts
 * @param {HTMLElement} parts.log
 * @param {HTMLElement} parts.head What stands above it, as soon as something was asked.
 * @param {HTMLElement} parts.welcome What stands there before.
 * @param {HTMLElement} parts.letGo Says how many are no longer shown.
 * @param {ReturnType<typeof import("./kept.js").createKept>} parts.kept
 * @param {() => Surroundings} parts.around
 * @param {() => void} parts.reveal Shows the view that it is in.
 */
export function createConversation({ log, head, welcome, letGo, kept, around, reveal }) {
  /** @type {{ readonly exchange: ReturnType<typeof createExchange>, readonly address: string }[]} */
  let exchanges = [];
  let gone = 0;
  let asked = 0;

  /**
   * @param {string} line
   * @param {Question} question
   */
  function add(line, question) {
    asked += 1;
    const number = asked;
    /** @param {{ question: Question, answer?: Answer, job?: string, at?: number }} what */
    const keep = (what) => kept.put(number, { line, at: Date.now(), ...what });
    const exchange = createExchange(line, {
      ...around(),
      answered: (given, answer) => keep({ question: given, answer }),
      goesOn: (given, job) => keep({ question: given, job }),
    });
    exchanges.push({ exchange, address: addressOf(question, line) });
    log.append(exchange.element);
    welcome.hidden = true;
    head.hidden = false;
    forgetOldest();
    return { exchange, keep };
  }

  /** Cancels a running question whose exchange is removed. */
  function forgetOldest() {
    while (exchanges.length > MAX_EXCHANGES) {
      const oldest = exchanges.shift()?.exchange;
      oldest?.cancel();
      oldest?.element.remove();
      gone += 1;
      letGo.textContent = `${gone} older ${gone === 1 ? "answer is" : "answers are"} no longer shown.`;
    }
  }

  /**
   * @param {Question} question
   * @param {string} line
   * @param {{ focus: boolean, file?: File, shownAs?: string, addressed?: boolean }} options `addressed`: the page's address asks it.
   */
  async function ask(question, line, { focus, file, shownAs, addressed = false }) {
    const { exchange, keep } = add(line, question);
    keep({ question });
    const address = addressOf(question, line);
    if (addressed) history.replaceState(null, "", address);
    else if (address !== `${location.pathname}${location.search}${location.hash}`) history.pushState(null, "", address);
    reveal();
    bringIntoView(exchange.element);
    await exchange.start(question, { file, shownAs });
    if (focus) exchange.element.focus({ preventScroll: true });
  }

  return {
    ask,
    /** The conversation from before a reload. */
    restore() {
      for (const { line, ...what } of kept.load()) {
        const { exchange, keep } = add(line, what.question);
        keep(what);
        exchange.restore(what);
      }
      const last = exchanges.at(-1);
      if (last !== undefined) bringIntoView(last.exchange.element);
    },
    /** What the page's address asks for: the answer that stands here already, else a new one. */
    followAddress() {
      const { question, line } = questionAt(location) ?? {};
      if (question === undefined || line === undefined) return;
      const address = addressOf(question, line);
      const known = exchanges.findLast((one) => one.address === address)?.exchange.element;
      if (known === undefined) return void ask(question, line, { focus: true, addressed: true });
      reveal();
      bringIntoView(known);
      known.focus({ preventScroll: true });
    },
    clear() {
      for (const { exchange } of exchanges) exchange.cancel();
      exchanges = [];
      gone = 0;
      kept.clear();
      log.replaceChildren();
      welcome.hidden = false;
      letGo.textContent = "";
      head.hidden = true;
      history.replaceState(null, "", "/");
    },
    /** Cancels the last question that is being answered. */
    cancelLast() {
      exchanges.findLast(({ exchange }) => exchange.cancel());
    },
  };
}

/**
 * The whole exchange where it fits, else its beginning.
 *
 * @param {HTMLElement} element
 */
export function bringIntoView(element) {
  const room = window.innerHeight - 200;
  element.scrollIntoView({ block: element.offsetHeight > room ? "start" : "end" });
}
