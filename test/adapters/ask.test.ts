import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { replyFromJson } from "../../src/reply/json.ts";
import { fullText } from "../../src/reply/full-text.ts";
import { textOf } from "../support/fake-discord/person.ts";
import { until } from "../support/fake-discord/until.ts";
import { ASKED, MEANT } from "../support/questions/asked.ts";
import { openSimulatorTalk, type SimulatorTalk } from "../support/simulator-talk.ts";
import { stage as discordStage, type Stage as DiscordStage } from "./discord/stage.ts";
import { said } from "./slack/shown.ts";
import { stage as slackStage, type Stage as SlackStage } from "./slack/stage.ts";
import { type Harness, startConsole } from "./web/harness.ts";

let talk: SimulatorTalk;
let discord: DiscordStage;
let slack: SlackStage;
let web: Harness;

beforeAll(async () => {
  [talk, discord, slack] = await Promise.all([openSimulatorTalk({ nodes: 3 }), discordStage(), slackStage()]);
  web = await startConsole(talk.bot);
});
afterAll(async () => {
  await web[Symbol.asyncDispose]();
  await Promise.all([talk, discord, slack].map((one) => one[Symbol.asyncDispose]()));
});

/** What people read, without the marks of a platform. */
function plain(shown: string): string {
  return shown
    .replaceAll(/<\/([^:>]+):\d+>/gu, "$1")
    .replaceAll(/[`*\\_]/gu, "")
    .replaceAll("&quot;", '"');
}

type Question = keyof typeof MEANT;
const QUESTIONS = Object.keys(MEANT) as Question[];

/** Each way to ask, up to what is read. */
const SURFACES: Readonly<Record<string, (line: string) => Promise<string>>> = {
  terminal: (line) => talk.ask(line),
  console: async (line) => {
    const { body } = await web.post("/api/invocations", { text: line });
    return fullText(
      replyFromJson(JSON.parse(body), () => {
        throw new Error("an answer with a file");
      }),
    );
  },
  "a line on Slack": async (line) => said((await slack.fake.person("ann").run(slack.channel, line)).last),
  "a mention on Slack": async (line) => {
    const ann = slack.fake.person("bea");
    const before = ann.sees(slack.channel).length;
    ann.mention(slack.channel, line);
    // The mention itself is seen, too.
    await until(() => ann.sees(slack.channel).length > before + 1, "the answer to the mention");
    return ann.sees(slack.channel).slice(-1).map(said).join("");
  },
  "/ask on Discord": async (question) => {
    const dialog = await discord.fake.person("Ann", { manages: true }).run(discord.channel, "ask", { question });
    return textOf(dialog.last);
  },
  "a mention on Discord": async (line) =>
    textOf(await discord.fake.person("Bea").writes(discord.channel, `@bot ${line}`)),
  "a direct message on Discord": async (line) => {
    const cyd = discord.fake.person("Cyd");
    return textOf(await cyd.writes(discord.fake.direct(cyd), line));
  },
};

/** The terminal reads all phrasings; the others read the same words, and where cases are few one of each question. */
function asked(surface: string, question: Question): readonly string[] {
  return surface === "terminal" || inject("manyRuns") ? ASKED[question] : ASKED[question].slice(0, 1);
}

test.each(Object.keys(SURFACES).flatMap((surface) => QUESTIONS.map((question) => [surface, question] as const)))(
  "%s: phrasings of “%s”",
  async (surface, question) => {
    const others: string[] = [];
    for (const line of asked(surface, question)) {
      const read = plain((await SURFACES[surface]?.(line)) ?? "");
      if (!MEANT[question].test(read)) others.push(`${line} => ${read.slice(0, 200)}`);
    }
    expect(others).toEqual([]);
  },
  60_000,
);
