// The allowed imports of ARCHITECTURE.md, for the linter (lint/architecture.ts). Everything else is refused: a file in
// no room, an import of another room, a package, a module of Node. `x(types)` allows `import type` alone.

/** Floor 1: a row with `ground` may import all of these. */
export const ground = "errors in-time log loopback make-folder reply units";

/** Room → the rooms it may import. A room is `src/<room>.ts` and `src/<room>/`, without nested rooms of a longer name. */
export const rooms: Readonly<Record<string, string>> = {
  // Floor 6
  main: "everything",
  // Floor 5; `adapters/*` = the files directly in `adapters/`, and so for `alerts/*`.
  commands:
    "ground answers bot alerts/service(types) alerts/words alerts/message alerts/route alerts/judge alerts/* api export(types)",
  "adapters/discord": "ground adapters/* bot alerts/sender alerts/*(types) export config/settings",
  "adapters/slack": "ground adapters/* bot alerts/sender alerts/*(types) export config/settings",
  "adapters/terminal": "ground bot",
  "adapters/web":
    "ground adapters/* bot alerts/service(types) alerts/sender(types) alerts/judge(types) alerts/*(types)",
  "adapters/web/public": "adapters/web(types) reply(types)",
  "adapters/*": "ground bot(types) alerts/sender(types) alerts/*(types) config/settings(types) store(types)",
  // Floor 4½
  answers:
    "ground bot alerts/service(types) alerts/words alerts/message alerts/route alerts/judge alerts/* api export(types) store(types)",
  // Floor 4
  bot: "ground api alerts/service(types) alerts/sender(types) alerts/*(types) export(types) store(types)",
  watchers: "ground alerts/engine(types) alerts/route(types) alerts/judge alerts/*(types) api",
  // Floor 3, from top to bottom
  "alerts/service":
    "ground alerts/engine(types) alerts/deliver alerts/words alerts/message alerts/route alerts/judge alerts/sender(types) alerts/* api(types) store(types)",
  "alerts/engine":
    "ground alerts/deliver alerts/words alerts/message alerts/route alerts/judge alerts/sender(types) alerts/* api(types) store(types)",
  "alerts/deliver":
    "ground alerts/words alerts/message alerts/route alerts/judge alerts/sender alerts/* api(types) store(types)",
  "alerts/words": "ground alerts/message alerts/route alerts/judge alerts/* api(types)",
  "alerts/message": "ground alerts/route alerts/judge alerts/sender(types) alerts/* store(types)",
  "alerts/route": "ground alerts/judge alerts/* store(types)",
  "alerts/sender": "ground alerts/judge(types) alerts/*(types)",
  "alerts/judge": "ground alerts/* api(types) store(types)",
  "alerts/*": "ground api(types) store(types)",
  export: "ground api store(types)",
  // Floor 2
  api: "ground",
  simulator: "ground",
  store: "ground",
  // Floor 1; main passes the configuration to the others.
  config: "config/settings errors log loopback",
  "config/settings": "",
  errors: "",
  "in-time": "units",
  log: "",
  loopback: "",
  "make-folder": "errors",
  reply: "units",
  units: "",
};

/** Package or module of Node → the rooms, folders or files that may import it; `everywhere` leaves out browsers. */
export const packages: Readonly<Record<string, string>> = {
  // Both ends of the bot, each in one place
  undici: "api/http",
  kysely: "store",
  pg: "store/postgres",
  "node:sqlite": "store",
  "@discordjs/ws": "adapters/discord",
  "discord-api-types": "adapters/discord",
  "discord-markdown-parser": "adapters/discord",
  "discord.js": "adapters/discord",
  "@slack/bolt": "adapters/slack",
  "@slack/types": "adapters/slack(types)",
  "@slack/web-api": "adapters/slack",
  "@hono/node-server": "adapters/web",
  hono: "adapters/web",

  // Other ways out of the process; there are none to other processes, so node:child_process is refused everywhere.
  "node:http": "adapters/slack/send adapters/web(types) main simulator",
  "node:https": "adapters/slack/send",
  "node:module": "adapters/discord adapters/slack main",
  "node:net": "adapters/web api/http config loopback main simulator",
  "node:worker_threads": "export",

  // The disk and the machine
  "node:diagnostics_channel": "main",
  "node:fs": "adapters/discord adapters/slack adapters/terminal adapters/web config export main make-folder store",
  "node:os": "adapters/discord adapters/terminal adapters/web export main",
  "node:perf_hooks": "main",
  "node:readline": "adapters/terminal",
  "node:v8": "main",
  "node:vm": "main",

  // Tools
  "csv-stringify": "reply",
  "fastest-levenshtein": "bot config export",
  "lru-cache": "adapters/discord adapters/slack adapters/web alerts/deliver alerts/route answers api store",
  "node:crypto": "everywhere",
  "node:events": "everywhere",
  "node:path": "everywhere",
  "node:stream": "everywhere",
  "node:timers": "everywhere",
  "node:url": "everywhere",
  "node:util": "everywhere",
  pino: "log",
  "pino-pretty": "main",
  "prom-client": "main",
  "string-width": "adapters/discord adapters/terminal",
  yazl: "export",
  zod: "adapters/discord adapters/slack adapters/web alerts/* alerts/deliver alerts/judge alerts/message alerts/route alerts/service answers api config config/settings export main reply simulator store watchers",
};

/** Global network API → the rooms that may use it. */
export const globals: Readonly<Record<string, string>> = {
  fetch: "adapters/discord adapters/slack adapters/web/public main",
  EventSource: "adapters/web/public",
  // Through these, every other one could be had.
  global: "",
  globalThis: "main",
  WebSocket: "",
};
