import { expect, test } from "vitest";

import { originsOf, type PayloadOrigin } from "../../../../src/adapters/slack/respond/foreign-workspace.ts";

const MANY = { many: true };
const at = (team: string | undefined, enterprise?: string) => ({ team, enterprise });

test.each<[string, PayloadOrigin, ReturnType<typeof at>[]]>([
  ["a command", { command: "/bell", team_id: "T1", enterprise_id: "E1" }, [at("T1", "E1")]],
  [
    "an event, by the installation that may see it, not by its author",
    { team_id: "T9", authorizations: [{ team_id: "T1", enterprise_id: null }] },
    [at("T1")],
  ],
  ["an event of an organisation", { authorizations: [{ team_id: null, enterprise_id: "E1" }] }, [at(undefined, "E1")]],
  ["an event without installations", { team_id: "T1" }, [at("T1")]],
  ["a press", { type: "block_actions", team: { id: "T1" }, enterprise: null }, [at("T1")]],
  [
    "a press by somebody of another organisation, on the bot's message in a shared channel",
    { type: "block_actions", message: { team: "T1" }, team: { id: "T9" }, enterprise: { id: "E9" } },
    [at("T1"), at("T9", "E9")],
  ],
  [
    "a shortcut on somebody else's message, which says nothing of who asks",
    { type: "message_action", message: { team: "T9" }, team: { id: "T1" } },
    [at("T1")],
  ],
  [
    "a form that was opened in a shared channel",
    { type: "view_submission", view: { app_installed_team_id: "T1" }, team: { id: "T9" } },
    [at("T1"), at("T9")],
  ],
  [
    "a press where the app is installed for the organisation",
    { type: "block_actions", team: null, user: { team_id: "T5" }, enterprise: { id: "E1" } },
    [at("T5", "E1")],
  ],
  ["a press that names nothing", { type: "block_actions", team: null }, []],
])("%s comes from there", (_name, payload, origins) => {
  // What names nothing at all finds no installation among many.
  expect(originsOf(payload, MANY)).toEqual(origins);
  const withOne = originsOf(payload, { many: false });
  const isCertain = payload.command !== undefined || payload.authorizations !== undefined;
  expect(withOne.at(-1)).toEqual(isCertain ? origins[0] : at(undefined));
});
