// The allowed imports of ARCHITECTURE.md, for the linter (lint/architecture.ts). Everything else is refused: a file in
// no room, an import of another room, a package, a module of Node. `x(types)` allows `import type` alone.

/** Floor 1: a row with `ground` may import all of these. */
export const ground = "errors log make-folder reply reply/columns reply/csv-rows reply/states units units/span";

/** Room → the rooms it may import. A room is `src/<room>.ts` and `src/<room>/`, without nested rooms of a longer name. */
export const rooms: Readonly<Record<string, string>> = {
  // Floor 6
  main: "everything",
  // Floor 5; `adapters/*` = the files directly in `adapters/`, and so for `alerts/*`.
  commands:
    "ground answers bot alerts/service(types) alerts/trial(types) alerts/words alerts/message alerts/route alerts/judge alerts/* api chart export(types)",
  "adapters/discord": "ground adapters/chat adapters/* bot alerts/sender alerts/*(types) export config/settings",
  "adapters/slack": "ground adapters/chat adapters/* bot alerts/sender alerts/*(types) export config/settings",
  "adapters/terminal": "ground bot",
  "adapters/web":
    "ground adapters/* bot alerts/service(types) alerts/sender(types) alerts/judge(types) alerts/*(types)",
  "adapters/web/public":
    "adapters/web(types) chart/draw reply(types) reply/columns reply/csv-rows reply/states units/span",
  "adapters/discord/page": "adapters/web/public adapters/web(types)",
  "adapters/slack/page": "adapters/web/public adapters/web(types)",
  "adapters/chat":
    "ground adapters/* bot(types) alerts/sender(types) alerts/*(types) config/settings(types) store(types)",
  "adapters/*": "ground bot(types) alerts/sender(types)",
  // Floor 4½
  answers:
    "ground bot alerts/service(types) alerts/trial alerts/words alerts/message alerts/route alerts/judge alerts/* api chart export(types) store(types)",
  // Floor 4
  bot: "ground api alerts/service(types) alerts/sender(types) alerts/*(types) chart(types) export(types) store(types)",
  watchers: "ground looks alerts/engine(types) alerts/route(types) alerts/judge alerts/*(types) api",
  // Floor 3, from top to bottom
  "alerts/service":
    "ground alerts/trial alerts/engine(types) alerts/deliver alerts/words alerts/message alerts/route alerts/judge alerts/sender(types) alerts/* api(types) store(types)",
  "alerts/engine":
    "ground alerts/deliver alerts/words alerts/message alerts/route alerts/judge alerts/sender(types) alerts/* api(types) store(types)",
  "alerts/deliver":
    "ground alerts/words alerts/message alerts/route alerts/judge alerts/sender alerts/* api(types) store(types)",
  "alerts/words": "ground alerts/message alerts/route alerts/judge alerts/* api(types)",
  "alerts/message": "ground alerts/route alerts/judge alerts/sender(types) alerts/* store(types)",
  "alerts/route": "ground alerts/judge alerts/* store(types)",
  "alerts/sender": "ground alerts/judge(types) alerts/*(types)",
  // What would have been told of looks that are kept
  "alerts/trial": "ground alerts/judge alerts/*",
  "alerts/judge": "ground alerts/* api(types) store(types)",
  "alerts/*": "ground api(types) store(types)",
  export: "ground api store(types)",
  looks: "ground api(types) store(types)",
  // Floor 2
  api: "ground",
  chart: "ground chart/draw",
  // Plain JavaScript, which browsers load as well
  "chart/draw": "reply(types)",
  simulator: "ground",
  store: "ground",
  // Floor 1; main passes the configuration to the others.
  config: "config/settings errors log units",
  "config/settings": "",
  errors: "units",
  log: "units",
  "make-folder": "errors",
  reply: "reply/csv-rows units",
  // Plain JavaScript, which browsers load as well
  "reply/columns": "",
  "reply/csv-rows": "",
  "reply/states": "",
  units: "units/span",
  "units/span": "",
};

/**
 * Sub-room → the modules that others may import, besides `index` and the one with the folder's name. `x/*` = the doors of
 * its sub-room x.
 */
export const doors: Readonly<Record<string, string>> = {
  "adapters/chat":
    "bounds button-plan form home-data is-unsent key-ring listed-managers notices open-answers parse-json press refused-token supervision tone-signs why-this-alert",
  "adapters/discord": "record",
  "adapters/discord/render": "buttons compose embed markdown modal press",
  "adapters/discord/respond": "interaction-api left-answers question",
  "adapters/discord/transport": "endpoint rest signature upload",
  "adapters/slack": "record",
  "adapters/slack/home": "viewers",
  "adapters/slack/install": "install-state sealed-tokens workspace-payloads",
  "adapters/slack/render": "blocks buttons compose form form-fields mrkdwn press",
  "adapters/slack/respond": "bolt-app channel-managers invocation left-answers request-context retry-answer",
  "adapters/slack/send": "files send-error",
  "adapters/slack/transport": "api-error bolt endpoint identity installations response-url signature web-api",
  "adapters/terminal": "line-runner platform streams",
  "adapters/terminal/render": "actions span visible-text wrap",
  "adapters/web": "limits listen looks platform render socket alerts/console-sender alerts/watch public/*",
  "adapters/web/access": "allowed-hosts client-address connection-limit guard login slow-bodies",
  "adapters/web/alerts": "alert-json console-sender watch",
  "adapters/web/invocations": "form question verify",
  "adapters/web/public": "preview/* reply/* vnode/*",
  "adapters/web/public/alerts": "standing",
  "adapters/web/public/exchange":
    "answers-below command-list composer conversation file-picker form kept lines palette tried",
  "adapters/web/public/preview": "drawn-message",
  "adapters/web/public/reply": "clipboard draw-reply render-actions render-chart render-files render-text times",
  "adapters/web/public/vnode": "keep-focus make-dom",
  "alerts/deliver":
    "dispatch/* outbox/alert-log outbox/batch outbox/group outbox/held outbox/notification-state outbox/outbox outbox/queries outbox/record outbox/stored-messages",
  "alerts/deliver/dispatch": "refused-messages",
  "alerts/deliver/outbox": "alert-log batch claim group held notification-state queries record stored-messages",
  "alerts/judge": "follow judge-in-memory kinds/* rules/*",
  "alerts/judge/kinds": "event inhibits kind market-facts market-measure market-value network-status reading",
  "alerts/judge/rules": "episode state-cache state-machine",
  "alerts/message": "delivery-subject list-message message-group notice",
  "alerts/route": "quiet-hours silence subscription subscription-index suspension",
  "alerts/service": "downtime-report feed",
  "alerts/trial": "advice",
  "alerts/words":
    "condition-words describe-condition describe-event describe-notice network-status-words phrases silence-words subscription-words",
  "answers/alerts":
    "alert-kinds alert-options alert-subjects alert-times destination suspension-words episodes/* silences/* subscriptions/*",
  "answers/alerts/episodes": "alert-log drill episode-options episode-timeline network-status told watched",
  "answers/alerts/silences": "add-silence offered-silence silence-options",
  "answers/alerts/subscriptions":
    "add-subscription change-subscription noise personal-watch subscription-fields subscription-options thresholds trial-reply try-subscription",
  "answers/charts": "alert-chart chart-span network-chart stake-chart",
  "answers/exports": "ended exports verified",
  "answers/ids": "party-orders typed-ids",
  "api/client": "poll-nodes",
  "api/http": "base-url error-body http-fault node-failure parse-response",
  "api/model": "bundle fields market names order page stake",
  "api/node": "inspect-node last-seen-block single-flight",
  "api/verdict": "judge-sources memory",
  "chart/draw": "svg",
  "bot/grammar": "complete-line find-command offered-line plain-words stem tokens usage",
  "bot/options": "parse-options said saved-parties suggest-values time-span",
  "export/jobs": "deliver job kept-files upkeep verify-file",
  "export/normalise": "file-columns ledger-thread normaliser",
  "export/pack": "zip-files",
  "export/verify": "read-ledger-file",
  looks: "keep look",
  "main/alerting": "alerting-settings duties open-alerting trials",
  "main/cli": "ask backup migrate-store platform-subcommands replay shutdown simulator trace",
  "main/health": "database-watch dead-man-switch readiness",
  "main/holder": "claim-database find-holder holder-client",
  "main/metrics": "alert-metrics",
  "main/platforms": "list platform-limits",
  "main/traces": "anonymous export judge lines score score-table",
  "simulator/assets": "bundles ledger stake",
  "simulator/chain": "blocks validators",
  "simulator/faults": "control",
  "simulator/gateway": "pages",
  "simulator/market": "market-records orders",
  "simulator/node": "node-profile node-server rate-limiter",
  "store/alert-tables": "alert-tables gone-back inspect-tables looks",
  "store/file": "backup database-url file-identity holder-record inspect-file origin probe-folder process-lock",
  "store/migrations": "migrate schema-age",
  "store/postgres": "pool processes",
  "store/preferences": "button-payloads seen-ids",
  "store/sqlite": "database-files kysely-sqlite sqlite-faults",
  "watchers/history": "lists node-histories",
  "watchers/sources": "kept-round node-selector node-versions sources-state",
  "watchers/subjects": "bundles orders stakes",
};

/** Where code judges: it is handed its clock, and chance where it needs some. */
export const timeless: readonly string[] = ["alerts", "api/verdict", "watchers"];

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

  // The only way to another process: pictures are drawn in one (docs/decisions/0038-pictures-in-a-child.md).
  "@resvg/resvg-js": "chart",
  "node:child_process": "chart/png",

  // Other ways out of the process
  "node:http": "adapters/slack/send adapters/web(types) main simulator",
  "node:https": "adapters/slack/send",
  "node:module": "adapters/discord adapters/slack main",
  "node:net": "adapters/web api/http config units main simulator",
  "node:worker_threads": "export main/alerting",
  "node:zlib": "looks main",

  // The disk and the machine
  "node:diagnostics_channel": "main",
  "node:fs": "adapters/discord adapters/slack adapters/terminal adapters/web config export main make-folder store",
  "node:os": "adapters/discord adapters/terminal adapters/web export main store",
  "node:perf_hooks": "main",
  "node:readline": "adapters/terminal",
  "node:v8": "main",
  "node:vm": "main",

  // Tools
  "fastest-levenshtein": "bot config export",
  "lru-cache":
    "adapters/discord adapters/slack adapters/web alerts/deliver alerts/route answers api looks main store units",
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
  zod: "adapters/chat adapters/discord adapters/slack adapters/web alerts/* alerts/deliver alerts/judge alerts/message alerts/route alerts/service answers api config config/settings export main reply simulator store watchers",
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
