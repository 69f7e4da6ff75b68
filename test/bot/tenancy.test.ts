import { expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import type { Caller, Target } from "../../src/bot/invocation.ts";
import { replyToJson } from "../../src/reply/json.ts";
import { down, stalled } from "../alerts/readings.ts";
import { talkToSimulator } from "../commands/conversation.ts";
import { dumpTables } from "../support/dump-tables.ts";
import { see } from "../support/see.ts";
import { MANY_WORKSPACES, PLATFORMS } from "../support/platforms.ts";

// What people in one workspace or server did, those in another neither see, nor are offered, nor can change: every
// command is walked from the other one. What all share stands in docs/operations/who-sees-what.md.

const files = { maxBytes: 1e7, maxCount: 10 };

interface Place {
  readonly here: Target;
  readonly direct: Target;
  readonly caller: Caller;
}

/** Two workspaces may give different channels and people the same ids. */
function slackPlace(workspace: string, name: string): Place {
  const here = { platform: "slack", workspace, channel: "C0SAME", files };
  return { here, direct: { ...here, channel: "D0SAME" }, caller: { id: "U0SAME", name, mayManageChannel: true } };
}

function discordPlace(digit: string, name: string): Place {
  const id = digit.repeat(18);
  const direct = { platform: "discord", channel: `99${id}`, files };
  const here = { platform: "discord", workspace: `11${id}`, channel: `22${id}`, files };
  return { here, direct, caller: { id: `33${id}`, name, mayManageChannel: true } };
}

/** A command that waits for deliveries, and concerns its own place alone. */
const NOT_ASKED = ["alerts drill"];

test.each([
  ["workspaces of Slack", MANY_WORKSPACES, slackPlace("TNORTH", "nora"), slackPlace("TSOUTH", "sven")],
  ["servers of Discord", PLATFORMS, discordPlace("4", "nora"), discordPlace("5", "sven")],
] as const)("what one of two %s did is none of the other's", async (_name, platforms, north, south) => {
  const talk = await talkToSimulator({ platforms });
  const { orderId, partyId, assetSymbol } = talk.samples;
  talk.become({ here: north.here, caller: north.caller });
  await talk.ask("alerts add node.down,network.stalled style:plain");
  await talk.ask(`alerts add order.final ${orderId}`);
  await see(talk, 1, [stalled("good"), down("good"), down("good", "b:1")]);
  await see(talk, 4, [stalled("good"), down("bad"), down("good", "b:1")]);
  await talk.ask('alerts silence what:checkpoint.overdue for:2h reason:"northern works"');
  await talk.ask(`my party ${partyId} northern-vault`);
  await talk.ask(`ledger export asset:${assetSymbol} from:1d party:${partyId}`);
  await talk.ask("answers set everyone");
  await talk.ask(`order ${orderId}`);
  // Servers of one bot share what is acknowledged, as docs/operations/who-sees-what.md says; so do they the ids that were looked at.
  const among = platforms === MANY_WORKSPACES;
  if (among) await talk.ask("alerts ack node.down");

  const [channel, watch] = (await talk.engine.subscriptions()).toSorted((a) => (a.personal === true ? 1 : -1));
  const [silence] = await talk.engine.silences();
  const jobs = dumpTables(talk.database).filter((row) => row.startsWith("export_jobs"));
  const code = /"code":"(\w+)"/u.exec(jobs[0] ?? "")?.[1];
  const secrets = [channel?.id, watch?.id, silence?.id, code, north.here.workspace].filter((one) => one !== undefined);
  expect(secrets).toHaveLength(5);
  secrets.push("nora", "northern", ...(among ? [] : [north.here.channel ?? "", north.caller.id]));
  const revealed = (said: string, typed: string): string[] =>
    secrets.filter((one) => said.includes(one) && !typed.includes(one));
  // Its rows; an open episode is the network's.
  const owned = (): string[] =>
    dumpTables(talk.database).filter((row) => !row.startsWith("alert_episodes") && revealed(row, "").length > 0);
  // The test sees what it looks for.
  expect(revealed(await talk.ask("alerts list"), "")).toContain(channel?.id);
  expect(revealed(await talk.ask("alerts silences"), "")).toContain(silence?.id);
  expect(await talk.ask("my parties")).toContain("northern-vault");
  expect(JSON.stringify(await talk.suggest("order", "id", ""))).toContain(orderId);
  talk.advance(5000);
  await talk.engine.upkeep();
  const before = owned();

  const asked = new Set<string>();
  for (const here of [south.here, south.direct]) {
    talk.become({ here, caller: south.caller });
    // Before anything was asked here: what an answer shows is offered from then on.
    for (const { name, options } of commands) {
      for (const [option, { kind }] of Object.entries(options)) {
        if (kind !== "text") continue;
        const offered = JSON.stringify(await talk.suggest(name, option, ""));
        expect({ name, option, revealed: revealed(offered, "") }).toEqual({ name, option, revealed: [] });
        expect({ name, option, offers: among && offered.includes(orderId) }).toMatchObject({ offers: false });
      }
      const completed = JSON.stringify(await talk.completeLine(`${name} `));
      expect({ name, revealed: revealed(completed, "") }).toEqual({ name, revealed: [] });
    }
    const lines = [
      ...commands.filter(({ name }) => !NOT_ASKED.includes(name)).flatMap(({ name, examples }) => [name, ...examples]),
      ...["edit", "pause", "resume", "remove"].flatMap((what) => [
        `alerts ${what} ${channel?.id} ${what === "edit" ? "floor:critical" : ""}`,
        `alerts ${what} ${watch?.id} ${what === "edit" ? "floor:critical" : ""}`,
      ]),
      `alerts unsilence ${silence?.id}`,
      ...["fetch", "cancel"].map((what) => `ledger ${what} ${code}`),
      "stake northern-vault",
      "my forget northern-vault",
      "alerts why node.down",
      ...(among ? ["alerts ack node.down"] : []),
      "alerts log nora",
      "alerts log file:yes",
      "alerts status",
      "answers show",
      "ledger list",
      "my forget all",
    ];
    for (const line of lines) {
      const reply = await talk.askFor(line);
      const said = JSON.stringify(replyToJson(reply));
      expect({ line, revealed: revealed(said, line) }).toEqual({ line, revealed: [] });
      for (const { name } of commands) if (line.startsWith(name)) asked.add(name);
      const attached = await Promise.all(
        reply.attachments.map(async (one) => Buffer.concat(await one.open().toArray()).toString()),
      );
      expect({ line, revealed: revealed(attached.join(""), line) }).toEqual({ line, revealed: [] });
    }
  }
  expect(commands.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual(NOT_ASKED);
  expect(owned()).toEqual(before);

  // And it is all still there, and goes on.
  talk.become({ here: north.here, caller: north.caller });
  expect(await talk.ask("my parties")).toContain("northern-vault");
  expect(await talk.ask("alerts list")).toContain(channel?.id);
  expect((await talk.ask("alerts status")).includes("acknowledged by nora")).toBe(among);
  expect(await talk.ask(`ledger fetch ${code}`)).not.toContain("no export");
});

test("what one workspace acknowledges, others are reminded of, and its people see it as acknowledged", async () => {
  const talk = await talkToSimulator({ platforms: MANY_WORKSPACES });
  const [north, south] = [slackPlace("TNORTH", "nora"), slackPlace("TSOUTH", "sven")];
  for (const { here, caller } of [north, south]) {
    talk.become({ here, caller });
    await talk.ask("alerts add network.stalled style:plain");
  }
  await see(talk, 1, [stalled("good")]);
  await see(talk, 40, [stalled("bad")]);
  talk.become({ here: north.here, caller: north.caller });
  await talk.ask("alerts ack network.stalled");
  expect(await talk.ask("alerts status")).toContain("acknowledged by nora");
  expect(await talk.ask("alerts ack network.stalled")).toContain("nora");
  const reminded = async (): Promise<string[]> =>
    dumpTables(talk.database)
      .filter((row) => row.startsWith("alert_deliveries") && row.includes('"phase":"reminder"'))
      .map((row) => /"destination":"([^"]*)"/u.exec(row)?.[1] ?? "");
  talk.advance(1_800_000);
  await talk.engine.upkeep();
  expect(await reminded()).toEqual(["slack/TSOUTH/C0SAME/"]);
  talk.become({ here: south.here, caller: south.caller });
  expect(await talk.ask("alerts status")).not.toContain("nora");
  await talk.ask("alerts ack network.stalled");
  expect(await talk.ask("alerts status")).toContain("acknowledged by sven");
  talk.become({ here: north.here, caller: north.caller });
  expect(await talk.ask("alerts status")).toContain("acknowledged by nora");
  talk.advance(1_800_000);
  await talk.engine.upkeep();
  expect(await reminded()).toHaveLength(1);
});
