import { doctor } from "../../../src/main/doctor/doctor.ts";
import { platformSubcommands } from "../../../src/main/cli/platform-subcommands.ts";
import { PLATFORM_RECORDS } from "../../../src/main/platforms/list.ts";
import { start } from "../../../src/main/start.ts";
import { stubRecord } from "./record.ts";

// The program with one platform more.
const records = [...PLATFORM_RECORDS, stubRecord];
const [name = "", ...args] = process.argv.slice(2);
const run = {
  start: () => start(args, {}, records),
  doctor: () => doctor(args, records),
}[name];
process.exit(await (run ?? (() => platformSubcommands(records)[name]?.run(args)))());
