import { createRequire } from "node:module";

import { withCommonOptions } from "../../bot/command.ts";
import { endpoint, idleKey, needsServer, secret, text, tokenForm } from "../../config/settings.ts";
import type { ConfiguredPlatform, PlatformRecord } from "../chat/chat.ts";
import type { PlatformSettings } from "../../config/settings.ts";
import { webhookUrl } from "../webhook.ts";
import { API_URL, discordPlatform as platform, PAGE } from "./platform.ts";
import type * as PreviewModule from "./preview.ts";
import { INTERACTIONS_PATH } from "./transport/signature.ts";

const require = createRequire(import.meta.url);

const snowflake = text.refine((value) => /^\d{15,21}$/u.test(value), "must be an id of Discord's: 15 to 21 digits");

const variables = {
  DISCORD_TOKEN: secret.optional(),
  DISCORD_APPLICATION_ID: snowflake.optional(),
  DISCORD_GUILD_ID: snowflake.optional(),
  DISCORD_PUBLIC_KEY: text
    .refine((value) => /^[\da-f]{64}$/iu.test(value), "must be 64 hexadecimal digits, as the Developer Portal shows it")
    .optional(),
  DISCORD_API_URL: endpoint.optional(),
};

const settings: PlatformSettings<ConfiguredPlatform, typeof variables> = {
  platform,
  variables,
  secrets: ["DISCORD_TOKEN"],
  tokens: ["DISCORD_TOKEN"],
  isSetUp: ({ has }) => has("DISCORD_TOKEN"),
  person: { pattern: /^\d{15,21}$/u, forms: ["112233445566778899"] },
  channel: { pattern: /^\d{15,21}$/u, forms: ["…"] },
  rules: [
    needsServer(({ has }) => has("DISCORD_TOKEN") && has("DISCORD_PUBLIC_KEY"), {
      why: "DISCORD_PUBLIC_KEY is set",
      sends: "Discord sends interactions",
      instead: "unset DISCORD_PUBLIC_KEY to use the gateway",
    }),
    idleKey("DISCORD_PUBLIC_KEY", "DISCORD_TOKEN"),
    tokenForm(
      "DISCORD_TOKEN",
      /^[\w-]{18,}\.[\w-]{4,}\.[\w-]{20,}$/u,
      "a bot's token: three parts with dots between them",
    ),
  ],
  read(values, managers) {
    const {
      DISCORD_TOKEN: token,
      DISCORD_APPLICATION_ID: applicationId,
      DISCORD_GUILD_ID: guildId,
      DISCORD_PUBLIC_KEY: publicKey,
      DISCORD_API_URL: apiUrl,
      PUBLIC_URL: publicUrl,
    } = values;
    const application = { applicationId, guildId, publicKey, publicUrl, apiUrl };
    const overHttp = publicKey !== undefined && publicUrl !== undefined;
    return {
      platform,
      page: PAGE,
      preview: (commands) => (require("./preview.ts") as typeof PreviewModule).createDiscordPreview(commands),
      subcommands: {
        "discord-register": {
          about: "registers the commands with Discord; with --dry-run, shows what would change",
          async run(args, { commands, platforms, networks, print }) {
            const { discordRegister } = await import("./register-commands.ts");
            const optioned = commands.map((one) => withCommonOptions(one, platforms));
            return discordRegister(args, { token, ...application, commands: optioned, networks, print });
          },
        },
      },
      service:
        token === undefined
          ? undefined
          : {
              url: apiUrl ?? API_URL,
              endpoints: overHttp ? [{ name: "Discord endpoint", url: webhookUrl(INTERACTIONS_PATH, publicUrl) }] : [],
              async examine({ commands, platforms, ...context }) {
                const { examineDiscord } = await import("./doctor.ts");
                const optioned = commands.map((one) => withCommonOptions(one, platforms));
                return examineDiscord({ ...context, token, ...application, commands: optioned });
              },
              async open({ log, openAnswers, payloads, shared, isFirst, legacy }) {
                const { createDiscordAdapter } = await import("./index.ts");
                const own = { log, openAnswers, payloads, shared, isFirst, legacy, managers };
                return { adapter: createDiscordAdapter({ token, ...application, ...own }) };
              },
            },
    };
  },
};

/** Discord, without its libraries. */
export const discordRecord: PlatformRecord = { ...settings, platform };
