import { defineConfig } from "oxlint";

import { globals, rooms } from "./lint/rooms.ts";

interface RefusedGlobal {
  readonly name: string;
  readonly message: string;
}

const refusedGlobals = (room: string): RefusedGlobal[] =>
  Object.entries(globals)
    .filter(([, owners]) => !owners.split(" ").includes(room))
    .map(([name]) => ({ name, message: `${room} must not use ${name}: lint/rooms.ts does not allow it.` }));

export default defineConfig({
  // Its table is lint/rooms.ts; test/architecture.test.ts shows what it refuses.
  jsPlugins: ["./lint/architecture.ts"],
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  options: { typeAware: true },
  ignorePatterns: ["/node_modules", "/out", "/data", "/coverage"],
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
    { files: ["src/**", "commands/**"], rules: { "architecture/arrows": "error" } },
    ...Object.keys(rooms).map((room) => ({
      files:
        room === "commands" ? ["commands/**"] : [`src/${room}.ts`, ...(room.endsWith("/*") ? [] : [`src/${room}/**`])],
      rules: { "no-restricted-globals": ["error", ...refusedGlobals(room)] as ["error", ...RefusedGlobal[]] },
    })),
    { files: ["src/config/config.ts"], rules: { "node/no-process-env": "off" } },
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
      rules: { "no-console": "off" },
    },
    { files: ["bin/**", "test/**", "bench/**"], rules: { "node/no-process-env": "off" } },
    {
      files: ["test/**/*.ts", "bench/**/*.ts"],
      // A property's assertions stand inside its predicate, where expect-expect does not look.
      rules: { "vitest/expect-expect": "off", "typescript/no-non-null-assertion": "off" },
    },
  ],
});
