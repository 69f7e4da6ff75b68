import { type AnyCommand, command } from "../../src/bot/command.ts";
import type { Option } from "../../src/bot/options/options.ts";
import { reply } from "../../src/reply/reply.ts";

const common: Record<string, Option> = {
  network: { kind: "network", description: "Which network to ask" },
  private: { kind: "flag", description: "Answer so that only you can see it", default: false },
};

function sample(name: string, options: Record<string, Option>): AnyCommand {
  return command({
    name,
    summary: `Sample ${name}`,
    examples: [`${name} example`],
    access: "everyone",
    audience: "channel",
    options: { ...options, ...common },
    run: async () => reply({ title: name }),
  });
}

/** Declarations of every kind of option, in the shapes that the real commands use. */
export const sampleCommands: readonly AnyCommand[] = [
  sample("time", {}),
  sample("market list", {}),
  sample("market show", {
    market: {
      kind: "text",
      required: true,
      description: "Market",
      example: "BTC/USD",
      suggest: async (typed) =>
        ["BTC/USD", "ETH USD"].filter((code) => code.startsWith(typed)).map((code) => ({ label: code, value: code })),
    },
  }),
  sample("order", {
    id: { kind: "text", required: true, description: "Order", example: "ab12" },
    version: { kind: "integer", description: "Version", min: 1, max: 2_147_483_647 },
  }),
  sample("ledger export", {
    party: { kind: "text", required: true, description: "Party", example: "f8ac" },
    asset: { kind: "text", required: true, description: "Asset", example: "USDT" },
    from: { kind: "time", description: "From" },
    to: { kind: "time", description: "To" },
    columns: { kind: "text", description: "Columns", example: "quantity" },
    raw: { kind: "flag", description: "Raw", default: false },
  }),
  sample("help", { command: { kind: "text", description: "Command", example: "market show", rest: true } }),
  sample("alerts add", {
    severity: {
      kind: "choice",
      description: "Severity",
      choices: [
        { value: "warning", label: "Warning" },
        { value: "critical", label: "Critical" },
      ],
    },
  }),
];
