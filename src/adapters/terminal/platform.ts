/** The terminal: operators alone reach it. */
export const terminalPlatform = { kind: "operators", id: "terminal", name: "the terminal" } as const;
