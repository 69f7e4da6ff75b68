import { describe, expect, test } from "vitest";

import { commands } from "../../../../commands/index.ts";
import { isRequired } from "../../../../src/bot/grammar/usage.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { text } from "../../../../src/reply/text.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { labelsOf } from "../../../support/fake-slack/person.ts";
import { failing, mistaken, probe, titled, waiting } from "../probe-commands.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

describe("a slash command", () => {
  test("each of them is answered, to the asker alone", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const [asking, plain] = [true, false].map((needs) =>
      commands.filter(
        ({ lacks, options }) => (lacks?.({}) === true || Object.values(options).some(isRequired)) === needs,
      ),
    );
    for (const { name, title, verb } of asking ?? []) {
      ann.type(scene.channel, name);
      const form = await ann.form();
      expect(form.title?.text).toBe(title ?? verb);
      scene.fake.state.views.clear();
    }
    for (const { name } of plain ?? []) {
      const dialog = await ann.run(scene.channel, name);
      expect(dialog.messages.map(({ onlyFor }) => onlyFor)).toEqual([ann.id]);
    }
    // Every form and answer, as its own example asks for it.
    const answered = await ann.run(scene.channel, "market list network:testnet");
    expect(said(answered.last)).toContain("testnet");
  });

  test("bare and help always answer; a typing error is met with what was meant", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    expect(said((await ann.run(scene.channel, "")).last)).toContain("market list");
    expect(said((await ann.run(scene.channel, "help market show")).last)).toContain("market show");
    const slip = await ann.run(scene.channel, "markt list");
    expect(said(slip.last)).toContain("market list");
    expect(slip.last.onlyFor).toBe(ann.id);
    // Whatever name the manifest gives the command.
    const other = ann.type(scene.channel, "time", "/vega");
    await other.answered();
    expect(said(other.last)).toContain("time");
  });

  test("what Slack makes of names and addresses is undone before it is read", async () => {
    const heard: unknown[] = [];
    const listen = probe("probe echo", ({ options }) => {
      heard.push(options["note"]);
      return Promise.resolve(titled("heard"));
    });
    await using scene = await stage({ extra: [listen] });
    const ann = scene.fake.person("ann");
    await ann.run(scene.channel, "probe echo <http://USDC.e|USDC.e>");
    await ann.run(scene.channel, "probe echo “<@U1|bob> &amp; &lt;b&gt; <#C1|general>”");
    expect(heard).toEqual(["USDC.e", "@bob & <b> #general"]);
  });

  test("private:no answers for all, without the app in the channel", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const channel = scene.fake.channel({ member: false });
    const dialog = await ann.run(channel, "time private:no");
    expect(dialog.last.onlyFor).toBeUndefined();
    expect(labelsOf(dialog.last.blocks)).not.toContain("Share");
  });

  test("in the app's direct messages there is nobody to share with", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const dialog = await ann.run(scene.fake.state.direct(ann.id).id, "market list");
    expect(labelsOf(dialog.last.blocks)).toContain("Refresh");
    expect(labelsOf(dialog.last.blocks)).not.toContain("Share");
  });

  test("errors go to the asker alone, bugs under an id", async () => {
    await using scene = await stage({ extra: [failing, mistaken] });
    const ann = scene.fake.person("ann");
    const bug = await ann.run(scene.channel, "probe fail private:no");
    expect(bug.last.onlyFor).toBe(ann.id);
    expect(said(bug.last)).toMatch(/`[0-9a-f]{8}`/u);
    expect(said(bug.last)).not.toContain("secret words");
    const mistake = await ann.run(scene.channel, "probe mistake private:no");
    expect(mistake.last.onlyFor).toBe(ann.id);
    expect(labelsOf(mistake.last.blocks)).toContain("Fill in");
  });

  test("text from the data neither pings nor forges", async () => {
    const hostile = probe("probe hostile", () =>
      Promise.resolve(reply({ title: text`${"<!channel> <@U123> <http://evil|good>"}`, footer: "<!here>" })),
    );
    await using scene = await stage({ extra: [hostile] });
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe hostile");
    expect(JSON.stringify([last.text, last.blocks])).not.toMatch(/<[!@#h]/u);
  });
});

describe("long work", () => {
  test("shows progress three times at most, in one message, and ends in it", async () => {
    const job = waiting("probe wait");
    await using scene = await stage({ extra: [job.command], timing: { progressAtMillis: [5, 10, 15, 20, 25] } });
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    for (const count of [1, 2, 3, 4, 5]) {
      await until(() => dialog.uses >= Math.min(count, 3), `progress ${count}`);
      job.progress(titled(`step ${count}`));
    }
    expect(dialog.uses).toBe(3);
    job.finish(titled("all done"));
    await until(() => dialog.uses === 4, "the answer");
    expect(dialog.messages).toHaveLength(1);
    expect(said(dialog.last)).toContain("all done");
  });

  test("for all to see: its progress goes, the answer stays", async () => {
    const job = waiting("probe wait");
    await using scene = await stage({ extra: [job.command], timing: { progressAtMillis: [5, 10, 15] } });
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait private:no");
    for (const count of [1, 2, 3]) {
      await until(() => dialog.uses >= count, `progress ${count}`);
      job.progress(titled(`step ${count}`));
    }
    job.finish(titled("all done"));
    await until(() => dialog.uses === 5, "the answer");
    expect(dialog.messages.map(({ onlyFor }) => onlyFor)).toEqual([undefined]);
  });

  test("past half an hour it ends by direct message", async () => {
    const job = waiting("probe wait");
    await using scene = await stage({ extra: [job.command] });
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.envelope.acknowledgedAfter !== undefined, "the acknowledgement");
    scene.fake.state.advanceMillis = 31 * 60_000;
    job.finish(titled("late but there"));
    await until(() => ann.directMessages().length > 0, "the direct message");
    expect(said(ann.directMessages()[0]!)).toContain("late but there");
    expect(said(ann.directMessages()[0]!)).toContain("/bell probe wait");
    expect(dialog.uses).toBe(0);
  });

  test("an address that Slack has closed early ends by direct message, too", async () => {
    const job = waiting("probe wait");
    await using scene = await stage({ extra: [job.command] });
    scene.fake.expected.add("used_url");
    const ann = scene.fake.person("ann");
    const dialog = ann.type(scene.channel, "probe wait");
    await until(() => dialog.envelope.acknowledgedAfter !== undefined, "the acknowledgement");
    for (const entry of scene.fake.state.responses.values()) entry.used = 5;
    job.finish(titled("found a way"));
    await until(() => ann.directMessages().length > 0, "the direct message");
    expect(said(ann.directMessages()[0]!)).toContain("found a way");
  });
});

describe("a mention", () => {
  test("is answered for all in its thread, or in that of the mention itself; what is personal to the asker alone", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const answerTo = async (line: string, thread?: string) => {
      const before = ann.sees(scene.channel).length;
      ann.mention(scene.channel, line, thread);
      await until(() => ann.sees(scene.channel).length === before + 2, "the answer");
      const [asked, answer] = ann.sees(scene.channel).slice(before);
      return { asked: asked!.ts, answer: answer! };
    };
    const inThread = await answerTo("market list", "1.000001");
    expect(inThread.answer).toMatchObject({ thread: "1.000001", onlyFor: undefined });
    expect(said(inThread.answer)).toContain("markets");
    for (const line of ["is the network healthy", "time", "what happened last night", "subscribe this channel"]) {
      const { asked, answer } = await answerTo(line);
      expect([line, answer.thread, answer.onlyFor]).toEqual([line, asked, undefined]);
      expect(JSON.stringify(answer.blocks).length).toBeLessThan(6000);
    }
    const asksFor = async (line: string, words: string): Promise<void> => {
      const { answer } = await answerTo(line);
      expect([line, answer.thread, answer.onlyFor]).toEqual([line, undefined, ann.id]);
      expect(said(answer)).toContain(words);
    };
    await asksFor("why was my order rejected", "Which order?");
    await asksFor("export last week and check it", "Whose ledger?");
    await asksFor("market list private:yes", "markets");
    await asksFor("stake", "stake");
  });

  test("shares in its thread what was answered to the asker alone", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.mention(scene.channel, "market list private:yes", "1.000001");
    await until(() => ann.sees(scene.channel).length === 2, "the answer");
    const answer = ann.sees(scene.channel)[1]!;
    expect(answer).toMatchObject({ thread: "1.000001", onlyFor: ann.id });
    const shared = await ann.press(answer, "Share");
    expect(shared.last).toMatchObject({ thread: "1.000001", onlyFor: undefined });
    expect(said(shared.last)).toContain(`Shared by`);
  });

  test("says what is wrong, offers the form, and answers its form in the thread", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.mention(scene.channel, "my party", "1.000001");
    await until(() => ann.sees(scene.channel).length === 2, "the answer");
    const answer = ann.sees(scene.channel)[1]!;
    expect(said(answer)).toContain("Which party is yours?");
    ann.startPress(answer, "Other values");
    const form = await ann.form();
    expect(await ann.submit(form, { id: "abcd" })).toEqual({ id: expect.stringContaining("abcd") as string });
    expect(await ann.submit(form, { id: scene.simulator.samples.mainnet.partyId })).toEqual({});
    await until(() => ann.sees(scene.channel).length === 3, "the answer to the form");
    expect(ann.sees(scene.channel)[2]).toMatchObject({ thread: "1.000001", onlyFor: ann.id });
  });

  test("nothing but a mention is help; for all with private:no; other apps are not answered", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    ann.mention(scene.channel, "");
    await until(() => ann.sees(scene.channel).length === 2, "help");
    expect(said(ann.sees(scene.channel)[1]!)).toContain("market list");
    ann.mention(scene.channel, "time private:no");
    await until(() => ann.sees(scene.channel).length === 4, "the time");
    expect(ann.sees(scene.channel)[3]!.onlyFor).toBeUndefined();
    const echo = scene.fake.sockets.send("other-app", "events_api", {
      type: "event_callback",
      team_id: scene.fake.state.team,
      event_id: "Ev-other-app",
      event: { type: "app_mention", user: "U0BOT", bot_id: "B0OTHER", text: "<@UBOT1> help", channel: scene.channel },
    });
    await until(() => echo.acknowledgedAfter !== undefined, "the acknowledgement");
    ann.mention(scene.channel, "help");
    await until(() => ann.sees(scene.channel).length === 6, "the answer behind it");
    expect(scene.fake.state.messages.filter(({ onlyFor }) => onlyFor === "U0BOT")).toEqual([]);
  });
});
