import type { Element, View } from "./state.ts";

/** What a form's fields hold: what is given, else what stood there. */
export function stateOf(view: View, given: Record<string, string>): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    view.blocks.flatMap((block): [string, Record<string, unknown>][] => {
      const { element, block_id: id } = block;
      if (element === undefined || id === undefined) return [];
      const name = id.replace(/^option:/u, "");
      const value = given[name] ?? element.initial_option?.value ?? element.initial_value;
      return [[id, { [element.action_id ?? ""]: filled(element, name, value) }]];
    }),
  );
}

function filled(element: Element, name: string, value: string | undefined): unknown {
  if (element.type !== "static_select" && element.type !== "external_select") {
    return { type: element.type, value: value ?? null };
  }
  if (element.options !== undefined && value !== undefined && !element.options.some((one) => one.value === value)) {
    throw new Error(`${name} does not offer ${value}`);
  }
  return { type: element.type, selected_option: value === undefined ? null : { text: { text: value }, value } };
}
