import { describe, expect, test } from "vitest";

import { reply } from "../../../../src/reply/reply.ts";
import { until } from "../../../support/fake-discord/until.ts";
import type { Fault } from "../../../support/fake-slack/fake-slack.ts";
import { countedFile, probe } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

// A limit of 0 seconds is refused and waited for all the same, and costs the test no time.

describe("when Slack fails at an answer", () => {
  test.each<[string, Fault["answer"]]>([
    ["500", { status: 500 }],
    ["a long 429", { status: 429, retryAfter: 600 }],
    ["a cut before", "cut-before"],
  ])("%s at the response_url: the answer comes by direct message", async (_name, answer) => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "respond", answer });
    ann.type(scene.channel, "time");
    await until(() => ann.directMessages().length === 1, "the direct message");
    expect(said(ann.directMessages()[0]!)).toContain("/bell time");
  });

  test("a limit at the response_url is waited for, and the answer comes where it was asked", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "respond", answer: { status: 429, retryAfter: 0 } });
    const dialog = ann.type(scene.channel, "time");
    await dialog.answered();
    expect(ann.directMessages()).toEqual([]);
  });

  test("a limit at a mention's answer is waited for, and the answer comes where it belongs", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "chat.postEphemeral", answer: { status: 429, retryAfter: 0 } });
    ann.mention(scene.channel, "time private:yes", "1.000001");
    await until(() => ann.sees(scene.channel).length === 2, "the answer");
    expect(ann.sees(scene.channel)[1]).toMatchObject({ thread: "1.000001", onlyFor: ann.id });
    expect(ann.directMessages()).toEqual([]);
  });

  test("a limit at the direct message is waited for: nobody goes without an answer", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "respond", answer: { status: 500 } });
    scene.fake.fail({ method: "conversations.open", answer: { status: 429, retryAfter: 0 } });
    scene.fake.fail({ method: "chat.postMessage", answer: { status: 429, retryAfter: 0 } });
    ann.type(scene.channel, "time");
    await until(() => ann.directMessages().length === 1, "the direct message");
  });

  test("a limit that asks for minutes is not sat out: the answer comes by direct message", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "chat.postEphemeral", answer: { status: 429, retryAfter: 600 } });
    ann.mention(scene.channel, "time private:yes", "1.000001");
    await until(() => ann.directMessages().length === 1, "the direct message");
    expect(said(ann.directMessages()[0]!)).toContain("/bell time");
  });

  test("a limit at an upload is waited for", async () => {
    const file = countedFile("ledger.csv", "a,b\n1,2\n");
    const asked = probe("probe file", () => Promise.resolve(reply({ title: "a file", attachments: [file.file] })));
    await using scene = await stage({ extra: [asked] });
    const ann = scene.fake.person("ann");
    scene.fake.fail({ method: "files.getUploadURLExternal", answer: { status: 429, retryAfter: 0 } });
    scene.fake.fail({ method: "files.completeUploadExternal", answer: { status: 429, retryAfter: 0 } });
    const dialog = await ann.run(scene.channel, "probe file");
    expect(said(dialog.last)).toContain("your direct messages");
    await until(() => file.disposed() === 1, "the file to be given up");
  });
});
