import { command } from "../src/bot/command.ts";
import { paragraph } from "../src/reply/block.ts";
import { reply } from "../src/reply/reply.ts";
import { code, id, text, toText } from "../src/reply/text.ts";

/** As many as fit beside the other buttons of any platform. */
const BUTTONS = 5;

export const myParties = command({
  name: "my parties",
  alsoCalled: ["parties"],
  summary: "The parties that you saved; the first one is your default",
  examples: ["my parties"],
  access: "everyone",
  audience: "caller",
  personal: true,
  options: {},
  run: async ({ parties }) => {
    const saved = await parties.list();
    if (saved.length === 0) {
      return reply({
        title: "You have saved no party",
        blocks: [paragraph(text`Save one with ${code("my party <id> <name>")}: it becomes your default.`)],
      });
    }
    return reply({
      title: saved.length === 1 ? "Your party" : `Your ${saved.length} parties`,
      blocks: [
        {
          kind: "table",
          name: "my-parties",
          columns: [{ title: "Name" }, { title: "Party" }, { title: "Default" }],
          rows: saved.map((party, index) => [
            toText(party.name ?? "–"),
            toText(id(party.id)),
            toText(index === 0 ? "yes" : ""),
          ]),
        },
        paragraph("Only you see this. Saving one again makes it the default."),
      ],
      actions: saved.slice(0, BUTTONS).map((party) => ({
        label: `Forget ${party.name ?? party.id.slice(0, 8)}`,
        invocation: { command: "my forget", options: { party: party.id } },
        effect: "reply",
      })),
    });
  },
});
