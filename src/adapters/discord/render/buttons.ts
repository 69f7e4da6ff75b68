import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIStringSelectComponent,
  ButtonStyle,
  ComponentType,
} from "discord-api-types/v10";

import type { ButtonAction } from "../../../reply/fold.ts";
import { oneLine } from "../../../reply/plain-text.ts";
import type { Action } from "../../../reply/reply.ts";
import type { KeptOffer, Offer } from "../../chat/button-plan.ts";
import type { KeptContext, Press } from "../../chat/press.ts";
import type { CommandMention } from "../command-mentions.ts";
import {
  BUTTON_LABEL_LENGTH,
  BUTTON_URL_LENGTH,
  BUTTONS_PER_ROW,
  MAX_SELECT_OPTIONS,
  SELECT_LABEL_LENGTH,
  SELECT_PLACEHOLDER_LENGTH,
} from "../limits.ts";
import { askMarkup, escapeMarkdown, isWebAddress, linkLabel, linkTarget } from "./markdown.ts";
import { encodePress } from "./press.ts";
import { choiceLines, cutLabel, visibleLabel } from "../../chat/bounds.ts";

/** The context of a message, beside its reply. */
export interface MessageContext extends KeptContext {
  /** The reply asks for confirmation, and its buttons confirm; `above` is how to reach the message above it, sealed. */
  readonly confirms?: { readonly above?: string };
  /** How to reach the offer that the reply's form answers, sealed. */
  readonly offer?: string | undefined;
  /** How it mentions commands. */
  readonly mention?: CommandMention | undefined;
  /** The reply can be kept, for Details, Less and Share. */
  readonly keeps?: true;
}

export type ActionRows = APIActionRowComponent<APIButtonComponent>[];

/** Gives each press of a message its custom_id; a temporary one where something must be stored first. */
export class PressIds {
  /** What must be stored, by temporary custom_id: a press, or the reply on which a button works. */
  readonly unstored = new Map<string, Press | KeptOffer>();
  #count = 0;

  idOf(press: Press | KeptOffer): string {
    const index = this.#count;
    this.#count += 1;
    const encoded = press.kind === "kept" ? undefined : encodePress(press, index);
    if (encoded !== undefined) return encoded;
    this.unstored.set(`${UNSTORED}${index}`, press);
    return `${UNSTORED}${index}`;
  }
}

const UNSTORED = "unkept:";

/** The place of a press in its message, by its temporary custom_id. */
export function indexOfUnstored(standIn: string): number {
  return Number(standIn.slice(UNSTORED.length));
}

/** As many actions as buttons, and the others as lines of markdown. */
export function splitButtons(
  actions: readonly ButtonAction[],
  most: number,
  mention: CommandMention | undefined,
): { shown: readonly ButtonAction[]; left: readonly string[] } {
  const shown: ButtonAction[] = [];
  const left: string[] = [];
  for (const action of actions) {
    const possible = !("url" in action) || isWebAddress(linkTarget(action.url), BUTTON_URL_LENGTH);
    if (possible && shown.length < most) shown.push(action);
    else left.push(actionLine(action, mention));
  }
  return { shown, left };
}

export function rowsOfButtons(buttons: readonly APIButtonComponent[]): ActionRows {
  const rows: ActionRows = [];
  for (let start = 0; start < buttons.length; start += BUTTONS_PER_ROW) {
    rows.push({ type: ComponentType.ActionRow, components: buttons.slice(start, start + BUTTONS_PER_ROW) });
  }
  return rows;
}

/** An action as a button; `whole` is false where its label was cut. */
export function actionButton(
  action: ButtonAction,
  { asker, confirms, offer }: MessageContext,
  presses: PressIds,
  main?: Action,
): { readonly button: APIButtonComponent; readonly whole: boolean } {
  if ("url" in action) {
    const { text: label, whole } = labelOf([action.label, "Open"], BUTTON_LABEL_LENGTH);
    const url = linkTarget(action.url);
    return { button: { type: ComponentType.Button, style: ButtonStyle.Link, label, url }, whole };
  }
  const { confirm, form, hints, invocation: ask, effect, invalidates } = action;
  const { text: label, whole } = labelOf([action.label, ask.command, "Run"], BUTTON_LABEL_LENGTH);
  const usual = action === main ? ButtonStyle.Primary : ButtonStyle.Secondary;
  const style = confirm === undefined ? usual : ButtonStyle.Danger;
  const answered = confirms === undefined ? effect : "confirmed";
  const press: Press =
    form === true
      ? {
          kind: "form",
          ask,
          effect,
          invalidates,
          hints,
          ...(offer === undefined ? {} : { above: offer, invalidates: true }),
        }
      : { kind: "ask", ask, effect: answered, asker, confirm, invalidates, ...confirms };
  return { button: pressButton(label, presses.idOf(press), style), whole };
}

/** What a message offers besides its reply's own actions. */
export function offerButtons(offers: readonly Offer[], presses: PressIds): APIButtonComponent[] {
  return offers.flatMap((offer) => {
    if (offer.kind === "action") return [];
    return [pressButton(offer.label, presses.idOf(offer.kind === "kept" ? offer : offer.press))];
  });
}

export function pressButton(
  label: string,
  customId: string,
  style: ButtonStyle.Primary | ButtonStyle.Secondary | ButtonStyle.Danger = ButtonStyle.Secondary,
): APIButtonComponent {
  return { type: ComponentType.Button, style, label, custom_id: customId };
}

export type Choice = Extract<Action, { choices: unknown }>;

/** A choice as a select of at most 25 options, in a row of its own; `whole` is false where something was cut. */
export function selectRow(
  { label, choices, effect, invalidates }: Choice,
  { asker }: MessageContext,
  presses: PressIds,
): { readonly row: APIActionRowComponent<APIStringSelectComponent>; readonly whole: boolean } {
  const shown = choices.slice(0, MAX_SELECT_OPTIONS);
  const cut = shown.length < choices.length ? `, ${shown.length} of ${choices.length}` : "";
  const placeholder = labelOf([label, "Choose"], SELECT_PLACEHOLDER_LENGTH - cut.length);
  const options = shown.map(({ label: given, invocation }, index) => {
    const [first, below = ""] = choiceLines(given, SELECT_LABEL_LENGTH);
    const { text, whole } = labelOf([first, invocation.command, "Run"], SELECT_LABEL_LENGTH);
    const description = cutLabel(oneLine(below).trim(), SELECT_LABEL_LENGTH);
    const shown = description.text === "" ? {} : { description: description.text };
    return { whole: whole && description.whole, option: { label: text, ...shown, value: String(index) } };
  });
  const asks = shown.map(({ invocation }) => invocation);
  const row = {
    type: ComponentType.ActionRow as const,
    components: [
      {
        type: ComponentType.StringSelect as const,
        custom_id: presses.idOf({ kind: "choice", asks, effect, asker, invalidates }),
        placeholder: `${placeholder.text}${cut}`,
        options: options.map(({ option }) => option),
      },
    ],
  };
  return { row, whole: cut === "" && placeholder.whole && options.every(({ whole }) => whole) };
}

/** The first with a visible character, within its limit: Discord refuses a label without one. */
function labelOf(offered: readonly string[], most: number): { text: string; whole: boolean } {
  return cutLabel(oneLine(visibleLabel(offered)).trim(), most);
}

/** An action as a line of markdown, where it can be no button. */
export function actionLine(action: ButtonAction, mention: CommandMention | undefined): string {
  if ("url" in action) {
    const label = linkLabel(oneLine(action.label)).trim();
    return `[${label === "" ? "link" : label}](${linkTarget(action.url)})`;
  }
  const label = escapeMarkdown(oneLine(action.label));
  return `${label}: ${askMarkup(action.invocation, mention)}`;
}
