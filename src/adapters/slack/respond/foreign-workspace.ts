import type { Reply } from "../../../reply/reply.ts";
import { link, strong, text } from "../../../reply/text.ts";
import { CALLERS, notice } from "../../chat/notices.ts";
import { NO_UNFURL } from "../render/compose.ts";
import { renderSlack } from "../render/render.ts";
import type { SharedContext } from "../served-installations.ts";
import { logFailure } from "../transport/api-error.ts";
import type { Installations, Origin } from "../transport/installations.ts";
import { ResponseUrl } from "../transport/response-url.ts";

/** A team, as payloads name it. */
interface PayloadTeam {
  readonly id?: unknown;
  readonly team_id?: unknown;
  readonly enterprise_id?: unknown;
}

/** The members of a command, a press or an event that say where it comes from. */
export interface PayloadOrigin extends PayloadTeam {
  readonly command?: unknown;
  /** A word in commands. */
  readonly is_enterprise_install?: unknown;
  /** Of an event: the installations that may see it. */
  readonly authorizations?: unknown;
  /** Of a press: the workspace of the person, who may come from elsewhere. */
  readonly team?: PayloadTeam | null;
  readonly user?: PayloadTeam;
  readonly enterprise?: PayloadTeam | null;
  readonly type?: unknown;
  /** A press is on a message of the app's own, which names the bot's workspace; a shortcut may be on anybody's. */
  readonly message?: { readonly team?: unknown };
  readonly view?: { readonly app_installed_team_id?: unknown };
  readonly response_url?: unknown;
}

const ANYWHERE: Origin = { team: undefined, enterprise: undefined };

/**
 * Where a request may come from, the likeliest first. A command and an event name their installation. A press names the
 * person's workspace, and may name none of the bot's: then it is of the workspace of the only token. Among many, a
 * workspace that has none must not be served with another's.
 */
export function originsOf(payload: PayloadOrigin, { many }: Pick<Installations, "many">): readonly Origin[] {
  const named = namedOrigins(payload);
  return many ? named.filter(({ team, enterprise }) => team !== undefined || enterprise !== undefined) : named;
}

function namedOrigins(payload: PayloadOrigin): readonly Origin[] {
  const installation = installationOf(payload);
  if (installation !== payload || payload.command !== undefined) return [originOf(installation)];
  const { team, user, enterprise, message, view } = payload;
  const person = textOf(team?.id) ?? textOf(user?.team_id) ?? textOf(payload.team_id);
  const organisation = textOf(enterprise?.id) ?? textOf(team?.enterprise_id) ?? textOf(payload.enterprise_id);
  const posted = payload.type === "block_actions" ? textOf(message?.team) : undefined;
  const own = [textOf(view?.app_installed_team_id), posted].filter((id) => id !== undefined);
  return [
    ...own.map((id) => ({ team: id, enterprise: id === person ? organisation : undefined })),
    { team: person, enterprise: organisation },
    ANYWHERE,
  ];
}

/** The installation that an event names, else the payload itself. */
function installationOf(payload: PayloadOrigin): PayloadOrigin {
  const [installation] = Array.isArray(payload.authorizations) ? (payload.authorizations as PayloadOrigin[]) : [];
  return installation ?? payload;
}

function originOf({ team_id: team, enterprise_id: enterprise }: PayloadTeam): Origin {
  return { team: textOf(team), enterprise: textOf(enterprise) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a request is of an installation for a whole organisation. */
export function isOrgWide(payload: PayloadOrigin): boolean {
  return String(installationOf(payload).is_enterprise_install) === "true";
}

/** What to say to a request from a place where the app is not installed, or that the only bot token does not serve. */
export async function foreignNotice(payload: PayloadOrigin, installations: Installations): Promise<Reply> {
  const { many, installUrl } = installations;
  if (many) {
    return notice(
      text`This bot is not installed here`,
      installUrl === undefined
        ? text`Its app was removed from this workspace, or never added to it. Ask whoever runs the bot how to add it.`
        : text`Its app was removed from this workspace, or never added to it. ${link("Add it", installUrl)}, then ask again.`,
      CALLERS,
    );
  }
  if (isOrgWide(payload)) {
    return notice(
      text`This bot cannot serve a whole organisation`,
      text`Its app is installed for all workspaces at once. Ask its operator to install it in one workspace.`,
      CALLERS,
    );
  }
  const only = await installations.find(ANYWHERE);
  const served = strong(only?.name ?? only?.id ?? "");
  const [origin] = originsOf(payload, installations);
  return notice(
    text`This bot does not serve this workspace`,
    origin?.enterprise !== undefined && origin.enterprise === only?.enterprise
      ? text`It serves one workspace of your organisation, ${served}: ask there.`
      : text`It serves one workspace, ${served}. For this one its operator starts another bot, with the tokens of an app of its own.`,
    CALLERS,
  );
}

/** Says so at the request's response_url, the only way without a token of that workspace. Never rejects. */
export async function answerForeignWorkspace(
  slack: SharedContext,
  payload: PayloadOrigin,
  installations: Installations,
): Promise<void> {
  const { response_url: url } = payload;
  slack.log.warn({ platform: "slack" }, "workspace not served");
  if (typeof url !== "string" || url === "") return;
  await logFailure(slack, "notice", async () => {
    const said = await foreignNotice(payload, installations);
    const { text: words, blocks } = renderSlack(said, { command: slack.command });
    const answer = { text: words, blocks, ...NO_UNFURL, response_type: "ephemeral", replace_original: false };
    await new ResponseUrl({ url, since: slack.now(), used: 0 }, slack).post(answer);
  });
}
