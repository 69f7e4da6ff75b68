import { runAsScript } from "./support/figure.ts";
import { settledMemory } from "./support/settled-memory.ts";

// Resident memory of the whole process, console included, a minute after it connected to Discord with 200 servers and
// to Slack.

await runAsScript(import.meta.url, () => settledMemory("Discord and Slack: RSS with 200 servers", 200, true));
