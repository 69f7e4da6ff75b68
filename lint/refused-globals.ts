// Rules about globals that no import shows: another name for `process`, and clocks and chance where code only judges.
import path from "node:path";

import type { RuleTester } from "oxlint/plugins-dev";

import { isInside, root } from "./places.ts";
import { timeless } from "./rooms.ts";

type Rule = Parameters<RuleTester["run"]>[1];
type Context = Parameters<NonNullable<Extract<Rule, { createOnce: unknown }>["createOnce"]>>[0];

interface Node {
  readonly type: string;
  readonly parent?: Node;
}
type Member = Node & { readonly object: Node; readonly property: Node & Named; readonly computed: boolean };
interface Named {
  readonly name?: string;
  readonly value?: unknown;
}

/** Parents of a name that stands for a type. */
const TYPES: readonly string[] = ["TSTypeReference", "TSTypeQuery", "TSQualifiedName"];

/** Where a file uses a global by its name: not its own variables of that name, and no types. */
function usesOf(context: Context, names: readonly string[]): { readonly name: string; readonly node: Node }[] {
  const { text, scopeManager } = context.sourceCode;
  if (!names.some((name) => text.includes(name))) return [];
  const outermost = scopeManager.globalScope;
  const references = [
    ...(outermost?.through ?? []),
    ...(outermost?.variables ?? []).flatMap((one) => (one.defs.length === 0 ? one.references : [])),
  ];
  return references.flatMap(({ identifier }) => {
    const node = identifier as unknown as Node & { readonly name: string };
    return names.includes(node.name) && !TYPES.includes(node.parent?.type ?? "") ? [{ name: node.name, node }] : [];
  });
}

/** The member that is read of a global, such as `now` of `Date.now`; undefined for another use of it. */
function memberOf(node: Node): string | undefined {
  const parent = node.parent as Member | undefined;
  if (parent?.type !== "MemberExpression" || parent.object !== node) return undefined;
  const { computed, property } = parent;
  const text = computed ? property.value : property.name;
  return typeof text === "string" ? text : undefined;
}

const processByName: Rule = {
  createOnce: (context) => ({
    Program() {
      for (const { node } of usesOf(context, ["process"])) {
        if (memberOf(node) !== undefined || isTypeof(node)) continue;
        const message = 'Write "process." and the member: under another name, nothing sees who reads process.env.';
        context.report({ node: node as never, message });
      }
    },
  }),
};

function isTypeof(node: Node): boolean {
  const parent: (Node & { readonly operator?: string }) | undefined = node.parent;
  return parent?.type === "UnaryExpression" && parent.operator === "typeof";
}

/** Members that tell no time and draw nothing. */
const HARMLESS: Readonly<Record<string, (member: string | undefined, node: Node) => boolean>> = {
  Date: (member, node) => member === "UTC" || member === "parse" || hasArguments(node),
  Math: (member) => member !== undefined && member !== "random",
  Temporal: (member) => member !== undefined && member !== "Now",
  performance: () => false,
  process: (member) => member !== "hrtime" && member !== "uptime",
};

/** `new Date(millis)` reads no clock; `new Date()` does. */
function hasArguments(node: Node): boolean {
  const parent: (Node & { readonly callee?: Node; readonly arguments?: readonly unknown[] }) | undefined = node.parent;
  return parent?.type === "NewExpression" && parent.callee === node && (parent.arguments?.length ?? 0) > 0;
}

const clocks: Rule = {
  createOnce(context) {
    let place: string | undefined;
    const report = (node: unknown, used: string): void => {
      const message = `${place} must not use ${used}: it is handed a clock, and chance where it needs some.`;
      context.report({ node: node as never, message });
    };
    return {
      before() {
        const file = path.relative(root, context.filename).split(path.sep).join("/");
        place = timeless.find((one) => isInside(file, one));
        return place !== undefined;
      },
      ImportSpecifier(node) {
        if ("name" in node.imported && node.imported.name === "systemClock") report(node, "systemClock");
      },
      Program() {
        for (const { name, node } of usesOf(context, Object.keys(HARMLESS))) {
          const member = memberOf(node);
          if (HARMLESS[name]?.(member, node) === true) continue;
          report(node, [name, ...(member === undefined ? [] : [member])].join("."));
        }
      },
    };
  },
};

export const globalRules: Readonly<Record<string, Rule>> = { "process-by-name": processByName, clocks };
