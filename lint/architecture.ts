// The rules of the architecture. arrows: every file belongs to a room of lint/rooms.ts and imports only what that allows,
// by a door, and in no circle. Rules about globals: refused-globals.ts.
import path from "node:path";

import type { RuleTester } from "oxlint/plugins-dev";

import { isInside, root } from "./places.ts";
import { globalRules } from "./refused-globals.ts";
import { ground, packages, rooms } from "./rooms.ts";
import { circleOf, enteredWithoutDoor } from "./sub-rooms.ts";

type Rule = Parameters<RuleTester["run"]>[1];
type Source = { readonly type: string; readonly range: [number, number] };

const TABLE = "lint/rooms.ts";

/** The room of a file: the longest matching name. */
const roomOf = (file: string): string | undefined =>
  Object.keys(rooms)
    .filter((room) => isInside(file, room))
    .toSorted((a, b) => b.length - a.length)[0];

/** The error message for an import; undefined if it is allowed. */
function violation(file: string, room: string, specifier: string, isType: boolean): string | undefined {
  if (!specifier.startsWith(".")) {
    const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
    // An entry for a room does not apply to rooms nested in it.
    const fits = (place: string): boolean =>
      place === "everywhere"
        ? !/^adapters\/\w+\/(?:public|page)$/u.test(room)
        : isInside(file, place) && place.length >= room.length;
    return checkEntries(room, `the package ${name}`, packages[name], fits, isType);
  }
  const target = path.posix.join(path.posix.dirname(file), specifier);
  const other = roomOf(target);
  if (other === undefined) return `${room} must not import ${target}, which lies in no room of ${TABLE}.`;
  const isGround = ground.split(" ").includes(other);
  const refused =
    other === room || rooms[room] === "everything"
      ? undefined
      : checkEntries(room, other, rooms[room], (place) => place === other || (place === "ground" && isGround), isType);
  return refused ?? checkSubRooms(file, target, isType);
}

function checkSubRooms(file: string, target: string, isType: boolean): string | undefined {
  const entered = enteredWithoutDoor(file, target);
  if (entered !== undefined) return `${target} is no door of ${entered}: ${TABLE} lists its doors.`;
  const circle = isType ? undefined : circleOf(root, file, target);
  return circle === undefined
    ? undefined
    : `This import closes a circle: ${circle.join(" imports ")} imports it again.`;
}

/** Checks an import against a row of the tables. */
function checkEntries(
  room: string,
  target: string,
  places = "",
  fits: (place: string) => boolean,
  isType: boolean,
): string | undefined {
  const entries = places.split(" ");
  const byType = entries.some((entry) => entry.endsWith("(types)") && fits(entry.slice(0, -"(types)".length)));
  if (entries.some(fits) || (byType && isType)) return undefined;
  return byType
    ? `${room} may import ${target} only by "import type": see ${TABLE}.`
    : `${room} must not import ${target}: ${TABLE} does not allow it.`;
}

/** The text of a specifier, or the beginning of a template; undefined if it is computed. */
function textOf(source: Source): string | undefined {
  const { value, quasis } = source as Source & { value?: unknown; quasis?: { value: { cooked: string | null } }[] };
  const text = quasis?.[0]?.value.cooked ?? value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

const arrows: Rule = {
  createOnce(context) {
    let file = "";
    let room: string | undefined;
    const check = (source: Source | null | undefined, isType = false): void => {
      if (source === null || source === undefined || room === undefined) return;
      const text = textOf(source);
      const message =
        text === undefined
          ? `${room} must name what it loads in a string, so that ${TABLE} can be asked.`
          : violation(file, room, text, isType);
      if (message !== undefined) context.report({ node: source, message });
    };
    return {
      before() {
        file = path.relative(root, context.filename).split(path.sep).join("/");
        room = roomOf(file);
      },
      Program(node) {
        if (room === undefined) {
          context.report({ node, message: `${file} lies in no room: declare one in ${TABLE} and in ARCHITECTURE.md.` });
        }
        // Plain JavaScript imports types in its comments.
        for (const comment of /\.[cm]?js$/u.test(file) ? context.sourceCode.getAllComments() : []) {
          for (const [, value] of comment.value.matchAll(/(?:@import\b[^"']*|\bimport\(\s*)["']([^"']+)["']/gu)) {
            check({ ...comment, value } as Source, true);
          }
        }
      },
      ImportDeclaration: (node) => check(node.source, node.importKind === "type"),
      ExportNamedDeclaration: (node) => check(node.source, node.exportKind === "type"),
      ExportAllDeclaration: (node) => check(node.source, node.exportKind === "type"),
      TSImportType: (node) => check(node.source, true),
      TSExternalModuleReference: (node) => check(node.expression),
      ImportExpression: (node) => check(node.source),
      NewExpression({ callee, arguments: [from] }) {
        // A worker's file is loaded, too.
        if (callee.type !== "Identifier" || callee.name !== "Worker") return;
        check(from?.type === "NewExpression" ? from.arguments[0] : from);
      },
      CallExpression(node) {
        const { callee } = node;
        const called = callee.type === "MemberExpression" ? callee.property : callee;
        const name = called.type === "Identifier" ? called.name : "";
        if (name === "require" || name === "getBuiltinModule") check(node.arguments[0]);
        // Under another name, its calls would not be recognized as imports.
        const { parent } = node;
        const kept = parent.type === "VariableDeclarator" && parent.id.type === "Identifier" ? parent.id.name : "";
        if (name === "createRequire" && kept !== "require") {
          context.report({ node, message: `Call the result of createRequire "require": ${TABLE} counts its calls.` });
        }
      },
    };
  },
};

export default { meta: { name: "architecture" }, rules: { arrows, ...globalRules } };
