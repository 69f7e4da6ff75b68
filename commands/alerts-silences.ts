import { isSilenceActive } from "../src/alerts/routing/silence.ts";
import { silenceScopeWords, silenceTimeWords } from "../src/alerts/wording/silence-words.ts";
import { subjectLabels } from "../src/answers/alerts/alert-subjects.ts";
import { destinationKeyWords } from "../src/answers/alerts/destination.ts";
import { visibleSilences } from "../src/answers/alerts/silences/silences.ts";
import { command } from "../src/bot/command.ts";
import { paragraph } from "../src/reply/block.ts";
import { reply } from "../src/reply/reply.ts";
import { code, text, toText } from "../src/reply/text.ts";
import { toMillis } from "../src/units/nanoseconds.ts";

/** As many as fit beside the other buttons of any platform. */
const BUTTONS = 4;

export const alertsSilences = command({
  name: "alerts silences",
  summary: "The silences that hold, or will",
  examples: ["alerts silences"],
  access: "everyone",
  audience: "caller",
  options: {},
  run: async (context) => {
    const now = toMillis(context.now());
    const found = visibleSilences(await context.alerts.silences(), context).toSorted((a, b) => a.from - b.from);
    if (found.length === 0) {
      return reply({
        title: "Nothing is silenced",
        blocks: [paragraph(text`${code("alerts silence all 1h")} keeps alerts back for an hour.`)],
      });
    }
    const ids = found.flatMap(({ scope }) =>
      scope.subject === undefined || scope.network !== context.network ? [] : [scope.subject],
    );
    const placeOf = destinationKeyWords(context);
    const labels = await subjectLabels([{ kinds: ["market.state"], ids }], context);
    return reply({
      title: found.length === 1 ? "One silence" : `${found.length} silences`,
      blocks: [
        {
          kind: "table",
          name: "silences",
          columns: [
            { title: "Silence" },
            { title: "Of" },
            { title: "When" },
            { title: "Now", priority: 2 },
            { title: "By", priority: 3 },
            { title: "Where", priority: 3 },
          ],
          rows: found.map((one) => {
            const { destination: where } = one.scope;
            const reason = one.reason === undefined ? "" : `: ${one.reason}`;
            return [
              toText(code(one.id)),
              silenceScopeWords(one, labels),
              silenceTimeWords(one, now),
              toText(isSilenceActive(one, now) ? "holds" : "waits"),
              toText(`${one.by}${reason}`),
              where === undefined ? toText("all places") : placeOf(where),
            ];
          }),
        },
      ],
      actions: found.slice(0, BUTTONS).map((one) => ({
        label: `End ${one.id}`,
        invocation: { command: "alerts unsilence", options: { id: one.id } },
        effect: "reply",
      })),
    });
  },
});
