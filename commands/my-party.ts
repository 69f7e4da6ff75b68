import { PARTY } from "../src/answers/ids/ids.ts";
import { resolveId, idOption } from "../src/answers/ids/typed-ids.ts";
import { command } from "../src/bot/command.ts";
import { EVERYBODY } from "../src/bot/options/saved-parties.ts";
import { UserError } from "../src/errors.ts";
import { field, fields, paragraph } from "../src/reply/block.ts";
import { commandAction, reply } from "../src/reply/reply.ts";
import { code, id, text } from "../src/reply/text.ts";

const options = {
  id: idOption(PARTY, {
    label: "Party",
    required: true,
    question: "Which party is yours?",
    description: "Its id of 64 digits: used from then on wherever a party is asked for",
  }),
  name: {
    kind: "text",
    description: "A name to type instead of the id",
    example: "treasury",
    maxLength: 40,
  },
} as const;

export const myParty = command({
  name: "my party",
  asked: ["save|remember|set|add|use party", "my party|id default|{id}"],
  summary: "Save a party as your default",
  verb: "Save party",
  examples: ["my party <id>", "my party <id> treasury"],
  access: "everyone",
  changes: true,
  shownBy: "my parties",
  personal: true,
  options,
  fields: () => ["id", "name"],
  run: async (context) => {
    const partyId = await resolveId(PARTY, context.options.id, context, "id");
    const name = parseName(context.options.name);
    const others = (await context.parties.list()).filter((one) => one.id !== partyId);
    if (name !== undefined && others.some((one) => one.name?.toLowerCase() === name.toLowerCase())) {
      throw new UserError(`Another of your parties is called ${name} already.`, {
        option: "name",
        remedy: "Choose another name, or remove the other party with my forget.",
      });
    }
    if ((await context.parties.save({ id: partyId, name })) === "full") {
      throw new UserError(`You have saved ${others.length} parties, and no more are kept.`, {
        remedy: "my parties lists them; remove one with my forget.",
      });
    }
    const called = name === undefined ? text`` : text` as ${code(name)}`;
    return reply({
      tone: "good",
      title: text`Saved${called}`,
      blocks: [
        fields([field("Party", id(partyId), { wide: true })]),
        paragraph(
          context.platforms.isOperators(context.here.platform)
            ? `It is now the default on ${context.platforms.nameOf(context.here.platform)}, for everybody who uses it. The terminal, the console and the chats each keep parties of their own.`
            : "It is now your default wherever a party is asked for. Only you see this.",
        ),
      ],
      actions: [
        commandAction("My orders", "order"),
        commandAction("Export my ledger", "ledger export"),
        commandAction("My parties", "my parties", {}, "replace"),
      ],
    });
  },
});

function parseName(typed: string | undefined): string | undefined {
  const name = typed?.trim().replaceAll(/\s+/gu, " ");
  if (name === undefined || name === "") return undefined;
  if (name.toLowerCase() === EVERYBODY || /^[0-9a-f]{3,}$/iu.test(name)) {
    throw new UserError(`A party cannot be called ${name}.`, {
      option: "name",
      remedy: `Choose a name such as treasury: neither ${EVERYBODY} nor the beginning of an id.`,
    });
  }
  return name;
}
