import { manifestFile, SCOPES } from "../../adapters/slack/manifest.ts";
import { loadConfig } from "../../config.ts";
import { UserError } from "../../errors.ts";
import { slackAddresses } from "../platforms/platforms.ts";

/** Prints the manifest to create the Slack app from; what each permission is for goes to standard error. */
export async function slackManifest(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    throw new UserError("slack:manifest takes no arguments.", {
      remedy: "SLACK_COMMAND names the slash command; the manifest goes to standard output.",
    });
  }
  const config = loadConfig();
  const { commands } = await import("../../../commands/index.ts");
  process.stdout.write(manifestFile(commands, config.slackCommand, slackAddresses(config)));
  for (const [scope, feature] of Object.entries(SCOPES)) console.error(`${scope.padEnd(18)}${feature}`);
  return 0;
}
