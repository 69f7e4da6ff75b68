import { isOperator } from "../src/answers/alerts/destination.ts";
import { command } from "../src/bot/command.ts";
import { quoteTyped } from "../src/bot/nearest.ts";
import { EVERYBODY } from "../src/bot/options/saved-parties.ts";
import { UserError } from "../src/errors.ts";
import { field, fields, paragraph } from "../src/reply/block.ts";
import { commandAction, reply } from "../src/reply/reply.ts";
import { id, shortenId, text } from "../src/reply/text.ts";

export const myForget = command({
  name: "my forget",
  asked: ["forget|erase me|my|party|data", "delete|remove party|data"],
  summary: "Forget a saved party, or all that is kept of you",
  verb: "Forget",
  title: "Forget a party",
  examples: ["my forget treasury", "my forget all"],
  access: "everyone",
  changes: true,
  shownBy: "my parties",
  personal: true,
  anyNetwork: true,
  options: {
    party: {
      kind: "text",
      required: true,
      description: "Its name or id; all = everything that is kept of you",
      example: "treasury",
      // Completes the caller's saved parties alone.
      saved: "party",
    },
  },
  run: async (context) => {
    const { options, parties } = context;
    const typed = options.party.trim().toLowerCase();
    if (typed === EVERYBODY) {
      await parties.eraseCaller();
      return reply({
        title: "Everything that was kept of you is erased",
        blocks: [
          paragraph(
            isOperator(context)
              ? "The parties saved here are gone. Nothing else that was asked from here names a person, and it goes on."
              : "Your parties, what you watch by direct message and your buttons are gone. What you set up for channels goes on without your name.",
          ),
        ],
      });
    }
    const fitting = (await parties.list()).filter(({ id: known }) => known.startsWith(typed));
    const [party] = fitting;
    if (party === undefined || fitting.length > 1) {
      const typedParty = quoteTyped(options.party);
      throw new UserError(
        party === undefined
          ? `You have saved no party ${typedParty}.`
          : `${typedParty} could be ${fitting.length} of the parties that you saved.`,
        {
          option: "party",
          remedy: "Those that you saved:",
          suggestion: "my parties",
          meanings: {
            typed: options.party,
            values: fitting.map(({ id: whole, name }) => ({ label: name ?? shortenId(whole), value: whole })),
          },
        },
      );
    }
    await parties.forget(party.id);
    return reply({
      title: text`Forgotten: ${party.name ?? shortenId(party.id)}`,
      blocks: [fields([field("Party", id(party.id), { wide: true })])],
      actions: [
        commandAction("Save it again", "my party", { id: party.id, name: party.name }),
        commandAction("My parties", "my parties", {}, "replace"),
      ],
    });
  },
});
