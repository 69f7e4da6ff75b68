import { parseZone, saidZone, ZONE_OPTION } from "../src/answers/alerts/alert-times.ts";
import { isOperator } from "../src/answers/alerts/destination.ts";
import { command } from "../src/bot/command.ts";
import { paragraph } from "../src/reply/block.ts";
import { commandAction, reply } from "../src/reply/reply.ts";
import { code, text } from "../src/reply/text.ts";

export const myZone = command({
  name: "my zone",
  asked: ["time|my|set|change zone", "timezone", "time|zone|clock|i|set|use|live {zone}"],
  summary: "Set the time zone of your answers about the past",
  verb: "Save time zone",
  examples: ["my zone Europe/Zurich", "my zone UTC"],
  access: "everyone",
  changes: true,
  shownBy: "alerts told",
  personal: true,
  anyNetwork: true,
  options: {
    zone: {
      ...ZONE_OPTION,
      label: "Time zone",
      said: saidZone,
      required: true,
      description: "Its name in the tz database, or its city",
      example: "Europe/Zurich",
    },
  },
  fields: () => ["zone"],
  begins: async ({ zone }) => ({ zone: await zone() }),
  run: async (context) => {
    const zone = parseZone("zone", context.options.zone);
    const isSame = (await context.parties.zone()) === zone;
    if (isSame) return reply({ title: text`Nothing changed: your time zone is ${code(zone)} already` });
    await context.parties.saveZone(zone);
    const whose = isOperator(context)
      ? `It holds on ${context.platforms.nameOf(context.here.platform)}, for everybody who uses it.`
      : "Only you see this.";
    return reply({
      tone: "good",
      title: text`Your time zone is ${code(zone)}`,
      blocks: [
        paragraph(
          `Times of alerts that you type are read by its clock. alerts told, alerts log and all answers in the terminal show it. Exports and files keep UTC. ${whose}`,
        ),
      ],
      actions: [commandAction("What was told", "alerts told")],
    });
  },
});
