import { defineConfig } from "oxlint";

// The arrows of ARCHITECTURE.md. A room may import the rooms named here and what stands on the ground floor;
// everything else is refused. main.ts (and src/main/) alone may import everything.
const ground = ["units", "reply", "errors", "log", "config", "make-folder", "loopback"];
const rooms: Record<string, string[]> = {
  api: [],
  store: [],
  chart: [],
  simulator: [],
  alerts: ["store", "api"],
  export: ["store", "api"],
  bot: ["alerts", "export", "api", "store"],
  watchers: ["alerts", "export", "api"],
  answers: ["bot", "alerts", "export", "api", "store"],
  commands: ["answers", "bot", "alerts", "export", "api", "chart"],
  "adapters/discord": ["bot", "alerts", "export", "adapters/adapter"],
  "adapters/slack": ["bot", "alerts", "export", "adapters/adapter"],
  "adapters/terminal": ["bot", "alerts", "export", "adapters/adapter"],
  "adapters/web": ["bot", "alerts", "export", "adapters/adapter"],
};
const everyRoom = [
  "main",
  "api",
  "store",
  "chart",
  "simulator",
  "alerts",
  "export",
  "bot",
  "answers",
  "watchers",
  "commands",
  "adapters/adapter",
  "adapters/discord",
  "adapters/slack",
  "adapters/terminal",
  "adapters/web",
];

interface Pattern {
  regex: string;
  message: string;
  allowTypeImports?: boolean;
}

// "only" rules: who may import a library that stands for a whole side of the world.
const doors: { regex: string; rooms: string[]; message: string }[] = [
  { regex: "^undici$", rooms: ["api/http"], message: "undici is imported only in src/api/http.ts." },
  {
    regex: "^(discord\\.js|discord-api-types|@discordjs/.*)",
    rooms: ["adapters/discord"],
    message: "Discord's libraries are imported only in src/adapters/discord.",
  },
  {
    regex: "^@slack/",
    rooms: ["adapters/slack"],
    message: "Slack's libraries are imported only in src/adapters/slack.",
  },
  {
    regex: "^(node:sqlite|kysely|pg)$",
    rooms: ["store"],
    message: "The database drivers are imported only in src/store.",
  },
  { regex: "^(node:)?process$", rooms: ["config"], message: "process.env is read only in src/config.ts." },
];

function restrictions(room: string, allowed: string[], self: string): Pattern[] {
  const refused = everyRoom.filter((other) => other !== self && !allowed.includes(other));
  const patterns: Pattern[] = refused.map((other) => ({
    regex: `^(\\.\\.?/)+(src/)?${other.replace("/", "/(?:.*/)?")}(/|\\.ts$)`,
    message: `${self} must not import ${other}: see the table of arrows in ARCHITECTURE.md.`,
  }));
  for (const door of doors) {
    if (!door.rooms.includes(room)) patterns.push({ regex: door.regex, message: door.message });
  }
  return patterns;
}

// Inside adapters/x another adapter is reached as ../y/, without the folder's own name.
const siblings = (self: string): Pattern[] =>
  ["discord", "slack", "terminal", "web"]
    .filter((name) => `adapters/${name}` !== self)
    .map((name) => ({
      regex: `^\\.\\./${name}/`,
      message: "No adapter imports another: main hands them narrow ports.",
    }));

const folder = (room: string): string => (room === "commands" ? "commands" : `src/${room}`);

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  options: { typeAware: true },
  ignorePatterns: ["node_modules", "out", "data", "coverage"],
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-non-null-assertion": "error",
    "import/no-cycle": "error",
    "import/no-unassigned-import": "off",
    "node/no-process-env": "error",
    "no-shadow": "off",
    "no-await-in-loop": "off",
    "no-console": "error",
    eqeqeq: "error",
    "no-underscore-dangle": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/no-unnecessary-type-parameters": "off",
    "typescript/consistent-return": "off",
    "unicorn/consistent-function-scoping": "off",
    "vitest/require-mock-type-parameters": "off",
  },
  overrides: [
    ...Object.entries(rooms).map(([room, allowed]) => ({
      files: [`${folder(room)}/**/*.ts`],
      rules: {
        "no-restricted-imports": [
          "error",
          { patterns: [...restrictions(room, allowed, room), ...(room.startsWith("adapters/") ? siblings(room) : [])] },
        ] as ["error", { patterns: Pattern[] }],
      },
    })),
    {
      files: ["src/api/http.ts"],
      rules: {
        "no-restricted-imports": ["error", { patterns: restrictions("api/http", [], "api") }] as [
          "error",
          { patterns: Pattern[] },
        ],
      },
    },
    {
      // Whatever the ground rooms share with each other is types; values come from no floor above.
      files: ground.flatMap((room) => [`src/${room}/**/*.ts`, `src/${room}.ts`]),
      rules: {
        "no-restricted-imports": ["error", { patterns: restrictions("ground", [], "ground") }] as [
          "error",
          { patterns: Pattern[] },
        ],
      },
    },
    { files: ["src/config.ts"], rules: { "node/no-process-env": "off" } },
    {
      // The rule is about a browser's windows; Slack's chat.postMessage has no origin.
      files: ["src/adapters/slack/**"],
      rules: { "unicorn/require-post-message-target-origin": "off" },
    },
    {
      files: [
        "bin/**",
        "bench/**",
        "src/main.ts",
        "src/main/**",
        "src/adapters/terminal/**",
        "test/support/**",
        "test/campaign/**",
      ],
      rules: { "no-console": "off", "node/no-process-env": "off" },
    },
    {
      files: ["test/**/*.ts", "bench/**/*.ts"],
      // A property's assertions stand inside its predicate, where expect-expect does not look.
      rules: { "vitest/expect-expect": "off", "typescript/no-non-null-assertion": "off", "node/no-process-env": "off" },
    },
  ],
});
