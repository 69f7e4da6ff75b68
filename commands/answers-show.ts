import { AUDIENCES, audienceSentence, workspaceOf } from "../src/answers/workspace-audience.ts";
import { command } from "../src/bot/command.ts";
import { field, fields, paragraph } from "../src/reply/block.ts";
import { commandAction, reply } from "../src/reply/reply.ts";
import { commandLine, text, time } from "../src/reply/text.ts";
import { fromMillis } from "../src/units/time.ts";

export const answersShow = command({
  name: "answers show",
  asked: ["who see|sees answer", "answer public|private"],
  summary: "Who sees answers about markets here",
  anyNetwork: true,
  verb: "Show",
  title: "Who sees answers",
  run: async (context) => {
    const { here, caller, chosen, commands } = context;
    const workspace = workspaceOf(context);
    const choice = chosen.of(here);
    const audience = choice?.markets ?? "caller";
    const by = choice === undefined ? text`nobody yet` : text`${choice.by}, ${time(fromMillis(choice.at), "both")}`;
    const other = AUDIENCES.find((one) => one.audience !== audience);
    return reply({
      title:
        audience === "channel" ? "Answers about markets are for everyone" : "Answers about markets are for the asker",
      blocks: [
        paragraph(audienceSentence(audience, workspace, commands)),
        fields([field("Chosen by", by)]),
        paragraph("Orders, stake, parties and ledgers are no part of this: they go to whoever asks."),
        ...(caller.mayManageChannel
          ? []
          : [paragraph(text`People who manage a channel change it with ${commandLine("answers set")}.`)]),
      ],
      actions:
        caller.mayManageChannel && other !== undefined
          ? [
              commandAction(audience === "channel" ? "Show to the asker alone" : "Show to everyone", "answers set", {
                markets: other.value,
              }),
            ]
          : [],
    });
  },
});
