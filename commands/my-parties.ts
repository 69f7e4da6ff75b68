import { rowActions } from "../src/answers/answer.ts";
import { SAVE_PARTY_ACTION } from "../src/bot/options/saved-parties.ts";
import { command } from "../src/bot/command.ts";
import { details, paragraph, table } from "../src/reply/block.ts";
import { reply } from "../src/reply/reply.ts";
import { commandLine, id, shortenId, text } from "../src/reply/text.ts";

export const myParties = command({
  name: "my parties",
  alsoCalled: ["parties"],
  asked: ["my|which|list|show party"],
  summary: "The parties that you saved",
  verb: "List my parties",
  personal: true,
  anyNetwork: true,
  run: async ({ parties }) => {
    const saved = await parties.list();
    if (saved.length === 0) {
      return reply({
        title: "You have saved no party",
        blocks: [paragraph(text`Save one with ${commandLine("my party <id> <name>")}: it becomes your default.`)],
        actions: [SAVE_PARTY_ACTION],
      });
    }
    const forget = rowActions(
      "Forget",
      saved.map((party) => ({
        name: nameOf(party),
        invocation: { command: "my forget", options: { party: party.id } },
      })),
    );
    return reply({
      title:
        saved.length === 1
          ? text`You saved one party, ${nameOf(saved[0])}`
          : text`You saved ${saved.length} parties; ${nameOf(saved[0])} is the default`,
      blocks: [
        table({
          name: "my-parties",
          rows: saved,
          columns: [
            ["Name", (party) => nameOf(party)],
            ["Party", (party) => id(party.id)],
            ["Default", (_, index) => (index === 0 ? "yes" : ""), 2],
          ],
          ...forget.inTable,
        }),
        ...details([
          paragraph(
            text`Only you see this. Saving one again makes it the default; ${commandLine("my forget <name>")} removes one.`,
          ),
        ]),
      ],
      actions: forget.actions,
    });
  },
});

function nameOf(party: { readonly id: string; readonly name?: string | undefined } | undefined): string {
  return party?.name ?? shortenId(party?.id ?? "");
}
