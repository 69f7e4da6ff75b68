import { paragraph } from "../../../reply/block.ts";
import { reply, type Reply } from "../../../reply/reply.ts";
import { strong, text } from "../../../reply/text.ts";
import type { SlackContext } from "../context.ts";
import { NO_UNFURL } from "../render/compose.ts";
import { renderSlack } from "../render/render.ts";
import { logFailure } from "../transport/api-error.ts";
import type { Identity } from "../transport/identity.ts";
import { ResponseUrl } from "../transport/response-url.ts";

/** The members of a command, a press or an event that say where it comes from. */
export interface PayloadOrigin {
  /** Of a command. What presses and events name is the workspace of the person, who may come from elsewhere. */
  readonly command?: unknown;
  readonly team_id?: unknown;
  readonly enterprise_id?: unknown;
  /** A word in commands. */
  readonly is_enterprise_install?: unknown;
  /** Of an event: the installations that may see it. */
  readonly authorizations?: unknown;
  readonly response_url?: unknown;
}

/**
 * What to say to a request from an installation that the bot's token does not belong to: a token serves one workspace,
 * though an app may be installed in several. Undefined for any other request, and while the workspace is not known.
 */
export function foreignNotice(origin: PayloadOrigin, { team }: Pick<Identity, "team">): Reply | undefined {
  const [installation] = Array.isArray(origin.authorizations) ? (origin.authorizations as PayloadOrigin[]) : [];
  const { team_id: id, enterprise_id: enterprise, is_enterprise_install: orgWide } = installation ?? origin;
  if (String(orgWide) === "true") {
    return notice(
      text`This bot cannot serve a whole organisation`,
      text`Its app is installed for all workspaces at once. Ask its operator to install it in one workspace.`,
    );
  }
  const named = installation !== undefined || origin.command !== undefined;
  if (!named || team === undefined || typeof id !== "string" || id === team.id) return undefined;
  const served = strong(team.name ?? team.id);
  return notice(
    text`This bot does not serve this workspace`,
    enterprise !== undefined && enterprise === team.enterprise
      ? text`It serves one workspace of your organisation, ${served}: ask there.`
      : text`It serves one workspace, ${served}. For this one its operator starts another bot, with the tokens of an app of its own.`,
  );
}

function notice(title: Reply["title"], words: Reply["title"]): Reply {
  return reply({ tone: "warning", title, blocks: [paragraph(words)], failure: "caller" });
}

/** Says so at the request's response_url, the only way without a token of that workspace. Never rejects. */
export async function sayForeign(
  slack: SlackContext,
  said: Reply,
  { response_url: url }: PayloadOrigin,
): Promise<void> {
  slack.log.warn({ platform: "slack" }, "workspace not served");
  if (typeof url !== "string" || url === "") return;
  await logFailure(slack, "notice", async () => {
    const { text: words, blocks } = renderSlack(said, { command: slack.command });
    const answer = { text: words, blocks, ...NO_UNFURL, response_type: "ephemeral", replace_original: false };
    await new ResponseUrl({ url, since: slack.now(), used: 0 }, slack).post(answer);
  });
}
