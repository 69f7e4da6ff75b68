// Renders a Reply as one Discord message of components, within every limit: whole, and as much of it as people read
// first. Read next: body.ts (the texts), buttons.ts (buttons and selects), blocks.ts and table.ts
// (blocks as markdown), markdown.ts (inline text, escaping), press.ts (custom_ids), compose.ts and files.ts (ready to
// send). embed.ts is the form of alerts.

import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInContainer,
  type APIMessageTopLevelComponent,
  type APIStringSelectComponent,
  ComponentType,
  MessageFlags,
  SeparatorSpacingSize,
} from "discord-api-types/v10";

import { aboveFold, asButtons, detailPages, unfolded, withDrawnClocks } from "../../../reply/fold.ts";
import { type Action, type MessageFile, nameFiles, ownCsv, type Reply, type Tone } from "../../../reply/reply.ts";
import { shortenId } from "../../../reply/text.ts";
import { beyondFold, filesOf, FOLDED_ROWS, placesAboveFold } from "../../chat/bounds.ts";
import { planButtons, withoutRefresh } from "../../chat/button-plan.ts";
import { mainAction, type Show } from "../../chat/press.ts";
import { BUTTONS_PER_ROW, COMPONENTS_TEXT_LENGTH, FOLDED_LENGTH, MAX_COMPONENTS, MAX_FILES } from "../limits.ts";
import { renderBody } from "./body.ts";
import {
  actionButton,
  type Choice,
  type MessageContext,
  offerButtons,
  PressIds,
  rowsOfButtons,
  selectRow,
  splitButtons,
} from "./buttons.ts";
import { COLORS } from "./embed.ts";
import { escapeMarkdown } from "./markdown.ts";

/** One form of an answer, without its files. */
export interface AnswerForm {
  readonly tone: Tone;
  readonly body: readonly APIComponentInContainer[];
  readonly footer: string;
  readonly rows: readonly ControlRow[];
  /** What must be stored first, by the temporary custom_id of its button or select. */
  readonly unstored: PressIds["unstored"];
}

/** A message as Discord takes it, with temporary ids for the presses that must be stored. */
export type DiscordMessage = ReturnType<typeof renderDiscord>;

export const COMPONENTS_V2: number = MessageFlags.IsComponentsV2;

/** The length reserved for sentences about files and buttons that cannot be sent: in a message with files, and without. */
export const NOTES_LENGTH = { files: 300, none: 100 } as const;

type ControlRow = APIActionRowComponent<APIButtonComponent> | APIActionRowComponent<APIStringSelectComponent>;

/** Container, headline, text, notes, footer, two separators and the text after one. */
const FIXED_COMPONENTS = 8;
const MAX_SELECTS = 3;
const MAX_ACTION_BUTTONS = 10;
/** Refresh and Share, and Details; or Less and the other pages. */
const COMMON_BUTTONS = 2;

/** A form of a reply as a message, its own files under their own names. Pure and total. */
export function renderDiscord(reply: Reply, context: MessageContext = {}, form: Show = "folded") {
  const answer = renderAnswer(reply, context);
  const { picture } = answer;
  const files = form === "folded" ? answer.firstFiles : answer.files;
  const chosen = answer.formOf(form);
  const names = files.slice(0, MAX_FILES).map(({ name }) => name);
  return {
    flags: COMPONENTS_V2,
    components: assemble(chosen, { names, picture }),
    allowed_mentions: { parse: [] },
    files,
    unstored: chosen.unstored,
  };
}

/**
 * Renders a reply within every limit: the part that people read first, and the pages of the whole; both are the same form
 * where the whole says no more. `files` are those of the reply, then those with the content for which the pages have no
 * room; `firstFiles` go with the folded form, and `laterFiles` come with Details; `unkept` is the message of a reply that is not kept, whose files have all that it does not say itself. `picture`
 * is the name of the reply's picture among them. Pure and total.
 */
export function renderAnswer(told: Reply, context: MessageContext) {
  const reply = withDrawnClocks(told);
  const names = nameFiles(reply);
  const { given, csvNames, held } = names;
  const picture = given.find(({ attachment }) => attachment === reply.picture)?.name;
  const pages = detailPages(reply);
  const pageNames = pages.flatMap(({ name }) => (name === undefined ? [] : [name]));
  // A file for each table, and one for the whole reply, may follow.
  const most = Math.min(MAX_FILES, given.length + csvNames.filter((name) => name !== "").length + 1);
  const common = COMMON_BUTTONS + pages.length;
  const plan = planControls(
    withoutRefresh(reply.actions),
    most + (picture === undefined ? 0 : 1),
    common,
    context.mention,
  );
  const begin = (): Begun => {
    const presses = new PressIds();
    return { presses, controls: renderControls(plan, reply, context, presses) };
  };
  const finish = (body: Body, begun: Begun, fold?: Show): AnswerForm => {
    const offered = { fold, kept: true, pages: pageNames };
    const offers = context.keeps === true ? planButtons(reply, context, offered, ["fold", "share"]) : [];
    const { selects, buttons } = begun.controls;
    const rowsBelow = rowsOfButtons([...buttons, ...offerButtons(offers, begun.presses)]);
    const [first] = reply.actions;
    const rows = first !== undefined && !("choices" in first) ? [...rowsBelow, ...selects] : [...selects, ...rowsBelow];
    return { tone: reply.tone, body: body.components, footer: body.footer, rows, unstored: begun.presses.unstored };
  };

  let wholeName: string | undefined;
  const nameWhole = (): string => (wholeName ??= names.add("whole-reply.txt"));
  const notes = given.length === 0 ? NOTES_LENGTH.none : NOTES_LENGTH.files;
  const inFile = (): string => `Shortened to fit; all of it in ${escapeMarkdown(nameWhole())}`;
  const csv = new Set<number>();
  const bodies = pages.map(({ reply: page, places }) => {
    const begun = begin();
    const body = renderBody(unfolded(page), context, begun.presses, {
      length: COMPONENTS_TEXT_LENGTH - notes,
      room: plan.room,
      wholeIds: true,
      left: plan.left,
      cut: !begun.controls.whole,
      heldOf: (index) => held[places[index] ?? -1],
      shortened: inFile,
    });
    for (const index of body.csv) csv.add(places[index] ?? -1);
    return { body, begun };
  });
  const files = filesOf(reply, names, csv, { name: wholeName });
  const [first] = bodies;
  if (first === undefined) throw new RangeError("a reply has a page");
  if (context.keeps !== true) {
    const only = finish(first.body, first.begun);
    const unkept = () => ({ form: only, files });
    return { formOf: () => only, folded: only, files, firstFiles: files, laterFiles: [], picture, unkept };
  }

  const places = placesAboveFold(reply);
  const above = aboveFold(reply, FOLDED_ROWS);
  const fold = (given: Omit<Parameters<typeof renderBody>[3], "length" | "room" | "wholeIds">) => {
    const begun = begin();
    const bounds = { length: FOLDED_LENGTH - notes, room: plan.room, wholeIds: false };
    return { begun, body: renderBody(above, context, begun.presses, { ...bounds, ...given }) };
  };
  const folded = fold({
    left: [],
    cut: plan.left.length > 0,
    heldOf: (index) => {
      const at = places[index] ?? -1;
      const block = csv.has(at) ? reply.blocks[at] : undefined;
      return block?.kind === "table" && ownCsv(reply, block) !== undefined ? held[at] : undefined;
    },
    shortened: () => "Shortened; Details has all of it",
  });
  const folds = bodies.length > 1 || withoutIds(folded.body) !== withoutIds(first.body);
  const whole = bodies.map(({ body, begun }, at) => finish(body, begun, folds ? (at === 0 ? "whole" : at) : undefined));
  const wholeForm = (show: number): AnswerForm => whole[show] ?? finish(first.body, first.begun);
  const foldedForm = folds ? finish(folded.body, folded.begun, "folded") : wholeForm(0);
  const unkept = (): { readonly form: AnswerForm; readonly files: readonly MessageFile[] } => {
    if (!folds) return { form: foldedForm, files };
    const beyond = beyondFold(reply, above, shortenId);
    const { begun, body } = fold({
      left: plan.left,
      cut: beyond.words || !folded.begun.controls.whole,
      heldOf: (index) => held[places[index] ?? -1],
      holdsFold: beyond.csv,
      shortened: inFile,
    });
    const inFiles = new Set(places.filter((_, index) => beyond.csv.has(index) || body.csv.has(index)));
    return { form: finish(body, begun), files: filesOf(reply, names, inFiles, { name: wholeName }) };
  };
  const formOf = (show: Show): AnswerForm => (show === "folded" ? foldedForm : wholeForm(show === "whole" ? 0 : show));
  const firstFiles = folds ? given : files;
  const laterFiles = files.slice(firstFiles.length);
  return { formOf, folded: foldedForm, files, firstFiles, laterFiles, picture, unkept };
}

type Body = ReturnType<typeof renderBody>;

interface Begun {
  readonly presses: PressIds;
  readonly controls: ReturnType<typeof renderControls>;
}

/** A body to compare: its presses differ in their temporary ids alone. */
function withoutIds({ components, footer }: Body): string {
  return JSON.stringify([components, footer], (key, value: unknown) => (key === "custom_id" ? undefined : value));
}

interface AssembledFiles {
  /** In the order of the message, ten at most. */
  readonly names: readonly string[];
  readonly picture: string | undefined;
  /** Words about what could not be sent. */
  readonly notes?: string;
}

/** The one container of a message, with its files where they stand in it. */
export function assemble(
  form: AnswerForm,
  { names, picture, notes = "" }: AssembledFiles,
): APIMessageTopLevelComponent[] {
  const shown = picture !== undefined && names.includes(picture) ? picture : undefined;
  const text = (content: string): APIComponentInContainer[] =>
    content === "" ? [] : [{ type: ComponentType.TextDisplay, content }];
  const above: APIComponentInContainer[] = [
    ...form.body,
    ...(shown === undefined
      ? []
      : [{ type: ComponentType.MediaGallery as const, items: [{ media: { url: `attachment://${shown}` } }] }]),
    ...names
      .filter((name) => name !== shown)
      .map((name) => ({ type: ComponentType.File as const, file: { url: `attachment://${name}` } })),
    ...text(notes),
  ];
  const below: APIComponentInContainer[] = [...text(form.footer), ...form.rows];
  const line = { type: ComponentType.Separator, divider: true, spacing: SeparatorSpacingSize.Small } as const;
  const all = above.length === 0 || below.length === 0 ? [...above, ...below] : [...above, line, ...below];
  const components = all.length === 0 ? text("–") : all;
  return [{ type: ComponentType.Container, accent_color: COLORS[form.tone], components }];
}

/**
 * Divides the components of a message, beside those of its files, among its actions: each becomes a button, a select, or a
 * line; `room` is left for the rows of tables.
 */
function planControls(actions: readonly Action[], files: number, common: number, mention: MessageContext["mention"]) {
  const isSelect = (action: Action): action is Choice => "choices" in action && action.choices.length > 1;
  const choices = actions.filter(isSelect);
  const selects = choices.slice(0, MAX_SELECTS);
  const others = asButtons(actions.filter((action) => !isSelect(action) || !selects.includes(action)));
  const free = MAX_COMPONENTS - FIXED_COMPONENTS - files - 2 * selects.length;
  let most = MAX_ACTION_BUTTONS;
  const withRows = (buttons: number): number => buttons + common + Math.ceil((buttons + common) / BUTTONS_PER_ROW);
  while (most > 0 && withRows(most) > free) most -= 1;
  const { shown, left } = splitButtons(others, most, mention);
  return { selects, buttons: shown, left, room: Math.max(0, free - withRows(shown.length)) };
}

/** The actions of a reply, and Refresh; `whole` is false where a label was cut, or an option omitted. */
function renderControls(
  plan: ReturnType<typeof planControls>,
  reply: Reply,
  context: MessageContext,
  presses: PressIds,
) {
  const selects = plan.selects.map((choice) => selectRow(choice, context, presses));
  const main = mainAction(reply, context);
  const own = plan.buttons.map((action) => actionButton(action, context, presses, main));
  const again = planButtons(reply, context, { kept: false }, ["again"]);
  return {
    selects: selects.map(({ row }) => row),
    buttons: [...own.map(({ button }) => button), ...offerButtons(again, presses)],
    whole: [...own, ...selects].every(({ whole }) => whole),
  };
}
