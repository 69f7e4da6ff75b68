// @ts-check
// The conversation over a reload of the page, as far as the browser keeps it: until its tab is closed or one signs out.
/** @import { Question } from "../../invocations/question.ts" */
/** @import { Answer } from "../../render.ts" */

/**
 * @typedef {object} KeptExchange
 * @property {string} line
 * @property {string | undefined} [heading] What the pressed button says.
 * @property {Question} question
 * @property {number} at When it was answered, or asked, in Unix milliseconds.
 * @property {string} [job] The code of a job that goes on by itself, until its answer has come.
 * @property {Answer} [answer] Left out where none had come, or where it was too long to be kept.
 */

const MAX_EXCHANGES = 40;
/** Browsers keep some five million characters of a site. */
const MAX_CHARACTERS = 2_000_000;
const MAX_ANSWER_CHARACTERS = 400_000;
const KEY = "bellwether-conversation";

/** @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage */
export function createKept(storage) {
  /** @type {Map<number, string>} Each as JSON, by its number in the conversation. */
  let kept = new Map();

  function save() {
    let length = 0;
    const newest = [...kept].toReversed().filter(([, json], index) => {
      length += json.length;
      return index < MAX_EXCHANGES && length <= MAX_CHARACTERS;
    });
    kept = new Map(newest.toReversed());
    try {
      storage.setItem(KEY, `[${[...kept.values()].join(",")}]`);
    } catch {
      // Storage may be full or forbidden; the conversation then lasts as long as the page.
    }
  }

  return {
    /** @returns {KeptExchange[]} The oldest first. */
    load() {
      try {
        /** @type {unknown} */
        const read = JSON.parse(storage.getItem(KEY) ?? "[]");
        return Array.isArray(read) ? read.filter(isKept).slice(-MAX_EXCHANGES) : [];
      } catch {
        return [];
      }
    },
    /**
     * @param {number} number
     * @param {KeptExchange} exchange
     */
    put(number, exchange) {
      const json = JSON.stringify(exchange);
      const { answer: _, ...asked } = exchange;
      kept.set(number, json.length > MAX_ANSWER_CHARACTERS ? JSON.stringify(asked) : json);
      save();
    },
    clear() {
      kept = new Map();
      try {
        storage.removeItem(KEY);
      } catch {
        // What may not be kept need not be removed.
      }
    },
  };
}

/**
 * @param {unknown} value
 * @returns {value is KeptExchange}
 */
function isKept(value) {
  return (
    typeof value === "object" &&
    value !== null &&
    "line" in value &&
    typeof value.line === "string" &&
    "at" in value &&
    typeof value.at === "number" &&
    "question" in value &&
    typeof value.question === "object"
  );
}
