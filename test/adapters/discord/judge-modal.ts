import { enableValidators, LabelAssertions } from "@discordjs/builders";
import { ComponentType } from "discord-api-types/v10";

enableValidators();

/** A field of a form: a text input or a select. */
interface Field {
  readonly type: ComponentType;
  readonly custom_id?: string;
  readonly label?: string;
  readonly value?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly min_values?: number;
  readonly max_values?: number;
  readonly max_length?: number;
  readonly options?: readonly { readonly label: string; readonly value: string; readonly default?: boolean }[];
  readonly default_values?: readonly { readonly id: string }[];
}

/**
 * All that Discord would refuse in a form, by the validation of Discord's own library and by the rules over several
 * members, which that library omits: https://docs.discord.com/developers/components/reference#label. Empty for a valid one.
 */
export function modalRefusals(data: Record<string, unknown>): string[] {
  const found: string[] = [];
  const say = (wrong: boolean, what: string): void => void (wrong && found.push(what));
  const {
    custom_id: id,
    title,
    components = [],
    ...others
  } = data as Record<string, unknown> & { components?: unknown[] };
  const fits = (text: unknown, most: number): boolean =>
    typeof text === "string" && text.trim() !== "" && text.length <= most && text.isWellFormed();
  say(Object.keys(others).length > 0, `unknown fields ${Object.keys(others).join(", ")}`);
  say(!fits(id, 100), "a custom_id of none or above 100");
  say(!fits(title, 45), "a title of none or above 45");
  say(components.length < 1 || components.length > 5, `${components.length} parts`);
  const ids: unknown[] = [];
  for (const one of components) {
    try {
      LabelAssertions.labelPredicate.parse(one);
    } catch (error) {
      found.push(error instanceof Error ? `${error.message} ${JSON.stringify(one)}` : String(error));
      continue;
    }
    const { label, description, component } = one as { label: string; description?: string; component: Field };
    say(!fits(label, 45), "a label of none or above 45");
    say(description !== undefined && !fits(description, 100), "a description of none or above 100");
    ids.push(component.custom_id);
    judgeField(component, say);
  }
  say(new Set(ids).size !== ids.length, "a custom_id twice");
  return found;
}

function judgeField(field: Field, say: (wrong: boolean, what: string) => void): void {
  const { custom_id: id = "", required = true, options, value = "" } = field;
  say(id === "" || id.length > 100, "a field without custom_id");
  say(field.disabled !== undefined, `${id} is disabled in a form`);
  if (field.type === ComponentType.TextInput) {
    say(field.label !== undefined, `${id} has a label within its label`);
    say(value.length > (field.max_length ?? 4000), `${id} begins with more than it takes`);
    return;
  }
  if (field.type === ComponentType.RadioGroup) {
    const values = (options ?? []).map((option) => option.value);
    say(values.length < 2 || values.length > 10, `${id} offers ${values.length}`);
    say(new Set(values).size !== values.length, `${id} offers a value twice`);
    say((options ?? []).filter((option) => option.default === true).length > 1, `${id} begins with several`);
    return;
  }
  const { min_values: least = 1, max_values: most = 1 } = field;
  if (field.type === ComponentType.FileUpload) {
    say(least < 0 || most > 10 || least > most || (required && least === 0), `${id} takes ${least} to ${most} files`);
    return;
  }
  // https://github.com/discord/discord-api-docs/issues/7800
  say(required && least === 0, `${id} is required and takes none`);
  say(least > most || most < 1 || most > 25, `${id} takes ${least} to ${most}`);
  const begun = options?.filter((option) => option.default === true).length ?? field.default_values?.length ?? 0;
  say(begun > most || (begun > 0 && begun < least), `${id} begins with ${begun}`);
  if (field.type !== ComponentType.StringSelect) return;
  const values = (options ?? []).map((option) => option.value);
  say(values.length < 1 || values.length > 25 || most > values.length, `${id} offers ${values.length}`);
  say(new Set(values).size !== values.length, `${id} offers a value twice`);
}
