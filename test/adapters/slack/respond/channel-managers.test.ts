import { describe, expect, test } from "vitest";

import type { SendError } from "../../../../src/alerts/sender.ts";
import { command } from "../../../../src/bot/command.ts";
import { until } from "../../../support/fake-discord/until.ts";
import type { Profile } from "../../../support/fake-slack/state.ts";
import { probe, titled } from "../probe-commands.ts";
import { delivery, signal } from "../sending.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

/** For those alone who manage the channel; and one of its family that is for everyone. */
const change = command({
  ...probe("probe change", () => Promise.resolve(titled("changed"))),
  access: "channel-manager",
});
const look = probe("probe look", ({ caller }) => Promise.resolve(titled(`may: ${caller.mayManageChannel}`)));
const extra = [change, look];
const CHANGED = /\bchanged\b/u;

const GRID = { enterprise_id: "E1", teams: ["T99"] };
// What the refusal says of them.
const GUEST = /guest/iu;
const NOT_MENTIONED = /or whom its alerts mention/u;
const NOT_FOUND = /No episode/u;
const ELSEWHERE = /another organisation/u;

describe("who may change a channel's alerts", () => {
  test.each<[string, Profile, RegExp]>([
    ["a full member", {}, CHANGED],
    ["a guest", { is_restricted: true }, GUEST],
    ["a guest of one channel", { is_restricted: true, is_ultra_restricted: true }, GUEST],
    ["an app", { is_bot: true }, /\bapps\b/iu],
    ["a workflow", { is_workflow_bot: true }, /\bworkflows\b/u],
    ["somebody of another organisation", { team_id: "T99" }, ELSEWHERE],
    ["a stranger", { is_stranger: true }, ELSEWHERE],
    ["somebody of the same enterprise", { team_id: "T99", enterprise_user: { teams: ["T98", "T01"] } }, CHANGED],
    ["somebody of a sister workspace on the same Grid", { team_id: "T99", enterprise_user: GRID }, CHANGED],
    ["a guest of a sister workspace", { team_id: "T99", is_restricted: true, enterprise_user: GRID }, GUEST],
    [
      "somebody of another Grid",
      { team_id: "T99", enterprise_user: { enterprise_id: "E2", teams: ["T99"] } },
      ELSEWHERE,
    ],
    ["somebody who has left", { deleted: true }, /\bdeactivated\b/u],
  ])("%s", async (name, profile, words) => {
    await using scene = await stage({ extra });
    scene.fake.state.enterprise = "E1";
    const asked = (): number => scene.fake.requests.filter(({ method }) => method === "auth.test").length;
    await until(() => asked() > 2, "the organisation");
    const who = scene.fake.person(name, profile);
    const dialog = await who.run(scene.channel, "probe change");
    expect(said(dialog.last)).toMatch(words);
    expect(said(dialog.last)).toMatchSnapshot();
    expect(dialog.last.onlyFor).toBe(who.id);
    expect(said((await who.run(scene.channel, "probe look")).last)).toContain(`may: ${words === CHANGED}`);
    // Looked up once for both.
    expect(scene.fake.requests.filter(({ method }) => method === "users.info")).toHaveLength(1);
  });

  test("the time zone is that of the profile, asked for with the rest", async () => {
    const clock = probe("probe clock", async (context) => titled(`zone: ${await context.zone()}`));
    await using scene = await stage({ extra: [change, clock] });
    const ann = scene.fake.person("ann", { tz: "Europe/Zurich" });
    expect(said((await ann.run(scene.channel, "probe clock")).last)).toContain("zone: Europe/Zurich");
    expect(scene.fake.requests.filter(({ method }) => method === "users.info")).toHaveLength(1);
    await ann.run(scene.channel, "my zone Asia/Tokyo");
    expect(said((await ann.run(scene.channel, "probe clock")).last)).toContain("zone: Asia/Tokyo");
    const bob = scene.fake.person("bob", {});
    expect(said((await bob.run(scene.channel, "probe clock")).last)).toContain("zone: UTC");
  });

  test("nobody is looked up for commands open to everyone", async () => {
    await using scene = await stage({ extra });
    const ann = scene.fake.person("ann");
    await ann.run(scene.channel, "time");
    ann.type(scene.channel, "market show");
    await ann.form();
    expect(scene.fake.requests.filter(({ method }) => method === "users.info")).toEqual([]);
  });

  test("a user who cannot be looked up may not, is asked to try again, and may the next time", async () => {
    await using scene = await stage({ extra, timing: { lookupMillis: 40 } });
    const ann = scene.fake.person("ann");
    for (const answer of [{ status: 500 }, { error: "fatal_error" }, "cut-before", "hang-before"] as const) {
      scene.fake.fail({ method: "users.info", answer });
      const refused = await ann.run(scene.channel, "probe change");
      expect(said(refused.last)).not.toMatch(CHANGED);
      expect(said(refused.last)).toMatchSnapshot();
      scene.fake.release();
    }
    for (;;) {
      // The look-up that hung may still be under way.
      if (said((await ann.run(scene.channel, "probe change")).last).includes("changed")) break;
    }
  });

  test("those listed alone may", async () => {
    const id = "U00000005";
    await using scene = await stage({ extra, mayManage: ["u999", id.toLowerCase()] });
    const { fake } = scene;
    const ann = fake.person("ann");
    const bob = fake.person("bob", { is_restricted: true });
    const chosen = [ann, bob].find((one) => one.id === id);
    for (const who of [ann, bob]) {
      const { last } = await who.run(scene.channel, "probe change");
      expect(CHANGED.test(said(last))).toBe(who === chosen);
    }
    expect(fake.requests.filter(({ method }) => method === "users.info")).toEqual([]);
  });

  test("a list that names nobody on Slack leaves it to the full members", async () => {
    await using scene = await stage({ extra, mayManage: [] });
    expect(said((await scene.fake.person("ann").run(scene.channel, "probe change")).last)).toContain("changed");
  });

  test("at mentions, buttons and forms as well", async () => {
    const asking = command({
      ...change,
      name: "probe asking",
      options: { note: { kind: "text", required: true, description: "Anything", example: "x" } },
    });
    await using scene = await stage({ extra: [...extra, asking] });
    const bob = scene.fake.person("bob", { is_restricted: true });
    bob.mention(scene.channel, "probe change");
    await until(() => bob.sees(scene.channel).length === 2, "the answer");
    expect(said(bob.sees(scene.channel)[1]!)).toMatch(GUEST);
    bob.type(scene.channel, "probe asking");
    const form = await bob.form();
    expect(await bob.submit(form, { note: "x" })).toEqual({ note: expect.stringMatching(GUEST) as string });
    const cat = scene.fake.person("cat", { team_id: "T99" });
    cat.mention(scene.channel, "probe change");
    await until(() => cat.sees(scene.channel).some((message) => ELSEWHERE.test(said(message))), "the answer");
    const ann = scene.fake.person("ann");
    const { last } = await ann.run(scene.channel, "probe change private:no");
    const pressed = await bob.press(last, "Refresh");
    expect(said(pressed.last)).toMatch(GUEST);
    expect(last.edits).toBe(0);
  });

  test("so it is with the alerts themselves: members subscribe the channel, guests watch for themselves alone", async () => {
    await using scene = await stage();
    const ann = scene.fake.person("ann");
    const bob = scene.fake.person("bob", { is_restricted: true });
    expect(said((await bob.run(scene.channel, "alerts add ops")).last)).toMatch(GUEST);
    const added = await ann.run(scene.channel, "alerts add ops mention:<!subteam^S012345|@oncall>");
    expect(said(added.last)).toContain("S012345");
    const { last } = await bob.run(scene.channel, "alerts list");
    expect(said((await bob.press(last, "Details")).last)).toContain("S012345");
    const id = /alerts remove (\w+)|"id":"(\w+)"/u.exec(JSON.stringify(added.last.blocks).replaceAll("\\", ""));
    const [, typed, carried] = id ?? [];
    const removed = await bob.run(scene.channel, `alerts remove ${typed ?? carried ?? "x"}`);
    expect(said(removed.last)).toMatch(GUEST);
  });

  test("a guest whom the alerts mention may acknowledge, and silence for a while", async () => {
    await using scene = await stage();
    const { fake, channel } = scene;
    const ann = fake.person("ann");
    const bob = fake.person("bob", { is_restricted: true });
    const cat = fake.person("cat", { is_restricted: true });
    const ask = async (who: typeof ann, line: string) => said((await who.run(channel, line)).last);
    await ask(ann, `alerts add ops mention:<@${bob.id}|bob>`);
    // Nothing is down: who is told so may.
    expect(await ask(bob, "alerts ack node.down")).toMatch(NOT_FOUND);
    expect(await ask(bob, "alerts silence node.down for:8h")).toContain("Silenced");
    expect(await ask(bob, "alerts silence all for:2d")).toMatch(/8 h at most/u);
    expect(await ask(cat, "alerts ack node.down")).toMatch(NOT_MENTIONED);
    expect(await ask(cat, "alerts silence node.down for:1h")).toMatch(NOT_MENTIONED);
  });

  test.each([true, false])(
    "so may a member of a group that they mention, where its scope is granted: %s",
    async (granted) => {
      await using scene = await stage();
      const { fake, channel } = scene;
      if (!granted) {
        fake.state.scopes.delete("usergroups:read");
        fake.expected.add("missing_scope");
      }
      const [bob, cat] = ["bob", "cat"].map((name) => fake.person(name, { is_restricted: true }));
      fake.state.userGroups.set("S012345", { name: "On call", handle: "oncall", members: [bob!.id] });
      await fake.person("ann").run(channel, "alerts add ops mention:<!subteam^S012345|@oncall>");
      const ack = async (who: typeof bob) => said((await who!.run(channel, "alerts ack node.down")).last);
      expect(await ack(bob)).toMatch(granted ? NOT_FOUND : NOT_MENTIONED);
      expect(await ack(cat)).toMatch(NOT_MENTIONED);
    },
  );

  test("members of a listed group may as well", async () => {
    await using scene = await stage({ extra, mayManage: ["s012345"] });
    const { fake } = scene;
    const ann = fake.person("ann");
    const bob = fake.person("bob", { is_restricted: true });
    fake.state.userGroups.set("S012345", { name: "On call", handle: "oncall", members: [bob.id] });
    expect(said((await bob.run(scene.channel, "probe change")).last)).toContain("changed");
    expect(said((await ann.run(scene.channel, "probe change")).last)).not.toMatch(CHANGED);
    // One call tells of all, for a while.
    expect(fake.requests.filter(({ method }) => method === "usergroups.list")).toHaveLength(1);
  });

  test("a listed group without the optional scope: its members may not, and the listed people still may", async () => {
    await using scene = await stage({ extra, mayManage: ["S012345", "U00000005"] });
    const { fake } = scene;
    fake.state.scopes.delete("usergroups:read");
    fake.expected.add("missing_scope");
    const people = [fake.person("ann"), fake.person("bob")];
    fake.state.userGroups.set("S012345", { name: "On call", handle: "oncall", members: people.map(({ id }) => id) });
    for (const who of people) {
      const { last } = await who.run(scene.channel, "probe change");
      expect(CHANGED.test(said(last))).toBe(who.id === "U00000005");
    }
  });

  test("where the bot is not in the channel: the user is asked to invite it, once", async () => {
    await using scene = await stage({ extra });
    const { adapter, fake } = scene;
    fake.expected.add("not_in_channel");
    const elsewhere = fake.channel({ member: false });
    const ann = fake.person("ann");
    const dialog = await ann.run(elsewhere, "probe change");
    const send = (): Promise<unknown> =>
      adapter
        .send(delivery("d1", elsewhere), titled("added"), signal)
        .then(() => "sent")
        .catch((error: unknown) => (error as SendError).kind);
    expect(await send()).toBe("gone");
    await until(() => dialog.messages.length === 2, "the word about it");
    expect(said(dialog.messages[0]!)).toContain("changed");
    expect(said(dialog.last)).toContain("`/invite @bellwether`");
    expect(dialog.last.onlyFor).toBe(ann.id);
    expect(await send()).toBe("gone");
    await ann.run(elsewhere, "time");
    expect(dialog.messages).toHaveLength(2);
  });
});
