// @ts-check
// The questions that were asked, with their answers, and their addresses.
/** @import { Question } from "../../invocations/question.ts" */
/** @import { Answer } from "../../render.ts" */
/** @import { Start, Surroundings } from "./exchange.js" */
import { addressOf, questionAt } from "../address.js";
import { createExchange } from "./exchange.js";

/** The number of exchanges; older ones are removed, and counted. */
const MAX_EXCHANGES = 200;
/** Of an exchange whose buttons replace its answer, so many answers are kept for the back button. */
const MAX_ANSWERS = 20;

/** @typedef {{ question: Question, answer: Answer, at: number, heading: string | undefined }} Shown */
/**
 * @typedef {object} Place The addresses of an exchange.
 * @property {string} address That of what it shows, or is asked.
 * @property {Map<string, Shown>} answers What it showed, by address.
 */

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
  /** @type {{ readonly exchange: ReturnType<typeof createExchange>, readonly place: Place }[]} */
  let exchanges = [];
  let gone = 0;
  let asked = 0;

  /**
   * @param {string} line
   * @param {Question} question
   * @param {string} [heading]
   */
  function add(line, question, heading) {
    asked += 1;
    const number = asked;
    /** @type {Place} */
    const place = { address: addressOf(question), answers: new Map() };
    /** @param {{ question: Question, answer?: Answer, job?: string, at?: number, heading?: string | undefined }} what */
    const keep = (what) => {
      kept.put(number, { line, heading, at: Date.now(), ...what });
      const { answer, at = Date.now(), heading: shown = heading } = what;
      if (answer !== undefined) note(place, { question: what.question, answer, at, heading: shown });
    };
    /** @type {Surroundings} */
    const surroundings = {
      ...around(),
      answered: (given, answer, shown) => keep({ question: given, answer, heading: shown }),
      goesOn: (given, job) => keep({ question: given, job }),
      replacing: (given) => {
        place.address = addressOf(given);
        goTo(place.address);
      },
    };
    const exchange = createExchange(line, surroundings, heading);
    exchanges.push({ exchange, place });
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
   * @param {{ focus: boolean, addressed?: boolean, heading?: string } & Start} options `addressed`: the page's address asks it.
   */
  async function ask(question, line, { focus, addressed = false, heading, ...how }) {
    const { exchange, keep } = add(line, question, heading);
    keep({ question });
    const address = addressOf(question);
    if (addressed) history.replaceState(null, "", address);
    else goTo(address);
    reveal();
    bringIntoView(exchange.element);
    await exchange.start(question, how);
    if (focus) exchange.element.focus({ preventScroll: true });
  }

  return {
    ask,
    /** The conversation from before a reload. */
    restore() {
      for (const { line, heading, ...what } of kept.load()) {
        const { exchange, keep } = add(line, what.question, heading);
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
      const address = addressOf(question);
      const known = exchanges.findLast(({ place }) => place.address === address || place.answers.has(address));
      if (known === undefined) return void ask(question, line, { focus: true, addressed: true });
      const { exchange, place } = known;
      const before = place.answers.get(address);
      if (place.address !== address && before !== undefined) {
        exchange.cancel();
        exchange.restore(before);
        place.address = address;
      }
      reveal();
      bringIntoView(exchange.element);
      exchange.element.focus({ preventScroll: true });
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
 * @param {Place} place
 * @param {Shown} shown
 */
function note({ answers }, shown) {
  const address = addressOf(shown.question);
  answers.delete(address);
  answers.set(address, shown);
  const [oldest] = answers.keys();
  if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
}

/** @param {string} address */
function goTo(address) {
  if (address !== `${location.pathname}${location.search}${location.hash}`) history.pushState(null, "", address);
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
