import { createRequire } from "node:module";

import type * as Bolt from "@slack/bolt";

const require = createRequire(import.meta.url);

/** The two parts of Bolt that are used: its index loads web servers besides, which cost 5 MB of memory at rest. */
export const App = partOf<typeof Bolt.App>("App");
export const SocketModeReceiver = partOf<typeof Bolt.SocketModeReceiver>("receivers/SocketModeReceiver");

function partOf<T>(name: string): T {
  return (require(`@slack/bolt/dist/${name}`) as { readonly default: T }).default;
}
