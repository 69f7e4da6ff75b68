import type { APIActionRowComponent, APIButtonComponent, APIStringSelectComponent } from "discord-api-types/v10";

import { asButtons } from "../../../reply/fold.ts";
import type { Action, Reply } from "../../../reply/reply.ts";
import { type Offer, planButtons } from "../../chat/button-plan.ts";
import { BUTTONS_PER_ROW, MAX_COMPONENTS } from "../limits.ts";
import {
  actionButton,
  type Choice,
  type MessageContext,
  offerButtons,
  type PressIds,
  rowsOfButtons,
  selectRow,
  splitButtons,
} from "./buttons.ts";

export type ControlRow = APIActionRowComponent<APIButtonComponent> | APIActionRowComponent<APIStringSelectComponent>;

/** Container, headline, text, notes, footer, two separators and the text after one. */
const FIXED_COMPONENTS = 8;
const MAX_SELECTS = 3;
const MAX_ACTION_BUTTONS = 10;
/** Refresh, Details or Less, and Share. */
const COMMON_BUTTONS = 3;

/**
 * Divides the components of a message, beside those of its files, among its actions: each becomes a button, a select, or a
 * line; `room` is left for the rows of tables.
 */
export function planControls(actions: readonly Action[], files: number, mention: MessageContext["mention"]) {
  const isSelect = (action: Action): action is Choice => "choices" in action && action.choices.length > 1;
  const choices = actions.filter(isSelect);
  const selects = choices.slice(0, MAX_SELECTS);
  const others = asButtons(actions.filter((action) => !isSelect(action) || !selects.includes(action)));
  const free = MAX_COMPONENTS - FIXED_COMPONENTS - files - 2 * selects.length;
  let most = MAX_ACTION_BUTTONS;
  while (most > 0 && withRows(most) > free) most -= 1;
  const { shown, left } = splitButtons(others, most, mention);
  return { selects, buttons: shown, left, room: Math.max(0, free - withRows(shown.length)) };
}

function withRows(buttons: number): number {
  const all = buttons + COMMON_BUTTONS;
  return all + Math.ceil(all / BUTTONS_PER_ROW);
}

/** The actions of a reply, and Refresh; `whole` is false where a label was cut, or an option omitted. */
export function renderControls(
  plan: ReturnType<typeof planControls>,
  reply: Reply,
  context: MessageContext,
  presses: PressIds,
) {
  const selects = plan.selects.map((choice) => selectRow(choice, context, presses));
  const own = plan.buttons.map((action) => actionButton(action, context, presses));
  const again = planButtons(reply, context, { kept: false }, ["again"]);
  return {
    selects: selects.map(({ row }) => row),
    buttons: [...own.map(({ button }) => button), ...offerButtons(again, presses)],
    whole: [...own, ...selects].every(({ whole }) => whole),
  };
}

/** The rows of a message, with the buttons that work on the kept reply. */
export function controlRows(
  { selects, buttons }: ReturnType<typeof renderControls>,
  offers: readonly Offer[],
  presses: PressIds,
): readonly ControlRow[] {
  return [...selects, ...rowsOfButtons([...buttons, ...offerButtons(offers, presses)])];
}
