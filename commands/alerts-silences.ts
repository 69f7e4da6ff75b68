import { isSilenceActive, type Silence } from "../src/alerts/route/silence.ts";
import { silenceLeftWords, silenceScopeWords, silenceTimeWords } from "../src/alerts/words/silence-words.ts";
import { destinationKeyWords, isCaller, offersChanges } from "../src/answers/alerts/destination.ts";
import { visibleSilences } from "../src/answers/alerts/silences/silences.ts";
import { rowActions } from "../src/answers/answer.ts";
import { command } from "../src/bot/command.ts";
import { details, paragraph, table } from "../src/reply/block.ts";
import { invalidatingAction, reply } from "../src/reply/reply.ts";
import { code, commandLine, text } from "../src/reply/text.ts";
import { formatDuration, type Milliseconds, toMillis } from "../src/units/time.ts";

export const alertsSilences = command({
  name: "alerts silences",
  alsoCalled: ["silences"],
  asked: [
    "which|what|list|show|who|active silence|mute|snooze|quiet|quieten|suppress|hush",
    "is|are|am silenced|muted",
  ],
  summary: "The silences that hold now or will later",
  verb: "List silences",
  run: async (context) => {
    const now = toMillis(context.now());
    const found = visibleSilences(await context.alerts.silences(), context).toSorted((a, b) => a.from - b.from);
    if (found.length === 0) {
      return reply({
        title: "Nothing is silenced",
        blocks: [paragraph(text`${commandLine("alerts silence all 1h")} keeps alerts back for an hour.`)],
      });
    }
    const placeOf = destinationKeyWords(context);
    const [only] = found;
    const list = { command: "alerts silences", options: {} };
    const own = found.filter(({ person }) => isCaller(person, context));
    const end =
      offersChanges(context) || own.length === found.length
        ? rowActions(
            "End",
            found.map(({ id }) => ({ name: "silence", invocation: { command: "alerts unsilence", options: { id } } })),
            { invalidates: list },
          )
        : {
            actions: own.map(({ id }) => invalidatingAction(`End ${id}`, "alerts unsilence", { id }, list)),
            inTable: {},
          };
    const active = found.filter((one) => isSilenceActive(one, now)).length;
    return reply({
      title:
        only !== undefined && found.length === 1
          ? text`Silenced: ${silenceScopeWords(only)}, ${silenceTimeWords(only, now)}`
          : text`${found.length} silences, ${active === found.length ? "all" : active} active`,
      blocks: [
        table({
          name: "silences",
          rows: found,
          columns: [
            ["Silenced", silenceScopeWords],
            ["Now", (one) => stateWords(one, now)],
            [
              "Where",
              ({ scope: { destination } }) => (destination === undefined ? "all channels" : placeOf(destination)),
            ],
            ["When", (one) => silenceTimeWords(one, now), 2],
            ["By", ({ by, reason }) => (reason === undefined ? by : `${by}: ${reason}`), 3],
            ["Id", ({ id }) => code(id), 3],
          ],
          ...end.inTable,
        }),
        ...details([paragraph(text`${commandLine("alerts unsilence <id>")} ends one.`)]),
      ],
      actions: end.actions,
    });
  },
});

/** `2 h left`, `until it is over`, or how long until it holds for the first time; one that comes again waits for its next time. */
function stateWords(silence: Silence, now: Milliseconds): string {
  if (isSilenceActive(silence, now)) return silenceLeftWords(silence, now);
  return silence.from > now ? `in ${formatDuration(silence.from - now)}` : "waits";
}
