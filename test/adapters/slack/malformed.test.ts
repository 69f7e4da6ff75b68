import { describe, expect, test } from "vitest";

import { reply } from "../../../src/reply/reply.ts";
import { until } from "../../support/fake-discord/until.ts";
import { titled, waiting } from "./probe-commands.ts";
import { said } from "./shown.ts";
import { stage, type Stage } from "./stage.ts";
import { VirtualWaits } from "./virtual-waits.ts";

/** It lives, hears and answers. */
async function stillWell(scene: Stage): Promise<void> {
  const eve = scene.fake.person("eve");
  expect(said((await eve.run(scene.channel, "help")).last)).toContain("market list");
  expect(scene.adapter.health).toEqual({ state: "up" });
}

describe("a message that Slack should not send", () => {
  test("harms nothing: no JSON, no envelope, no payload", async () => {
    await using scene = await stage();
    const { sockets } = scene.fake;
    const odd = [
      "",
      "no JSON",
      "null",
      "[]",
      "42",
      "{}",
      '{"type":"hello"}',
      '{"envelope_id":"e1"}',
      '{"envelope_id":"e2","type":"slash_commands"}',
      '{"envelope_id":"e3","type":"slash_commands","payload":null}',
      '{"envelope_id":"e4","type":"interactive","payload":{}}',
      '{"envelope_id":"e5","type":"interactive","payload":{"type":"block_actions"}}',
      '{"envelope_id":"e6","type":"events_api","payload":{"type":"event_callback"}}',
      '{"envelope_id":"e7","type":"events_api","payload":{"type":"event_callback","event":{"type":"app_mention"}}}',
      '{"envelope_id":"e8","type":"__proto__","payload":{"a":1}}',
      '{"envelope_id":7,"type":["slash_commands"],"payload":"x"}',
      JSON.stringify({ envelope_id: "e9", type: "slash_commands", payload: { text: "x".repeat(1_000_000) } }),
    ];
    for (const data of odd) sockets.raw(data);
    sockets.raw(Buffer.from([0xff, 0x00, 0xfe]));
    await stillWell(scene);
    expect(sockets.opened).toBe(2);
    sockets.raw('{"type":"disconnect"}');
    await until(() => sockets.opened === 4 && sockets.listening === 2, "new sockets");
    await until(() => scene.adapter.health.state === "up", "health");
    await stillWell(scene);
  });

  const person = { id: "U1", name: "ann", team_id: "T01" };
  const team = { id: "T01" };
  const press = { type: "block_actions", user: person, team, trigger_id: "t", response_url: "" };
  const button = { type: "button", action_id: "press:0", block_id: "b", action_ts: "1", text: { text: "x" } };
  const view = { type: "modal", callback_id: "form", private_metadata: "", state: { values: {} }, blocks: [] };
  const odd: readonly (readonly [string, object])[] = [
    ["a press without a value", { ...press, actions: [button] }],
    ["a press of nothing", { ...press, actions: [] }],
    ["a press nowhere", { ...press, actions: [{ ...button, value: '{"v":1,"press":{"kind":"form"}}' }] }],
    ["a press of what is no JSON", { ...press, container: {}, actions: [{ ...button, value: "{" }] }],
    [
      "a press of an unknown command",
      {
        ...press,
        container: { type: "message", is_ephemeral: true },
        actions: [
          {
            ...button,
            value: JSON.stringify({
              v: 1,
              press: { kind: "ask", ask: { command: "constructor", options: { __proto__: "x" } }, effect: "reply" },
            }),
          },
        ],
      },
    ],
    [
      "a later version's press",
      { ...press, container: {}, actions: [{ ...button, value: '{"v":2,"press":{"kind":"dance"}}' }] },
    ],
    [
      "another element",
      { ...press, container: {}, actions: [{ type: "static_select", action_id: "x", block_id: "b" }] },
    ],
    ["a form of nobody", { type: "view_submission", user: person, team, trigger_id: "t", view }],
    [
      "a form of another version",
      {
        type: "view_submission",
        user: person,
        team,
        trigger_id: "t",
        view: { ...view, private_metadata: '{"v":0}', blocks: [{ block_id: "option:x" }] },
      },
    ],
    [
      "a form of an unknown command",
      {
        type: "view_submission",
        user: person,
        team,
        trigger_id: "t",
        view: { ...view, private_metadata: '{"v":1,"command":"gone","shared":true}' },
      },
    ],
    [
      "another form",
      { type: "view_submission", user: person, team, trigger_id: "t", view: { ...view, callback_id: "x" } },
    ],
    ["a form that was closed", { type: "view_closed", user: person, team, view }],
    ["a suggestion for nothing", { type: "block_suggestion", user: person, team, action_id: "value", value: "x" }],
    [
      "a suggestion for a field that is gone",
      {
        type: "block_suggestion",
        user: person,
        team,
        action_id: "value",
        block_id: "option:gone",
        value: "x",
        view: { ...view, private_metadata: '{"v":1,"command":"order","shared":true}' },
      },
    ],
    ["a shortcut", { type: "message_action", callback_id: "x", user: person, team, trigger_id: "t" }],
  ];

  test("is acknowledged, and harms nothing", async () => {
    await using scene = await stage();
    for (const [name, payload] of odd) {
      const envelope = scene.fake.sockets.send(`envelope of ${name}`, "interactive", payload);
      await until(() => envelope.acknowledgedAfter !== undefined, `the acknowledgement of ${name}`);
    }
    await stillWell(scene);
  });
});

describe("whatever is pressed", () => {
  test("a page that somebody else took away is answered beside it", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    scene.fake.expected.add("message_not_found");
    const { last } = await ann.run(scene.channel, "time private:no");
    const press = ann.startPress(last, "Refresh");
    last.gone = true;
    await until(() => press.messages.length + ann.directMessages().length > 0, "an answer");
    expect([...press.messages, ...ann.directMessages()].some((message) => said(message).includes("etwork"))).toBe(true);
  });
});

describe("in the middle of a command", () => {
  test("Slack asks for new sockets, and cuts them: the answer comes, once", async () => {
    const job = waiting("probe wait");
    await using scene = await stage({ extra: [job.command] });
    const { fake } = scene;
    const ann = fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.envelope.acknowledgedAfter !== undefined, "the acknowledgement");
    fake.sockets.refresh();
    fake.sockets.refresh();
    fake.sockets.cut();
    // What was acknowledged may come again all the same.
    await until(() => fake.sockets.listening === 2, "new sockets");
    fake.sockets.deliver(dialog.envelope);
    job.finish(titled("done"));
    await dialog.answered();
    expect(dialog.messages).toHaveLength(1);
    expect(dialog.uses).toBe(1);
    await stillWell(scene);
  });

  test("the bot's token is revoked: commands are answered, mentions as soon as it counts again", async () => {
    const job = waiting("probe wait");
    const waits = new VirtualWaits();
    await using scene = await stage({ extra: [job.command], waits, timing: { progressAtMillis: [] } });
    const { adapter, fake } = scene;
    fake.expected.add("invalid_auth");
    const state = fake.state as { botToken: string };
    const token = state.botToken;
    const ann = fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    const mention = ann.mention(scene.channel, "probe wait private:yes", "1.000001");
    await until(
      () => [dialog.envelope, mention].every(({ acknowledgedAfter }) => acknowledgedAfter !== undefined),
      "the acknowledgements",
    );
    state.botToken = "xoxb-other";
    job.finish(reply({ title: "done" }));
    await dialog.answered();
    expect(said(dialog.last)).toContain("done");
    await until(() => adapter.health.state === "failed", "the report");
    await waits.pass(60_000);
    state.botToken = token;
    const inThread = () =>
      ann.sees(scene.channel).filter(({ thread, onlyFor }) => thread === "1.000001" && onlyFor === ann.id);
    await waits.passUntil(() => inThread().length + ann.directMessages().length > 0, "the answer to the mention");
    await until(() => adapter.health.state === "up", "healing");
  });
});
