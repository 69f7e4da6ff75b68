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

/** Files with a function of more than 120 lines or a complexity above 20: each leaves the list when it is split. */
const GIANTS = ["src/alerts/deliver/dispatch/dispatch.ts", "src/store/alert-tables/outbox.ts"];

export default defineConfig({
  // Its table is lint/rooms.ts; test/architecture.test.ts shows what it refuses.
  jsPlugins: ["./lint/architecture.ts", "./lint/order.ts"],
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  options: { typeAware: true },
  ignorePatterns: ["/node_modules", "/out", "/data", "/coverage"],
  rules: {
    "architecture/arrows": "error",
    "architecture/clocks": "error",
    "architecture/process-by-name": "error",
    "order/no-later-use": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-non-null-assertion": "error",
    "import/no-cycle": "error",
    "import/no-unassigned-import": "off",
    "no-restricted-properties": [
      "error",
      { object: "process", property: "env", message: "Only src/config.ts reads it." },
    ],
    "no-shadow": "off",
    "no-await-in-loop": "off",
    "no-console": "error",
    "max-lines-per-function": ["error", { max: 120, skipBlankLines: true, skipComments: true }],
    complexity: ["error", { max: 20 }],
    eqeqeq: "error",
    "no-underscore-dangle": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/no-unnecessary-type-parameters": "off",
    "typescript/consistent-return": "off",
    "unicorn/consistent-function-scoping": "off",
    "vitest/require-mock-type-parameters": "off",
  },
  overrides: [
    ...Object.keys(rooms).map((room) => ({
      files:
        room === "commands" ? ["commands/**"] : [`src/${room}.*`, ...(room.endsWith("/*") ? [] : [`src/${room}/**`])],
      rules: { "no-restricted-globals": ["error", ...refusedGlobals(room)] as ["error", ...RefusedGlobal[]] },
    })),
    { files: GIANTS, rules: { "max-lines-per-function": "off", complexity: "off" } },
    { files: ["src/config.ts"], rules: { "no-restricted-properties": "off" } },
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
        "src/main/start.ts",
        "src/main/cli/**",
        "src/main/doctor/doctor.ts",
        "test/support/**",
        "test/campaign/**",
        "test/fuzz/**",
        "test/gallery/**",
      ],
      rules: { "no-console": "off" },
    },
    {
      files: ["bin/**", "bench/**", "lint/**", "test/**", "./oxlint.config.ts", "./vitest.config.ts"],
      rules: {
        "architecture/arrows": "off",
        "architecture/process-by-name": "off",
        "max-lines-per-function": "off",
        complexity: "off",
        "order/no-later-use": "off",
        "no-restricted-properties": "off",
      },
    },
    {
      files: ["test/**/*.ts", "bench/**/*.ts"],
      // A property's assertions stand inside its predicate, where expect-expect does not look.
      rules: { "vitest/expect-expect": "off", "typescript/no-non-null-assertion": "off" },
    },
  ],
});
