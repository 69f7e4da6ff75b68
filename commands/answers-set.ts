import { AUDIENCES, audienceSentence, workspaceOf } from "../src/answers/workspace-audience.ts";
import { command } from "../src/bot/command.ts";
import { paragraph } from "../src/reply/block.ts";
import { reply } from "../src/reply/reply.ts";
import { text } from "../src/reply/text.ts";
import { toMillis } from "../src/units/time.ts";

export const answersSet = command({
  name: "answers set",
  asked: ["change|set|make|choose answer", "make answer public|private"],
  summary: "Choose who sees answers about markets here",
  anyNetwork: true,
  verb: "Save",
  title: "Choose who sees answers",
  examples: ["answers set everyone", "answers set asker"],
  access: "channel-manager",
  audience: "channel",
  announced: true,
  changes: true,
  shownBy: "answers show",
  options: {
    markets: {
      kind: "choice",
      required: true,
      description: "Who sees them, where the asker does not choose",
      choices: AUDIENCES,
    },
  },
  begins: ({ chosen, here }) =>
    Promise.resolve({ markets: chosen.of(here)?.markets === "channel" ? "everyone" : "asker" }),
  run: async (context) => {
    const { options, here, caller, chosen, commands } = context;
    const workspace = workspaceOf(context);
    const audience = options.markets === "everyone" ? "channel" : "caller";
    const whom = audience === "channel" ? "everyone" : "the asker";
    const sentence = audienceSentence(audience, workspace, commands);
    // What nobody chose is for the asker, but where a mention asks for everybody.
    if (chosen.of(here)?.markets === audience) {
      return reply({
        title: `Nothing changed: answers about markets are for ${whom} already`,
        blocks: [paragraph(sentence)],
      });
    }
    await chosen.choose({
      platform: workspace.platform,
      workspace: workspace.workspace,
      markets: audience,
      by: caller.name,
      at: toMillis(context.now()),
    });
    return reply({
      tone: "good",
      title: `Answers about markets are now for ${whom}`,
      blocks: [paragraph(sentence), paragraph(text`${caller.name} chose this for the whole ${workspace.noun}.`)],
    });
  },
});
