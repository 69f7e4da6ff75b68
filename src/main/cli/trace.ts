import { UserError } from "../../errors.ts";
import { oneLine } from "../../reply/plain-text.ts";
import type { Store } from "../../store/store.ts";
import { formatBytes } from "../../units/format-number.ts";
import { fromMillis, timeToText } from "../../units/time.ts";
import { Anonymous } from "../traces/anonymous.ts";
import { lookLine, settingsLine, subscriptionLine } from "../traces/export.ts";
import { judgeTrace } from "../traces/judge.ts";
import { readTrace, writeTrace } from "../traces/lines.ts";
import { Score } from "../traces/score.ts";
import { kindTable, lengthRows, table } from "../traces/score-table.ts";
import type { TraceLine } from "../traces/traces.ts";
import { packageVersion, scriptArguments } from "./cli.ts";
import {
  countOf,
  gapLine,
  lineOf,
  merged,
  type NetworkRange,
  RANGE_OPTIONS,
  rangeOf,
  RUN_UP,
  sayDamaged,
  settingsChanger,
  settingsUntil,
  subscriptionsOf,
  withStore,
} from "./replay.ts";

const HELP = `trace: what the watchers saw in a file, to be judged anywhere.

  npm run trace -- export --network mainnet --from "last night" --to now [--anonymous] night.trace.gz
  npm run trace -- judge [--set lagging.behind=2m] night.trace.gz …

  --network NAME      the network
  --from, --to TIME   the range, in UTC: 2026-11-01, "2026-11-01 18:00", "last night", 7d (default: 1d to now)
  --anonymous         node-1, node-2 … in the place of the nodes' names and addresses, also in what they answered
  --set KEY=VALUE     judge by this setting instead, as ALERTS_CONFIG names it; may come several times

export writes the looks of the nodes, of markets, checkpoints and snapshots, from a day before the range on, with the
settings and what was subscribed to, but not who subscribed. judge prints each change of a condition, as npm run replay
does; where a trace says what was true, also how well the alerts told it. docs/traces.md has the form of a line.`;

/** Writes traces, and judges them. */
export async function trace(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    console.log(HELP);
    return 0;
  }
  const options = { ...RANGE_OPTIONS, anonymous: { type: "boolean" } } as const;
  const { values, positionals } = scriptArguments(args, options, HELP, true);
  const [what, ...files] = positionals;
  const [file] = files;
  if (what === "judge" && file !== undefined && isOnly(values, ["set"])) return judgeAll(files, values.set ?? []);
  const isExport = what === "export" && isOnly(values, ["network", "from", "to", "anonymous"]);
  const { network, anonymous = false } = values;
  if (!isExport || file === undefined || files.length > 1 || network === undefined) {
    throw new UserError("npm run trace takes export with --network and the file to write, or judge with files.", {
      remedy: HELP,
    });
  }
  const range = rangeOf(values);
  return await withStore((store) => exportTrace(store, file, { network, ...range, anonymous }));
}

function isOnly(values: object, allowed: readonly string[]): boolean {
  return Object.keys(values).every((name) => allowed.includes(name));
}

async function exportTrace(
  store: Pick<Store, "read">,
  file: string,
  { anonymous, ...range }: NetworkRange & { readonly anonymous: boolean },
): Promise<number> {
  const hidden = new Anonymous();
  let count = 0;
  async function* lines(): AsyncGenerator<TraceLine> {
    for await (const line of linesOf(store, range)) {
      if ("look" in line) count += 1;
      yield anonymous ? hidden.line(line) : line;
    }
  }
  const bytes = await writeTrace(file, lines());
  console.log(`${file}: ${count} looks at ${range.network}, ${formatBytes(bytes)}.`);
  return 0;
}

async function* linesOf(store: Pick<Store, "read">, { network, from, to }: NetworkRange): AsyncGenerator<TraceLine> {
  const settings = await settingsUntil(store, network, to);
  const range = { from: timeToText(fromMillis(from)), to: timeToText(fromMillis(to)) };
  yield { trace: 1, network, version: packageVersion(), ...range };
  yield* settings.map(settingsLine);
  for (const one of await subscriptionsOf(store, network)) {
    const line = subscriptionLine(one);
    if (line !== undefined) yield line;
  }
  for await (const { watcher, looks } of merged(store, { network, from: from - RUN_UP, to }, sayDamaged)) {
    for (const look of looks) yield lookLine(watcher, look);
  }
}

async function judgeAll(files: readonly string[], set: readonly string[]): Promise<number> {
  const changed = settingsChanger(set);
  const score = new Score();
  for (const file of files) {
    let gaps = 0;
    const { network, looks, changes, told, known } = await judgeTrace(readTrace(file), {
      name: file,
      changed,
      onChange: (change) => console.log(lineOf(change)),
      onGap: (gap) => {
        gaps += 1;
        console.log(gapLine(gap));
      },
    });
    console.log(
      `${file}: ${looks} looks at ${oneLine(network)}, ${countOf(changes, "change")}, ${countOf(gaps, "gap")}.`,
    );
    if (known !== undefined) score.add(known.watched, known.truth, told);
  }
  if (score.days > 0) console.log(`\n${kindTable(score)}\n\n${table(lengthRows(new Map([["Bellwether", score]])))}`);
  return 0;
}
