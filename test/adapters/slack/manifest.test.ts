import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { commands } from "../../../commands/index.ts";
import { manifestFile, SCOPES, slackManifest } from "../../../src/adapters/slack/manifest.ts";

test("the manifest in the repository is the one that the commands make", () => {
  const committed = readFileSync(new URL("../../../slack-manifest.json", import.meta.url), "utf8");
  expect(committed, "npm run -s slack:manifest > slack-manifest.json").toBe(manifestFile(commands));
});

test("each permission is there with its feature, and none that reads conversations", () => {
  const manifest = slackManifest(commands, "/vega");
  expect(manifest.oauth_config.scopes.bot).toEqual(Object.keys(SCOPES));
  expect(manifest.oauth_config.scopes.bot.filter((scope) => scope.includes("history"))).toEqual([]);
  for (const [scope, feature] of Object.entries(SCOPES)) {
    expect(manifest.display_information.long_description).toContain(`${scope}: ${feature}`);
  }
});

test("over HTTP it names one address for all that Slack posts, and switches Socket Mode off", () => {
  const url = "https://bell.example/slack/events";
  const { features, settings } = slackManifest(commands, "/bell", { endpoint: url });
  expect(features.slash_commands.map((one) => one.url)).toEqual([url]);
  expect(settings).toMatchObject({
    event_subscriptions: { request_url: url },
    interactivity: { is_enabled: true, request_url: url, message_menu_options_url: url },
    socket_mode_enabled: false,
  });
});

test("where any workspace may install it, it names the way back, rotates tokens and goes to organisations", () => {
  const redirectUrl = "https://bell.example/slack/oauth_redirect";
  const { oauth_config: config, settings } = slackManifest(commands, "/bell", { redirectUrl });
  expect(config.redirect_urls).toEqual([redirectUrl]);
  expect(settings).toMatchObject({ org_deploy_enabled: true, token_rotation_enabled: true, socket_mode_enabled: true });
  expect(settings.event_subscriptions.bot_events).toEqual(
    expect.arrayContaining(["app_uninstalled", "tokens_revoked"]),
  );
  const one = slackManifest(commands);
  expect(one.oauth_config).not.toHaveProperty("redirect_urls");
  expect(one.settings).toMatchObject({ org_deploy_enabled: false, token_rotation_enabled: false });
});

test("it keeps to what Slack takes: description, usage hint, lengths", () => {
  const { display_information: shown, features, settings } = slackManifest(commands, "/vega");
  const [command] = features.slash_commands;
  expect(command).toMatchObject({ command: "/vega", should_escape: true });
  expect(command?.description.length).toBeGreaterThan(0);
  expect(command?.usage_hint.length).toBeLessThanOrEqual(1000);
  expect(shown.long_description.length).toBeGreaterThanOrEqual(175);
  expect(shown.long_description.length).toBeLessThanOrEqual(4000);
  expect(shown.description.length).toBeLessThanOrEqual(140);
  // https://docs.slack.dev/reference/app-manifest#features
  for (const { name, description, callback_id: id } of features.shortcuts) {
    expect([name.length <= 24, description.length <= 150, id.length <= 255]).toEqual([true, true, true]);
  }
  expect(new Set(features.shortcuts.map(({ callback_id: id }) => id)).size).toBe(features.shortcuts.length);
  expect(settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
  const many = Array.from({ length: 90 }, () => commands).flat();
  expect(slackManifest(many).features.slash_commands[0]?.usage_hint.length).toBeLessThanOrEqual(1000);
  expect(slackManifest(many).display_information.long_description.length).toBeLessThanOrEqual(4000);
});
