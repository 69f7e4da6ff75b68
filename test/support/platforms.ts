import { terminalPlatform } from "../../src/adapters/terminal/platform.ts";
import { consolePlatform } from "../../src/adapters/web/platform.ts";
import { manySlackPlatform } from "../../src/adapters/slack/platform.ts";
import { createPlatforms } from "../../src/alerts/destination.ts";
import { examineConfig as examine, parseConfig as parse } from "../../src/config.ts";
import { variablesOf } from "../../src/config/environment.ts";
import { PLATFORM_RECORDS } from "../../src/main/platforms/list.ts";

const chats = PLATFORM_RECORDS.map(({ platform }) => platform);

/** The platforms of the program, all of them set up. */
export const PLATFORMS = createPlatforms([...chats, consolePlatform, terminalPlatform]);

/** The same where Slack's app is installed in many workspaces. */
export const MANY_WORKSPACES = createPlatforms([
  ...chats.map((one) => (one.id === manySlackPlatform.id ? manySlackPlatform : one)),
  consolePlatform,
  terminalPlatform,
]);

type Given = Readonly<Record<string, string | undefined>>;

/** The settings of an environment, with the platforms of the program. */
export const parseConfig = (given: Given) => parse(given, PLATFORM_RECORDS);
export const examineConfig = (given: Given) => examine(given, PLATFORM_RECORDS);
export const VARIABLES = variablesOf(PLATFORM_RECORDS);
