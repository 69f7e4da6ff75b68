import type { OperatorPlatform } from "../../alerts/platform.ts";

/** The console: operators alone reach it, and it is their destination for alerts. */
export const consolePlatform: OperatorPlatform = {
  kind: "operators",
  id: "web",
  name: "the console",
  channel: "console",
};
