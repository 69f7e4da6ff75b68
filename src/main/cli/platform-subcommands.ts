import type { PlatformRecord, PlatformSubcommand } from "../../adapters/chat/chat.ts";
import { loadConfig } from "../../config.ts";
import { networkNames } from "../networks.ts";
import { PLATFORM_RECORDS } from "../platforms/list.ts";
import { platformsOf } from "../platforms/platforms.ts";
import type { Subcommand } from "./cli.ts";

/** The subcommands that serve one platform, by name. */
export function platformSubcommands(
  records: readonly PlatformRecord[] = PLATFORM_RECORDS,
): Readonly<Record<string, Pick<PlatformSubcommand, "about"> & { readonly run: Subcommand }>> {
  // Their names and help depend on no setting.
  const all = records.flatMap((record) => Object.entries(record.read({}, []).subcommands));
  const runner =
    (name: string): Subcommand =>
    async (args) => {
      const config = loadConfig(records);
      const { commands } = await import("../../../commands/index.ts");
      const [subcommand] = config.platforms.flatMap(({ subcommands }) => subcommands[name] ?? []);
      if (subcommand === undefined) throw new RangeError(`${name} is no subcommand`);
      return subcommand.run(args, {
        commands,
        platforms: platformsOf(config),
        networks: networkNames(config),
        print: (line) => console.log(line),
        note: (line) => console.error(line),
      });
    };
  return Object.fromEntries(all.map(([name, { about }]) => [name, { about, run: runner(name) }]));
}
