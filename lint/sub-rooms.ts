// Sub-rooms: their doors, and circles between them.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

import { doors, rooms } from "./rooms.ts";

/** A sub-room is a folder inside a folder of `src/`, whether or not the table of arrows has it as a room. */
const isSubRoom = (folder: string): boolean => /^src\/[^/]+\/./u.test(folder);

const bareName = (file: string): string => file.replace(/\.[cm]?[jt]sx?$/u, "");

/** The sub-rooms around a file, the outermost first. */
function subRoomsOf(file: string): string[] {
  const parts = path.posix.dirname(file).split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/")).filter(isSubRoom);
}

/** Whether a module of a sub-room may be imported from outside: `inner` is its path in there, without its ending. */
function isDoor(subRoom: string, inner: string): boolean {
  if (inner === "index" || inner === path.posix.basename(subRoom)) return true;
  const [first = "", ...rest] = inner.split("/");
  return (doors[subRoom.slice("src/".length)] ?? "").split(" ").some((door) => {
    if (door === inner) return true;
    return rest.length > 0 && door === `${first}/*` && isDoor(`${subRoom}/${first}`, rest.join("/"));
  });
}

/** The sub-room that an import enters by a module that is none of its doors. */
export function enteredWithoutDoor(file: string, target: string): string | undefined {
  const entered = subRoomsOf(target).filter((subRoom) => !file.startsWith(`${subRoom}/`));
  return entered.find((subRoom) => !isDoor(subRoom, bareName(target.slice(subRoom.length + 1))));
}

/** Relative imports of a source text by value: `import type` and imports of types alone are left out. */
function importsByValue(file: string, source: string): string[] {
  const ofTypes = (names: string): boolean =>
    names.startsWith("{") &&
    names
      .slice(1, names.lastIndexOf("}"))
      .split(",")
      .every((name) => name.trim() === "" || name.trim().startsWith("type "));
  const statements = [...source.matchAll(/^(?:import|export)\s+(type\s+)?([^;"']*?)\s*from\s+"(\.[^"]+)"/gmu)];
  const loaded = [...source.matchAll(/(?<!typeof )\bimport\(\s*"(\.[^"]+)"|^import "(\.[^"]+)"/gmu)];
  return [
    ...statements.flatMap(([, type, names = "", to = ""]) => (type === undefined && !ofTypes(names) ? [to] : [])),
    ...loaded.flatMap(([, lazily, plainly]) => lazily ?? plainly ?? []),
  ].map((to) => path.posix.join(path.posix.dirname(file), to));
}

/** What takes part in circles: the innermost sub-room of a file that is no room, else the file itself. */
function nodeOf(file: string): string {
  const folder = path.posix.dirname(file);
  return isSubRoom(folder) && rooms[folder.slice("src/".length)] === undefined ? folder : file;
}

let graph: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Which nodes import which others by value, in the tree that is linted. */
function readGraph(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const edges = new Map<string, Set<string>>();
  for (const name of globSync("{src,commands}/**/*.ts", { cwd: root })) {
    const file = name.replaceAll("\\", "/");
    const from = nodeOf(file);
    const known = edges.get(from) ?? new Set();
    edges.set(from, known);
    for (const target of importsByValue(file, readFileSync(path.join(root, file), "utf8"))) known.add(nodeOf(target));
  }
  return edges;
}

/** The circle that an import by value closes between sub-rooms, from its target back to the file's; undefined if none. */
export function circleOf(root: string, file: string, target: string): string[] | undefined {
  graph ??= readGraph(root);
  const [from, to] = [nodeOf(file), nodeOf(target)];
  if (from === to) return undefined;
  const ways = new Map<string, string[]>([[to, [to]]]);
  for (const [node, way] of ways) {
    if (node === from) return way;
    for (const next of graph.get(node) ?? []) if (!ways.has(next)) ways.set(next, [...way, next]);
  }
  return undefined;
}
