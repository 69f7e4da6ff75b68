import type { Block, Element, Held, View } from "./state.ts";

/** The block of an option, or of another field by its whole id; undefined where the form shows none. */
export function fieldOf(view: View, name: string): Block | undefined {
  return view.blocks.find(({ block_id: id = "" }) => id === name || nameOf(id) === name);
}

/** `option:severity` and `option:severity@7k2mq` are `severity`, the picker beside it is `pick:severity`. */
export function nameOf(id: string): string {
  return id.replace(/^option:/u, "").replace(/@.*$/u, "");
}

/**
 * What a form's fields hold: what is given, else what was filled in before an update, else what stood there at first. What
 * is given as "" is emptied.
 */
export function stateOf(view: View, given: Readonly<Record<string, string>>): Held {
  for (const name of Object.keys(given)) {
    if (fieldOf(view, name) === undefined) throw new Error(`the form has no field ${name}`);
  }
  return Object.fromEntries(
    view.blocks.flatMap((block): [string, Record<string, unknown>][] => {
      const { element, block_id: id } = block;
      if (element === undefined || id === undefined) return [];
      const action = element.action_id ?? "";
      const value = given[nameOf(id)];
      const held = value === undefined ? view.held?.[id]?.[action] : undefined;
      return [[id, { [action]: held ?? filled(element, nameOf(id), value ?? initialOf(element)) }]];
    }),
  );
}

/** What stays in a form's fields when an update shows other blocks: https://docs.slack.dev/reference/methods/views.update. */
export function heldIn({ held = {}, blocks }: Pick<View, "held" | "blocks">): Held {
  const shown = new Map(blocks.map(({ block_id: id, element }) => [id, element?.action_id ?? ""]));
  return Object.fromEntries(Object.entries(held).filter(([id, actions]) => (shown.get(id) ?? "-") in actions));
}

/** What a field holds at first, as it would be given. */
export function initialOf(element: Element): string {
  const { initial_options: several, initial_date: day, initial_date_time: at, initial_user: user } = element;
  return (
    several?.map(({ value }) => value).join(",") ??
    element.initial_option?.value ??
    day ??
    user ??
    (at === undefined ? element.initial_value : String(at)) ??
    ""
  );
}

function filled(element: Element, name: string, value: string): unknown {
  const { type } = element;
  const options = element.options ?? element.option_groups?.flatMap((group) => group.options);
  const chosen = (one: string): { text: { text: string }; value: string } => {
    if (options !== undefined && !options.some((option) => option.value === one))
      throw new Error(`${name} does not offer ${one}`);
    return { text: { text: one }, value: one };
  };
  switch (type) {
    case "static_select":
    case "external_select":
      return { type, selected_option: value === "" ? null : chosen(value) };
    case "multi_static_select":
    case "multi_external_select":
      return { type, selected_options: value === "" ? [] : value.split(",").map(chosen) };
    case "datepicker":
      return { type, selected_date: value === "" ? null : value };
    case "datetimepicker":
      return { type, selected_date_time: value === "" ? null : Number(value) };
    case "users_select":
      return { type, selected_user: value === "" ? null : value };
    case "conversations_select":
      return { type, selected_conversation: value === "" ? null : value };
    case "plain_text_input":
    case "number_input":
      return { type, value: value === "" ? null : value };
    default:
      throw new Error(`nobody knows how to fill in a ${type}`);
  }
}
