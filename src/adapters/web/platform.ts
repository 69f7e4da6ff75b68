import type { Destination, OperatorPlatform } from "../../alerts/destination.ts";

/** The console: operators alone reach it, and it is their destination for alerts. */
export const consolePlatform: OperatorPlatform = {
  kind: "operators",
  id: "web",
  name: "the console",
  channel: "console",
};

/** The operators' destination. */
export const CONSOLE: Destination = { platform: "web", channel: "console" };
