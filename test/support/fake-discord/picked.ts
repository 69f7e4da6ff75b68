import { ComponentType } from "discord-api-types/v10";

import type { StoredInteraction } from "./state.ts";

/** The fields of a form as Discord sends them: only what the form allows. */
export function filledIn(
  { components }: NonNullable<StoredInteraction["modal"]>,
  values: Readonly<Record<string, string | readonly string[]>>,
): { readonly components: object[]; readonly people: readonly string[]; readonly files: readonly string[] } {
  const people: string[] = [];
  const files: string[] = [];
  const names: string[] = [];
  const filled = (components as readonly Field[]).map(({ component }, index) => {
    const { type, custom_id: id, options = [], default_values: picks = [], value = "", ...limits } = component;
    names.push(id);
    const { required = true, min_values: least = 1, max_values: most = 1, max_length: longest = 4000 } = limits;
    const base = { type: 18, id: 2 * index + 1 };
    const inner = { type, id: 2 * index + 2, custom_id: id };
    const given = values[id];
    if (type === ComponentType.TextInput) {
      const typed = String(given ?? value);
      if ((required && typed === "") || typed.length > longest) throw new Error(`“${typed}” cannot be sent in ${id}`);
      return { ...base, component: { ...inner, value: typed } };
    }
    if (type === ComponentType.FileUpload) {
      const sent = given === undefined ? [] : [given].flat();
      files.push(...sent);
      if (sent.length > most || sent.length < least) throw new Error(`${id} takes ${least} to ${most} files`);
      return { ...base, component: { ...inner, values: sent.map((url) => attached(url).id) } };
    }
    const offered = options.map((option) => option.value);
    if (type === ComponentType.RadioGroup) {
      const one = given === undefined ? options.find((option) => option.default === true)?.value : String(given);
      if (one === undefined ? required : !offered.includes(one)) throw new Error(`${id} does not offer ${one}`);
      return { ...base, component: { ...inner, value: one ?? null } };
    }
    const chosen =
      given === undefined
        ? type === ComponentType.StringSelect
          ? options.filter((option) => option.default === true).map((option) => option.value)
          : picks.map((one) => `<@${one.type === "role" ? "&" : ""}${one.id}>`)
        : [given].flat();
    if (chosen.length > most || (chosen.length < least && (required || chosen.length > 0)))
      throw new Error(`${id} takes ${least} to ${most}`);
    const unknown = type === ComponentType.StringSelect ? chosen.filter((one) => !offered.includes(one)) : [];
    if (unknown.length > 0) throw new Error(`${id} does not offer ${unknown.join(", ")}`);
    if (type === ComponentType.StringSelect) return { ...base, component: { ...inner, values: chosen } };
    people.push(...chosen);
    return { ...base, component: { ...inner, values: chosen.map((one) => picked(one).id) } };
  });
  const missing = Object.keys(values).filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`no field ${missing.join(", ")} beside ${names.join(", ")}`);
  return { components: filled, people, files };
}

interface Field {
  readonly component: {
    readonly type: ComponentType;
    readonly custom_id: string;
    readonly options?: readonly { readonly value: string; readonly default?: boolean }[];
    readonly default_values?: readonly { readonly id: string; readonly type: "role" | "user" }[];
    readonly value?: string;
    readonly required?: boolean;
    readonly min_values?: number;
    readonly max_values?: number;
    readonly max_length?: number;
  };
}

/** The type of an option that picks a role or a person. */
export const MENTIONABLE = 9;

/** The type of an option that takes a file. */
export const ATTACHMENT = 11;

/** A file that was attached, named here by the address that Discord gives for it. */
export function attached(url: string | number | boolean): {
  readonly id: string;
  readonly filename: string;
  readonly url: string;
} {
  const address = String(url);
  return { id: "912345678901234567", filename: address.slice(address.lastIndexOf("/") + 1), url: address };
}

/** A role or a person in a picker, named here by the mention of it. */
export function picked(value: string | number | boolean): { readonly id: string; readonly kind: "roles" | "users" } {
  const [, sign, id = ""] = /^<@(&?)(\d+)>$/u.exec(String(value)) ?? [];
  if (id === "") throw new Error(`${value} cannot be picked`);
  return { id, kind: sign === "&" ? "roles" : "users" };
}

/** What Discord tells of those who were picked. */
export function resolvedOf(
  values: readonly (string | number | boolean)[],
  files: readonly (string | number | boolean)[] = [],
): object {
  const of = (wanted: string) =>
    Object.fromEntries(
      values.flatMap((value) => {
        const { id, kind } = picked(value);
        return kind === wanted ? [[id, { id }]] : [];
      }),
    );
  const attachments = Object.fromEntries(files.map(attached).map((file) => [file.id, file]));
  return { roles: of("roles"), users: of("users"), attachments };
}
