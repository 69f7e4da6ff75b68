import type { APIApplicationCommand } from "discord-api-types/v10";
import { z } from "zod";

import type { Milliseconds } from "../../units/time.ts";
import {
  examineClock,
  fault,
  type Finding,
  ok,
  unanswered as unansweredBy,
  warning,
  answerTo,
  type PlatformAnswer,
} from "../finding.ts";
import type { ExaminationContext } from "../chat/chat.ts";
import { webhookUrl } from "../webhook.ts";
import { redactAnswers } from "../../units/redact.ts";
import type { DiscordAdapterOptions } from "./index.ts";
import { API_URL } from "./platform.ts";
import { compareCommands, hasChanges, registrationOf } from "./registration.ts";
import { INTERACTIONS_PATH } from "./transport/signature.ts";

type ApplicationOptions = Pick<
  DiscordAdapterOptions,
  "token" | "applicationId" | "guildId" | "publicKey" | "publicUrl" | "apiUrl"
>;

export interface DiscordExaminationOptions
  extends ApplicationOptions, Pick<ExaminationContext, "commands" | "networks" | "now" | "signal"> {
  /** Channels that must be reachable, and the setting that names each. */
  readonly channels?: ExaminationContext["channels"];
}

const PORTAL_URL = "https://discord.com/developers/applications";
/** View Channels, Send Messages, Embed Links, Attach Files, Read Message History, Create Public Threads, Send Messages in Threads: https://docs.discord.com/developers/topics/permissions. */
const PERMISSIONS = "309237763072";
/** Discord allows 1000 a day; below this a few crashes lock the bot out until the reset. */
const LOW_SESSION_STARTS = 20;
/** Beyond this, expiry times and reminders are visibly wrong. */
const MAX_CLOCK_SKEW_MILLIS: Milliseconds = 5000;

const User = z.object({ id: z.string(), username: z.string() });
const Application = z.object({
  id: z.string(),
  verify_key: z.string().optional(),
  interactions_endpoint_url: z
    .string()
    .nullish()
    .transform((url) => url ?? ""),
  integration_types_config: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((types) => types ?? undefined),
  approximate_guild_count: z.int().nullish(),
});
type Application = z.infer<typeof Application>;
const Gateway = z.object({
  shards: z.int(),
  session_start_limit: z.object({ total: z.int(), remaining: z.int(), reset_after: z.number() }),
});

/**
 * Checks the token, the application, how interactions come, the commands, the server and the channels; changes nothing.
 * Never rejects; skips the remaining checks when the signal aborts.
 */
export async function examineDiscord(options: DiscordExaminationOptions): Promise<Finding[]> {
  const me = await ask(options, "/users/@me");
  if (me.status === 401) {
    const remedy = `On the page Bot of your application (${PORTAL_URL}) press Reset Token, and set DISCORD_TOKEN to the new one.`;
    return [fault("Discord token", "Discord refuses it", remedy)];
  }
  const user = User.safeParse(me.body).data;
  if (user === undefined) return [unanswered("Discord token", me)];
  const overHttp = options.publicKey !== undefined;
  const [application, gateway, guild, channels] = await Promise.all([
    ask(options, "/applications/@me"),
    overHttp ? [] : examineGateway(options),
    examineGuild(options),
    Promise.all((options.channels ?? []).map((channel) => examineChannel(options, channel))),
  ]);
  const known = Application.safeParse(application.body).data;
  return [
    ok("Discord token", `the bot is ${user.username}`),
    ...(known === undefined
      ? [unanswered("Discord application", application)]
      : [...examineApplication(options, known), ...examinePortal(options, known)]),
    ...gateway,
    ...guild,
    ...(known === undefined ? [] : [await examineCommands(options, known.id)]),
    ...channels,
    ...examineClock("Discord", me.headers, { now: options.now, within: MAX_CLOCK_SKEW_MILLIS }),
  ];
}

function examineApplication(
  { applicationId, publicKey, guildId }: DiscordExaminationOptions,
  it: Application,
): Finding[] {
  const check = "Discord application";
  const findings: Finding[] = [];
  if (applicationId !== undefined && applicationId !== it.id) {
    const remedy = `Set it to ${it.id}, or leave it unset.`;
    findings.push(fault(check, "DISCORD_APPLICATION_ID is another application than the token's", remedy));
  }
  if (publicKey !== undefined && it.verify_key !== undefined && publicKey.toLowerCase() !== it.verify_key) {
    const remedy = "Copy the Public Key from its page General Information.";
    findings.push(fault(check, "DISCORD_PUBLIC_KEY is not the key of this application", remedy));
  }
  if (findings.length === 0) findings.push(ok(check, `${it.id}; it needs no privileged intents`));
  const types = it.integration_types_config;
  // 0 = to servers, 1 = to people: https://docs.discord.com/developers/resources/application#application-object-application-integration-types
  const missing = [
    ...(types?.["0"] === undefined ? ["Guild Install"] : []),
    ...(types?.["1"] === undefined ? ["User Install"] : []),
  ];
  const link = `https://discord.com/oauth2/authorize?client_id=${it.id}&scope=bot+applications.commands&permissions=${PERMISSIONS}`;
  if (types !== undefined && missing.length > 0) {
    const remedy = `On its page Installation tick ${missing.join(" and ")}.`;
    findings.push(warning("Discord installation", `${missing.join(" and ")} is not allowed`, remedy));
  } else if (it.approximate_guild_count === 0 && guildId === undefined) {
    findings.push(warning("Discord installation", "it is in no server yet", `Add it to one: ${link}`));
  } else {
    findings.push(ok("Discord installation", `to add it to a server: ${link}`));
  }
  return findings;
}

/** Compares the endpoint that the Developer Portal has for interactions with this bot's. */
function examinePortal({ publicKey, publicUrl }: DiscordExaminationOptions, it: Application): Finding[] {
  const check = "Discord interactions";
  const entered = it.interactions_endpoint_url;
  if (publicKey === undefined) {
    if (entered === "") return [ok(check, "they come over the gateway")];
    const what = "Discord sends commands to an Interactions Endpoint URL and not to this bot";
    const remedy =
      "Clear that field on its page General Information: the bot uses the gateway. Or set DISCORD_PUBLIC_KEY to take them over HTTP.";
    return [fault(check, what, remedy)];
  }
  if (publicUrl === undefined) return [];
  const url = webhookUrl(INTERACTIONS_PATH, publicUrl);
  if (entered === url) return [ok(check, `they come over HTTP, at ${url}; the gateway is not opened`)];
  const what =
    entered === ""
      ? "the application has no Interactions Endpoint URL, so no command arrives (DISCORD_PUBLIC_KEY closes the gateway)"
      : "the application's Interactions Endpoint URL is another one";
  return [fault(check, what, `With the bot running, enter ${url} on its page General Information.`)];
}

async function examineGateway(options: DiscordExaminationOptions): Promise<Finding[]> {
  const check = "Discord gateway";
  const answer = await ask(options, "/gateway/bot");
  const gateway = Gateway.safeParse(answer.body).data;
  if (gateway === undefined) return [unanswered(check, answer)];
  const { total, remaining, reset_after: resetMillis } = gateway.session_start_limit;
  const left = `${remaining} of ${total} session starts left`;
  if (remaining > LOW_SESSION_STARTS) return [ok(check, left)];
  const hours = Math.ceil(resetMillis / 3_600_000);
  return [warning(check, left, `Do not restart the bot for the next ${hours} h: each start uses one up.`)];
}

async function examineGuild(options: DiscordExaminationOptions): Promise<Finding[]> {
  if (options.guildId === undefined) return [];
  const check = "Discord server";
  const answer = await ask(options, `/guilds/${options.guildId}`);
  if (answer.status === 403 || answer.status === 404) {
    const remedy =
      "Add the bot to that server, or correct DISCORD_GUILD_ID (right-click on the server, Copy Server ID).";
    return [fault(check, "the bot is not in the server that DISCORD_GUILD_ID names", remedy)];
  }
  if (answer.status !== 200) return [unanswered(check, answer)];
  return [ok(check, "the bot is in the server that DISCORD_GUILD_ID names; its commands are registered there alone")];
}

async function examineCommands(options: DiscordExaminationOptions, applicationId: string): Promise<Finding> {
  const check = "Discord commands";
  const { guildId, commands, networks } = options;
  const scope = guildId === undefined ? "global" : "guild";
  const answer = await ask(
    options,
    `/applications/${applicationId}${guildId === undefined ? "" : `/guilds/${guildId}`}/commands`,
  );
  if (answer.status === 403) {
    const remedy = "Add the bot to that server with the scope applications.commands.";
    return fault(check, "Discord lets it register no commands in the server that DISCORD_GUILD_ID names", remedy);
  }
  if (answer.status !== 200 || !Array.isArray(answer.body)) return unanswered(check, answer);
  const changes = compareCommands(answer.body as APIApplicationCommand[], registrationOf(commands, networks, scope));
  if (!hasChanges(changes)) return ok(check, `${answer.body.length} are registered and current`);
  const said = [
    ["not registered", changes.added],
    ["out of date", changes.changed],
    ["no longer ours", changes.removed],
  ] as const;
  const what = said.flatMap(([words, names]) => (names.length === 0 ? [] : [`${words}: ${names.join(", ")}`]));
  return warning(check, what.join("; "), "Run npm run discord:register, or start the bot, which does the same.");
}

async function examineChannel(
  options: DiscordExaminationOptions,
  { id, setting }: { id: string; setting: string },
): Promise<Finding> {
  const check = setting;
  const answer = await ask(options, `/channels/${id}`);
  if (answer.status === 404) {
    return fault(
      check,
      "Discord knows no such channel",
      `Correct ${setting} (right-click on the channel, Copy Channel ID).`,
    );
  }
  if (answer.status === 403) {
    const remedy = "Give the bot View Channel and Send Messages there.";
    return fault(check, "the bot may not see that channel on Discord", remedy);
  }
  return answer.status === 200 ? ok(check, "Discord lets the bot see that channel") : unanswered(check, answer);
}

function ask({ apiUrl = API_URL, token, signal }: DiscordExaminationOptions, path: string): Promise<PlatformAnswer> {
  const headers = { Authorization: `Bot ${token}`, "User-Agent": "DiscordBot (Bellwether, doctor)" };
  return answerTo(
    redactAnswers(fetch)(`${apiUrl.replace(/\/+$/u, "")}/v10${path}`, { headers, redirect: "error", signal }),
  );
}

function unanswered(check: string, { status }: PlatformAnswer): Finding {
  return unansweredBy("Discord", "https://discordstatus.com", check, status);
}
