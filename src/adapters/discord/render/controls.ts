import type { APIActionRowComponent, APIButtonComponent, APIStringSelectComponent } from "discord-api-types/v10";

import { asButtons, type ButtonAction } from "../../../reply/fold.ts";
import type { Action, Reply } from "../../../reply/reply.ts";
import { type Offer, planButtons } from "../../chat/button-plan.ts";
import { BUTTONS_PER_ROW, MAX_COMPONENTS, MAX_SELECT_OPTIONS } from "../limits.ts";
import {
  actionButton,
  type MessageContext,
  offerButtons,
  type PressIds,
  rowsOfButtons,
  selectRow,
  splitButtons,
} from "./buttons.ts";

type Choice = Extract<Action, { choices: unknown }>;

/** What each action becomes: a button, a select, or a line. */
export interface ControlPlan {
  readonly selects: readonly Choice[];
  readonly buttons: readonly ButtonAction[];
  readonly left: readonly string[];
  /** Components left for the rows of tables. */
  readonly room: number;
}

export type ControlRow = APIActionRowComponent<APIButtonComponent> | APIActionRowComponent<APIStringSelectComponent>;

export interface Controls {
  readonly selects: readonly APIActionRowComponent<APIStringSelectComponent>[];
  readonly buttons: readonly APIButtonComponent[];
  /** False where a label was cut, or an option omitted. */
  readonly whole: boolean;
}

/** Container, headline, text, notes, footer, two separators and the text after one. */
const FIXED_COMPONENTS = 8;
const MAX_SELECTS = 3;
const MAX_ACTION_BUTTONS = 10;
/** Refresh, Details or Less, and Share. */
const COMMON_BUTTONS = 3;

/** Divides the components of a message, beside those of its files, among its actions. */
export function planControls(
  actions: readonly Action[],
  files: number,
  mention: MessageContext["mention"],
): ControlPlan {
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

/** The actions of a reply, and Refresh. */
export function renderControls(plan: ControlPlan, reply: Reply, context: MessageContext, presses: PressIds): Controls {
  const selects = plan.selects.map(({ label, choices, effect }) =>
    selectRow(
      { label, choices: choices.map(({ label: name, invocation }) => ({ label: name, ask: invocation })), effect },
      context,
      presses,
    ),
  );
  const own = plan.buttons.map((action) => actionButton(action, context, presses));
  const again = planButtons(reply, context, { kept: false }, ["again"]);
  return {
    selects: selects.map(({ row }) => row),
    buttons: [...own.map(({ button }) => button), ...offerButtons(again, presses)],
    whole:
      [...own, ...selects].every(({ whole }) => whole) &&
      plan.selects.every(({ choices }) => choices.length <= MAX_SELECT_OPTIONS),
  };
}

/** The rows of a message, with the buttons that work on the kept reply. */
export function controlRows(
  { selects, buttons }: Controls,
  offers: readonly Offer[],
  presses: PressIds,
): readonly ControlRow[] {
  return [...selects, ...rowsOfButtons([...buttons, ...offerButtons(offers, presses)])];
}
