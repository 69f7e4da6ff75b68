import type { APIEmbed } from "discord-api-types/v10";

import { asButtons, withDrawnClocks } from "../../../reply/fold.ts";
import { nameFiles, type Reply, type Tone } from "../../../reply/reply.ts";
import { planButtons, withoutRefresh } from "../../chat/button-plan.ts";
import { mainAction } from "../../chat/press.ts";
import { actionLines, filesOf, shortenedNote } from "../../chat/bounds.ts";
import { TONE_SIGNS } from "../../chat/tone-signs.ts";
import { WHY_COMMAND } from "../../chat/why-this-alert.ts";
import { EMBED_DESCRIPTION_LENGTH, EMBED_TITLE_LENGTH, EMBED_URL_LENGTH, MAX_BUTTONS } from "../limits.ts";
import {
  actionButton,
  type MessageContext,
  offerButtons,
  pressButton,
  PressIds,
  rowsOfButtons,
  splitButtons,
} from "./buttons.ts";
import { fitBlocks, joinBlocks } from "./blocks.ts";
import { escapeMarkdown, flatRuns, isWebAddress, type Markup, renderText, type ShortenedId } from "./markdown.ts";

/** A message that notifies; `unstored` presses get their final custom_id once they are in the store. */
export type EmbedMessage = ReturnType<typeof renderEmbed>;

/** The accent of each tone. */
export const COLORS: Record<Tone, number> = { neutral: 0x4f6bed, good: 0x2e9e5b, warning: 0xd99a00, bad: 0xd83a3e };
const FOOTER_LENGTH = 600;
/** Reserved for the line that says what was shortened. */
const TRUNCATION_NOTE_LENGTH = 200;
/** Ids behind the button "Full ids"; further ones are in the file with the whole reply. */
const MAX_IDS = 60;

/**
 * Renders an alert, which has no asker, or an answer as an embed below its headline, which a locked phone shows: of an
 * embed it shows nothing. Within every limit; omitted content is counted, and `files` has it behind the reply's own files. Pure and total.
 */
export function renderEmbed(told: Reply, context: Pick<MessageContext, "ask" | "asker" | "mention"> = {}) {
  const reply = withDrawnClocks(told);
  const { mention } = context;
  const ids: ShortenedId[] = [];
  const onId = (name: string, value: string): void => {
    if (!ids.some((one) => one.value === value)) ids.push({ name, value });
  };
  const names = nameFiles(reply);
  const { given, held, add } = names;
  const title = titleOf(reply, (value) => onId("", value));
  const footer = renderText(reply.footer ?? [], { max: FOOTER_LENGTH, onId: (value) => onId("", value) });
  // Two of the buttons may be Full ids and the one that asks again.
  const offered = context.ask === undefined ? reply.actions : withoutRefresh(reply.actions);
  const actions = splitButtons(asButtons(offered), MAX_BUTTONS - 2, mention);
  const left = actionLines(actions.left, "-# ", "-# ");
  const space = EMBED_DESCRIPTION_LENGTH - TRUNCATION_NOTE_LENGTH - footer.markdown.length - left.text.length - 20;
  const blocks = fitBlocks(reply.blocks, space, { heldOf: (index) => held[index], onId, mention });
  const presses = new PressIds();
  const main = mainAction(reply, context);
  const own = actions.shown.map((action) => actionButton(action, context, presses, main));
  const again = context.ask === undefined ? [] : planButtons(reply, context, { kept: false }, ["again"]);
  const buttons = [...own.map(({ button }) => button), ...offerButtons(again, presses)];
  // Details of an alert shows the ids whole.
  const tellsIds = reply.actions.some((action) => "invocation" in action && action.invocation.command === WHY_COMMAND);
  if (ids.length > 0 && !tellsIds) {
    const press = { kind: "ids", ids: ids.slice(0, MAX_IDS) } as const;
    buttons.push(pressButton(ids.length === 1 ? "Full id" : "Full ids", presses.idOf(press)));
  }

  const csv = new Set(blocks.flatMap((markup, index) => (markup.csv === true ? [index] : [])));
  const whole = ids.length <= MAX_IDS && [title, footer, left, ...own, ...blocks].every((part) => part.whole);
  const wholeName = whole ? undefined : add("whole-reply.txt");

  const description = [
    joinBlocks(blocks.map((markup) => markup.markdown)),
    left.text,
    ...(wholeName === undefined ? [] : [`-# ${shortenedNote(blocks, escapeMarkdown(wholeName))}`]),
    ...(footer.markdown.trim() === "" ? [] : [`-# ${footer.markdown.trim()}`]),
  ]
    .filter((part) => part !== "")
    .join("\n");
  const picture = given.find(({ attachment }) => attachment === reply.picture);
  const content = `${TONE_SIGNS[reply.tone]}${title.markdown}`.trim() || "–";
  const embed: APIEmbed = {
    color: COLORS[reply.tone],
    ...(reply.url !== undefined && title.markdown !== "" && isWebAddress(reply.url, EMBED_URL_LENGTH)
      ? { url: reply.url }
      : {}),
    // An embed with a picture alone needs a text, too.
    description: description.trim() === "" ? "–" : description,
    ...(picture === undefined ? {} : { image: { url: `attachment://${picture.name}` } }),
  };
  const isHeadlineAlone = description.trim() === "" && picture === undefined;
  return {
    content,
    embeds: isHeadlineAlone ? [] : [embed],
    components: rowsOfButtons(buttons),
    allowed_mentions: { parse: [] },
    files: filesOf(reply, names, csv, { name: wholeName }),
    unstored: presses.unstored,
  };
}

/** Titles without markup but for times: these are the reader's here as in the embed below. */
function titleOf(reply: Reply, onId: (value: string) => void): Markup {
  const { markdown, whole } = renderText(flatRuns(reply.title, onId), { max: EMBED_TITLE_LENGTH, seconds: true });
  return { markdown: markdown.trim(), whole };
}
