// @ts-check
// Slack's markup as its app shows it: mrkdwn is read here as Slack reads it, so that a slip in escaping is seen, and so
// are the parts of rich text.
/** @import { VNode } from "../../web/public/vnode/vnode.js" */
import { drawLink, drawTime, drawUnknown } from "../../web/public/preview/drawn-message.js";
import { visible } from "../../web/public/reply/render-text.js";
import { localTime } from "../../web/public/reply/times.js";
import { h } from "../../web/public/vnode/vnode.js";

/**
 * @typedef {{ readonly type: string, readonly text: string }} TextObject
 * @typedef {{ readonly type: string, readonly text?: string, readonly url?: string, readonly name?: string, readonly unicode?: string,
 *   readonly user_id?: string, readonly usergroup_id?: string, readonly channel_id?: string, readonly range?: string,
 *   readonly timestamp?: number, readonly format?: string, readonly fallback?: string, readonly style?: unknown,
 *   readonly elements?: readonly RichText[] }} RichText
 */

/**
 * A plain text, or a mrkdwn one without its markup.
 *
 * @param {TextObject | undefined} text
 * @returns {string[]}
 */
export function drawPlain(text) {
  return text === undefined ? [] : [visible(plain(text.text))];
}

/** @param {string} text */
function plain(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/**
 * @param {TextObject} text
 * @param {number} now Unix milliseconds
 * @returns {VNode[]}
 */
export function drawText(text, now) {
  if (text.type !== "mrkdwn") return drawPlain(text);
  return text.text.split(/(```[^]*?```)/u).flatMap((part) => {
    if (part.startsWith("```") && part.endsWith("```") && part.length > 6) {
      return [h("pre", {}, h("code", {}, visible(plain(part.slice(3, -3).replace(/^\n|\n$/gu, "")))))];
    }
    const lines = part.split("\n");
    const [only = ""] = lines;
    return lines.length === 1
      ? drawLine(only, now)
      : lines.filter((line) => line !== "").map((line) => h("div", { class: "line" }, ...drawLine(line, now)));
  });
}

/**
 * One line: code first, then what stands between angle brackets, then bold, as Slack does.
 *
 * @param {string} line
 * @param {number} now
 * @returns {VNode[]}
 */
function drawLine(line, now) {
  return line.split(/(`[^`]+`)/u).flatMap((part) => {
    if (/^`[^`]+`$/u.test(part))
      return [h("code", { "data-copy": plain(part.slice(1, -1)) }, visible(plain(part.slice(1, -1))))];
    return part
      .split(/(?<![\p{L}\p{N}*])(\*[^*\s](?:[^*]*[^*\s])?\*)(?![\p{L}\p{N}*])/u)
      .flatMap((piece, index) =>
        index % 2 === 1 ? [h("strong", {}, ...drawControls(piece.slice(1, -1), now))] : drawControls(piece, now),
      );
  });
}

/**
 * Links, times and plain text.
 *
 * @param {string} text
 * @param {number} now
 * @returns {VNode[]}
 */
function drawControls(text, now) {
  return text.split(/(<[^<>]*>)/u).map((part) => {
    if (!part.startsWith("<")) return visible(plain(part).replaceAll("\u200B", ""));
    const inside = part.slice(1, -1);
    const bar = inside.indexOf("|");
    const [target, label] = bar === -1 ? [inside, inside] : [inside.slice(0, bar), inside.slice(bar + 1)];
    if (target.startsWith("!date^")) return drawDate(target, label, now);
    const url = plain(target);
    const shown = visible(plain(label).replaceAll("\u200B", ""));
    return drawLink(url, [shown], "mention");
  });
}

/**
 * @param {string} target
 * @param {string} fallback
 * @param {number} now
 * @returns {VNode}
 */
function drawDate(target, fallback, now) {
  const [, seconds = "0", format = ""] = target.split("^");
  if (!/\{(?:date|time|ago)/u.test(format)) return visible(plain(fallback));
  return drawMoment(seconds, format, now);
}

/**
 * @param {string} seconds
 * @param {string} format https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 * @param {number} now Unix milliseconds
 */
function drawMoment(seconds, format, now) {
  /** @type {(days: number) => string} */
  const dayBefore = (days) => localTime(`${Math.trunc(now) - days * 86_400_000}000000`, undefined).slice(0, 10);
  const parts = format.split(/(\{ago\}|\{\w+\}(?: \{time\w*\})?)/u);
  const drawn = parts.map((part, index) => {
    if (index % 2 === 0) return part;
    return drawTime(seconds, part === "{ago}", now, (moment) => {
      const day = moment.slice(0, 10);
      const date = day === dayBefore(0) ? "today" : day === dayBefore(1) ? "yesterday" : day;
      return part
        .replace(/\{date\w*\}/u, date)
        .replace("{time_secs}", moment.slice(11, 19))
        .replace("{time}", moment.slice(11, 16));
    });
  });
  return h("span", {}, ...drawn);
}

/**
 * Rich text (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block).
 *
 * @param {readonly RichText[]} parts
 * @param {number} now Unix milliseconds
 * @returns {VNode[]}
 */
export function drawRichText(parts, now) {
  return parts.map((part) => (RICH_TEXT[part.type] ?? drawUnknown)(part, now));
}

/** @param {RichText} part @param {number} now */
const inside = ({ elements = [] }, now) => drawRichText(elements, now);
/** @param {string} name */
const mention = (name) => h("span", { class: "mention" }, visible(name));

/** @type {Readonly<Record<string, (part: RichText, now: number) => VNode>>} */
const RICH_TEXT = {
  rich_text_section: (part, now) => h("div", { class: "line" }, ...inside(part, now)),
  rich_text_list: (part, now) =>
    h(
      part.style === "ordered" ? "ol" : "ul",
      { class: "bullets" },
      ...inside(part, now).map((item) => h("li", {}, item)),
    ),
  rich_text_quote: (part, now) => h("blockquote", {}, ...inside(part, now)),
  rich_text_preformatted: (part, now) => h("pre", {}, h("code", {}, ...inside(part, now))),
  text: ({ text = "", style }) => drawStyled(visible(text), style),
  link: ({ url, text, style }) => drawLink(url ?? "", [drawStyled(visible(text ?? url ?? ""), style)], "mention"),
  emoji: ({ unicode, name = "" }) =>
    unicode === undefined ? `:${visible(name)}:` : String.fromCodePoint(...codesOf(unicode)),
  user: ({ user_id: id = "" }) => mention(`@${id}`),
  usergroup: ({ usergroup_id: id = "" }) => mention(`@${id}`),
  channel: ({ channel_id: id = "" }) => mention(`#${id}`),
  broadcast: ({ range = "" }) => mention(`@${range}`),
  date: ({ timestamp = 0, format = "" }, now) => drawMoment(String(Math.trunc(timestamp)), format, now),
};

/** @param {string} unicode Code points in hexadecimal, joined by hyphens. */
function codesOf(unicode) {
  const codes = unicode.split("-").map((code) => Number.parseInt(code, 16));
  return codes.every((code) => code >= 0 && code <= 0x10ffff) ? codes : [0xfffd];
}

/**
 * @param {string} text
 * @param {unknown} style
 * @returns {VNode}
 */
function drawStyled(text, style) {
  const { bold, italic, strike, code } = /** @type {Record<string, unknown>} */ (
    typeof style === "object" && style !== null ? style : {}
  );
  /** @type {readonly (readonly [unknown, "strong" | "em" | "s" | "code"])[]} */
  const tags = [
    [code, "code"],
    [strike, "s"],
    [italic, "em"],
    [bold, "strong"],
  ];
  return tags.reduce((/** @type {VNode} */ inner, [isOn, tag]) => (isOn === true ? h(tag, {}, inner) : inner), text);
}
