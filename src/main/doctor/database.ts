import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import path from "node:path";

import { fault, type Finding, ok, warning } from "../../adapters/finding.ts";
import type { Platforms } from "../../alerts/destination.ts";
import { tokenRemedy } from "../../alerts/words/phrases.ts";
import { messageOf, UserError } from "../../errors.ts";
import type { LooksBounds } from "../../looks/keep.ts";
import { plainText } from "../../reply/plain-text.ts";
import { databaseFile } from "../../store/file/database-url.ts";
import { lossOf } from "../../store/file/file-identity.ts";
import { readHolderRecord } from "../../store/file/holder-record.ts";
import type { StoredLooks } from "../../store/alert-tables/looks.ts";
import type { DatabaseInspection } from "../../store/alert-tables/inspect-tables.ts";
import { type FileInspection, inspectFile } from "../../store/file/inspect-file.ts";
import { probeFolder, unfitMountOf } from "../../store/file/probe-folder.ts";
import { DAY, formatDuration, type Milliseconds } from "../../units/time.ts";
import { formatBytes, formatCount } from "../../units/format-number.ts";
import { isGone } from "../holder/claim-database.ts";
import { findHolder } from "../holder/find-holder.ts";
import { examineRows, type ReadAlerts, readAlerts } from "./damaged-rows.ts";

/** A day of alerts takes some megabytes, but a log on the same disk may grow faster. */
const LOW_SPACE_BYTES = 500_000_000;
const MIN_SPACE_BYTES = 50_000_000;
/** Deliveries that wait longer are stuck. */
const STUCK_AFTER: Milliseconds = 300_000;

type Inspection = FileInspection<ReadAlerts>;

/** The database to examine, and the time of the examination. */
export interface DatabaseExamination {
  readonly url: string;
  readonly platforms: Platforms;
  readonly now: Milliseconds;
  /** Undefined where none are kept. */
  readonly looks?: LooksBounds | undefined;
}

/**
 * The database file: its holder, folder, schema, integrity and alerts. Waits for a holder that is just starting, 5 s by
 * default.
 */
export async function examineDatabase(
  { url, ...examination }: DatabaseExamination,
  waitMillis?: Milliseconds,
): Promise<Finding[]> {
  const file = databaseFile(url);
  const { holder, stuck } = await holderOf(file, waitMillis);
  const folder = await examineFolder(file);
  if (folder.some(({ state }) => state === "fault") && isFolder(file)) return folder;
  const inspection = await inspectFile(file, examination.now, readAlerts);
  const lost = holder === undefined ? undefined : lossOf(file, readHolderRecord(file)?.identity);
  if (lost !== undefined) {
    const what = `${file} was ${lost} while ${holder} holds it: what it writes ends with it`;
    const remedy = "Stop the bot, put the file back or restore a backup (npm run restore -- <backup>), then start it.";
    return [...folder, fault("database", what, remedy)];
  }
  if (inspection === undefined) {
    if (folder.some(({ state }) => state === "fault")) return folder;
    if (!isGone(file)) return [...folder, ok("database", `${file} does not exist yet: the first start makes it`)];
    const remedy = "Restore a backup: npm run restore -- <backup>. Or start without it, from nothing.";
    return [
      ...folder,
      warning("database", `${file} was there before and is gone: the next start begins a new one`, remedy),
    ];
  }
  const alerts = examineAlerts(inspection, examination, holder !== undefined);
  return [...folder, ...stuck, ...examineFile(file, inspection, holder), ...alerts];
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The holder of the file, and a finding where it does not answer. */
async function holderOf(
  file: string,
  waitMillis?: Milliseconds,
): Promise<{ readonly holder: string | undefined; readonly stuck: Finding[] }> {
  try {
    if ((await findHolder(file, waitMillis)) === undefined) return { holder: undefined, stuck: [] };
    const pid = readHolderRecord(file)?.pid;
    return { holder: `the running Bellwether${pid === undefined ? "" : ` (process ${pid})`}`, stuck: [] };
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    const finding = fault("database", thrown.message.replace(/\.$/u, ""), thrown.remedy ?? "Stop that process.");
    return { holder: "a process that does not answer", stuck: [finding] };
  }
}

async function examineFolder(file: string): Promise<Finding[]> {
  const check = "database folder";
  let folder = path.dirname(file);
  while (!existsSync(folder) && path.dirname(folder) !== folder) folder = path.dirname(folder);
  if (!statSync(folder).isDirectory()) {
    return [fault(check, `${folder} is a file, not a folder`, "Name another place in DATABASE_URL.")];
  }
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  } catch (thrown) {
    const remedy = "Give this user the right to write there, or name another place in DATABASE_URL.";
    return [fault(check, `${folder} cannot be written to (${messageOf(thrown).split(":")[0]})`, remedy)];
  }
  if (isFolder(file)) {
    return [fault(check, `${file} is a folder, not a file`, "Name a file in it in DATABASE_URL.")];
  }
  const unable = probeFolder(folder);
  if (unable !== undefined) {
    const remedy = "Name a place on a local disk in DATABASE_URL.";
    return [fault(check, `${folder} cannot hold a database: ${unable.replace(/\.$/u, "")}`, remedy)];
  }
  const unfit = unfitMountOf(folder);
  if (unfit !== undefined) {
    return [warning(check, `${folder} is ${unfit}`, "Name a place on a local disk in DATABASE_URL.")];
  }
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const what = `${formatBytes(free)} are free in ${folder}`;
  if (free < MIN_SPACE_BYTES) return [fault(check, what, "Free some space: without it no alert can be kept.")];
  return [free < LOW_SPACE_BYTES ? warning(check, what, "Free some space before it runs out.") : ok(check, what)];
}

function examineFile(file: string, { bytes, schema, age, damage }: Inspection, holder: string | undefined): Finding[] {
  const check = "database";
  if (damage !== undefined && damage.length > 0) {
    const remedy = "Stop the bot and restore a backup: npm run restore -- <backup>.";
    return [fault(check, `${file} is damaged: ${damage.join("; ")}`, remedy)];
  }
  if (age === "newer") {
    const remedy = "Run the newer version, or restore a backup of this one's: npm run restore -- <backup>.";
    return [fault(check, `${file} was written by a newer version (it has ${schema ?? "?"})`, remedy)];
  }
  const held = holder === undefined ? "nobody holds it" : `held by ${holder}`;
  const facts = `${formatBytes(bytes)}, ${age === "older" ? "the next start migrates it" : `schema ${schema ?? "empty"}`}, ${held}`;
  if (damage === undefined) {
    const remedy = "Run npm run backup -- <file>: the copy is read through.";
    return [warning(check, `${file}: ${facts}; too large to be read through here`, remedy)];
  }
  return [ok(check, `${file}: whole, ${facts}`)];
}

/** What the kept looks take, and for how long there is room at the rate of now. */
function examineLooks({ bytes, oldest }: StoredLooks, bounds: LooksBounds, now: Milliseconds): Finding {
  const check = "looks";
  const most = formatBytes(bounds.maxBytes);
  const wanted = bounds.keepMillis / DAY;
  if (oldest === undefined) return ok(check, `none is packed yet; ${most} at most, for ${wanted} days`);
  const days = Math.max(DAY / 24, now - oldest) / DAY;
  const fit = Math.floor(bounds.maxBytes / (bytes / days));
  const what = `${formatBytes(bytes)} of ${most}, since ${formatDuration(now - oldest)} ago; at this rate ${formatCount(fit)} days fit`;
  if (fit >= wanted || days < 1) return ok(check, what);
  return warning(check, `${what}, not ${wanted}`, "Raise LOOKS_MAX, or lower LOOKS_KEEP or LOOKS_MARKETS.");
}

/** The state of the alerts by the database, whether or not a bot runs. */
export function examineAlerts(
  { alerts, lastObservedAt, looks }: DatabaseInspection<ReadAlerts>,
  { platforms, now, looks: bounds }: Omit<DatabaseExamination, "url">,
  running: boolean,
): Finding[] {
  if (alerts === undefined) return [];
  const findings: Finding[] = [];
  if (running && lastObservedAt !== undefined) {
    const ago = formatDuration(Math.max(0, now - lastObservedAt));
    findings.push(
      now - lastObservedAt > STUCK_AFTER
        ? fault(
            "watching",
            `the running Bellwether has kept no look for ${ago}`,
            "See /readyz and its log, then restart it.",
          )
        : ok("watching", `the last look was kept ${ago} ago`),
    );
  }
  if (looks !== undefined && bounds !== undefined) findings.push(examineLooks(looks, bounds, now));
  findings.push(...examineRows(alerts.read));
  for (const { platform, workspace, since, why, retired, destination } of alerts.read.suspensions) {
    if (destination !== undefined && retired !== undefined) continue;
    const lasted = formatDuration(Math.max(0, now - since));
    if (destination !== undefined) {
      const what = `${destination.channel} on ${platforms.nameOf(platform)} could not be reached for ${lasted} (${why})`;
      findings.push(warning("lost channel", what, "Let the bot into it; what waits there is then sent by itself."));
      continue;
    }
    const ended = retired === undefined ? "" : `; ${retired.subscriptions} subscriptions ended with it`;
    const where = workspace === undefined ? "" : ` of the workspace ${workspace}`;
    const what = `${platforms.nameOf(platform)} has refused the bot's token${where} for ${lasted} (${why})${ended}`;
    const remedy = `To mend it, ${plainText(tokenRemedy({ platform, workspace }, platforms))} What waits there is then sent, what ended comes back.`;
    findings.push(warning("refused token", what, remedy));
  }
  for (const { platform, count } of alerts.dead) {
    const what = `${count} given up on ${platform} within the last day`;
    findings.push(warning("given up", what, "The command alerts log says which and why."));
  }
  const count = (state: string): number => alerts.subscriptions.find((one) => one.state === state)?.count ?? 0;
  if (count("retired") > 0) {
    const what = `${count("retired")} ended because their channel is gone or the bot's token was refused`;
    const remedy =
      "The command alerts status says which. Invite the bot there again and subscribe anew, or leave it so.";
    findings.push(warning("subscriptions", what, remedy));
  } else {
    findings.push(ok("subscriptions", `${count("active")} active, ${count("paused")} paused`));
  }
  for (const { platform, owed, oldest } of alerts.waiting) {
    const waited = now - oldest;
    const what = `${owed} wait on ${platform}, the oldest for ${formatDuration(Math.max(0, waited))}`;
    if (waited <= STUCK_AFTER) findings.push(ok("deliveries", what));
    else if (running)
      findings.push(warning("deliveries", what, `See whether ${platform} answers; alerts log says what it said.`));
    else findings.push(warning("deliveries", what, "Start the bot: nothing is delivered while it is stopped."));
  }
  if (alerts.waiting.length === 0) findings.push(ok("deliveries", "none waits"));
  return findings;
}
