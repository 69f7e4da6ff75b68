// @ts-check
// A reply as the page shows it. Pure and total: a switch over all kinds, no default, no browser.
/** @import { Block, Field, ReplyJson, Text } from "../../../../reply/document.ts" */
/** @import { Reader } from "./render-text.js" */
/** @import { VElement } from "../vnode/vnode.js" */
import { asButtons, ofRows, renderActions } from "./render-actions.js";
import { plainOf, renderText, visible } from "./render-text.js";
import { chartId, drawChart } from "./render-chart.js";
import { renderAttachments, renderPicture } from "./render-files.js";
import { renderTable } from "./render-table.js";
import { h, isSafeLink } from "../vnode/vnode.js";

/** The first words of replies about a simulated network. */
const SIMULATED = "SIMULATED";

/**
 * A colour alone says nothing to many. That something went well needs no word: it would seem to be about the market. How
 * severe an alert is only the alert says.
 */
const TONE_WORDS = { neutral: undefined, good: undefined, warning: "Warning", bad: "Problem" };
const FAILURE_WORDS = { caller: "Not done", network: "Network problem", bug: "Bot problem" };

/** A value longer than this takes the place of two, and one longer than that a line of its own. */
const BROAD_LENGTH = 24;
const WIDE_LENGTH = 56;
/** A number as wide as half of a phone. */
const LONG_NUMBER = 14;

/**
 * @param {ReplyJson} reply
 * @param {Reader} given
 * @returns {VElement}
 */
export function renderReply(reply, given) {
  const reader = { ...given, zone: { named: false } };
  // The rows of tables are numbered on from the actions, as `pressable` lists them.
  let pressed = asButtons(reply.actions).length;
  const failed = reply.failure !== undefined;
  const choosing = isChoosing(reply);
  const blocks = reply.blocks.map((block, index) => {
    const place = { index, firstAction: pressed, failed, choosing };
    pressed += ofRows(block).length;
    return { detail: "detail" in block, place, block };
  });
  const details = blocks.filter(({ detail }) => detail);
  const shown = blocks.filter(({ detail }) => !detail);
  const header = renderHeader(reply, reader);
  /** @type {(VElement | undefined)[]} */
  const above = shown.map(({ block, place }) => renderBlock(block, reader, place));
  // A file is what was asked for, and stands before facts about it; a table is in the file as well.
  const facts = shown.findIndex(({ block }) => block.kind === "fields");
  const isFile = facts !== -1 && shown.every(({ block }) => block.kind !== "table");
  above.splice(isFile ? facts : above.length, 0, renderAttachments(reply.attachments));
  return h(
    "div",
    { class: "reply", "data-tone": reply.tone },
    header,
    ...above,
    reply.picture === undefined ? undefined : renderPicture(reply.picture),
    details.length === 0 ? undefined : renderDetails(reply, details, { ...reader, exact: true }),
    ...renderActions(reply.actions, reply.asks === true && reply.actions.length === 1),
    reply.footer === undefined ? undefined : h("footer", { class: "footer" }, renderText(reply.footer, reader)),
  );
}

/**
 * What is folded: each page of it behind its own name, so that one press shows it.
 *
 * @param {ReplyJson} reply
 * @param {readonly { readonly block: Block, readonly place: Parameters<typeof renderBlock>[2] }[]} details
 * @param {Reader} reader
 */
function renderDetails({ actions }, details, reader) {
  // An alert has a button of that name, which tells its story.
  const unnamed = actions.some(({ label }) => label === "Details") ? "More" : "Details";
  const pages = [...Map.groupBy(details, ({ block }) => block.page ?? unnamed)];
  return h(
    "div",
    { class: "folds" },
    ...pages.map(([name, blocks]) =>
      h(
        "details",
        { class: "details" },
        h("summary", {}, visible(name)),
        h("div", {}, ...blocks.map(({ block, place }) => renderBlock(block, reader, place))),
      ),
    ),
  );
}

/**
 * Whether a reply says that nothing in it is real.
 *
 * @param {ReplyJson} reply
 */
export function isSimulated(reply) {
  const [first] = reply.title;
  return first?.kind === "strong" && first.text === SIMULATED;
}

/**
 * The word for the tone; undefined for a neutral one, and where what is missing is asked for. What was done and found a
 * problem, as in a file that differs, is no failure to whoever reads it.
 *
 * @param {ReplyJson} reply
 * @returns {string | undefined}
 */
function toneWord(reply) {
  if (reply.failure === "caller" && (reply.asks === true || isChoosing(reply))) return undefined;
  const isFound = reply.failure === "caller" && reply.tone === "bad";
  return reply.failure === undefined || isFound ? TONE_WORDS[reply.tone] : FAILURE_WORDS[reply.failure];
}

/** @param {ReplyJson} reply */
function isChoosing({ actions, failure }) {
  return failure === "caller" && actions.some((action) => "choices" in action);
}

/**
 * What to announce when a reply has come: its tone, its title and how much there is.
 *
 * @param {ReplyJson} reply
 * @param {Reader} reader
 */
export function announcement(reply, reader) {
  const rows = reply.blocks.reduce((sum, block) => sum + (block.kind === "table" ? block.rows.length : 0), 0);
  return [
    toneWord(reply),
    plainOf(reply.title, reader),
    rows === 0 ? undefined : `${rows} ${rows === 1 ? "row" : "rows"}`,
    reply.attachments.length === 0 ? undefined : `${reply.attachments.length} to download`,
  ]
    .filter((part) => part !== undefined)
    .join(". ");
}

/**
 * @param {ReplyJson} reply
 * @param {Reader} reader
 * @returns {VElement}
 */
function renderHeader(reply, reader) {
  const word = toneWord(reply);
  const simulated = isSimulated(reply);
  const title = simulated ? withoutLabel(reply.title) : reply.title;
  // Buttons and links do not stand inside links, so a title that is a link keeps the text of what it holds.
  const heading =
    reply.url !== undefined && isSafeLink(reply.url)
      ? [h("a", { href: reply.url, target: "_blank", rel: "noopener noreferrer" }, plainOf(title, reader))]
      : renderText(title, { ...reader, inLine: true, heading: true });
  return h(
    "header",
    { class: "head" },
    h("h2", {}, heading.length === 0 ? ["(no title)"] : heading),
    word === undefined && !simulated
      ? undefined
      : h(
          "p",
          { class: "badges" },
          word === undefined ? undefined : h("span", { class: "badge tone" }, word),
          simulated ? h("span", { class: "badge simulated" }, SIMULATED) : undefined,
        ),
  );
}

/**
 * The label is shown as a badge of its own.
 *
 * @param {Text} title
 * @returns {Text}
 */
function withoutLabel(title) {
  const [, second, ...rest] = title;
  if (second?.kind !== "text") return title.slice(1);
  return [{ ...second, text: second.text.replace(/^ · /u, "") }, ...rest];
}

/**
 * @param {Block} block
 * @param {Reader} reader
 * @param {{ readonly index: number, readonly firstAction: number, readonly failed: boolean, readonly choosing: boolean }} place
 * @returns {VElement}
 */
function renderBlock(block, reader, place) {
  switch (block.kind) {
    case "paragraph":
      return h("p", {}, renderText(block.text, reader));
    case "fields":
      return h(
        "section",
        { class: "block" },
        renderBlockTitle(block.title, reader),
        h(
          "dl",
          { class: "fields" },
          ...block.fields.map((field) =>
            h(
              "div",
              { class: `field${widthOf(field, reader)}` },
              h("dt", {}, renderText(field.name, reader)),
              h("dd", {}, renderText(field.value, reader)),
            ),
          ),
        ),
      );
    case "list":
      return h(
        "section",
        { class: "block" },
        renderBlockTitle(block.title, reader),
        h("ul", { class: "list" }, ...block.items.map((item) => h("li", {}, renderText(item, reader)))),
      );
    case "table":
      return renderTable(block, reader, place);
    case "code":
      return renderCodeBlock(block, place);
    case "chart":
      return drawChart(block, chartId(block));
  }
}

/**
 * @param {Field} field
 * @param {Reader} reader
 */
function widthOf(field, reader) {
  const { length } = plainOf(field.value, reader);
  if (field.wide === true || length > WIDE_LENGTH) return " wide";
  // A number breaks nowhere: half of it would be read as another one.
  const whole = field.value.some(
    (inline) => inline.kind === "number" && plainOf([inline], reader).length > LONG_NUMBER,
  );
  return whole || length > BROAD_LENGTH ? " broad" : "";
}

/**
 * @param {Text | undefined} title
 * @param {Reader} reader
 * @returns {VElement | undefined}
 */
function renderBlockTitle(title, reader) {
  return title === undefined || title.length === 0 ? undefined : h("h3", {}, renderText(title, reader));
}

/** A line from its first `<party>` on: the input takes what is before it, and completion offers the rest. */
const PLACEHOLDERS = /<[a-z][a-z\d-]*>.*$/u;

/**
 * A line to type can be put into the input with one press; so can a failure's single line of code, which is the line that
 * would be right. Below values to choose from it is folded away.
 *
 * @param {Extract<Block, { kind: "code" }>} block
 * @param {Pick<Parameters<typeof renderBlock>[2], "failed" | "choosing">} place
 * @returns {VElement}
 */
function renderCodeBlock({ text, language, command }, { failed, choosing }) {
  const isOne = text !== "" && !/[\n\r]/u.test(text);
  const line = isOne && (command === true || (failed && (language ?? "") === ""));
  const figure = h(
    "figure",
    { class: line ? "code suggestion" : "code" },
    h("pre", { tabindex: "0" }, h("code", {}, visible(text))),
    line
      ? h("button", { type: "button", class: "small", "data-fill": text.replace(PLACEHOLDERS, "") }, "Type it")
      : undefined,
    h("button", { type: "button", class: "small", "data-copy": text }, "Copy"),
  );
  return line && choosing ? h("details", { class: "more" }, h("summary", {}, "A line to type"), figure) : figure;
}
