import { ALL_NETWORKS_OPTION } from "../src/answers/alerts/alert-options.ts";
import { maySilence, offeredSilence } from "../src/answers/alerts/silences/offered-silence.ts";
import { findEpisodes } from "../src/answers/alerts/episodes/episodes.ts";
import { addSilence } from "../src/answers/alerts/silences/add-silence.ts";
import { lacksEnd, silenceFields, SILENCE_OPTIONS } from "../src/answers/alerts/silences/silence-options.ts";
import { command } from "../src/bot/command.ts";
import { readReference } from "../src/alerts/message/message-group.ts";

export const alertsSilence = command({
  name: "alerts silence",
  alsoCalled: ["mute", "snooze"],
  asked: [
    "silence|silent|mute|snooze|quiet|quieten|suppress|hush|shush|gag",
    "silence|silent|mute|snooze|quiet|quieten|suppress|hush|shush|gag {what}|{for}|{until}|alert|notification|channel|here",
    "silence|silent|mute|snooze|quiet|quieten|suppress|hush|shush|gag {what} {for}|{until}",
    "no|not|stop|quit|cease|without|off|pause|hold|disable|ignore|skip|block|drop|kill|cut|mask|inhibit alert|notify|notification|alarm|page|ping|message|tell|warn|bother|bug|nag|pester|spam|wake|noise|hear|interested|care {what}|{for}|{until}",
    "no|not|stop|quit|cease|without|off|pause|hold|disable|ignore|skip|block|drop|kill|cut|mask|inhibit alert|notify|notification|alarm|page|ping|message|tell|warn|bother|bug|nag|pester|spam|wake|noise|hear|interested|care {what} {for}|{until}",
    "shut up|about|noise {what}|{for}|{until}|alert|notification",
    "leave me|us alone",
    "ignore|pause|hold|disable|off|shut|park|inhibit|mask|block|kill|ack|acknowledge {what} {for}|{until}",
    "maintenance|restart|reboot|upgrade|update|work|downtime|patch|deploy|migrate|repair|fix {what} {for}|{until}",
  ],
  opposite: "alerts unsilence",
  summary: "Keep alerts back for a while",
  verb: "Silence",
  title: "Silence alerts",
  examples: [
    "alerts silence all for:1h",
    "alerts silence node.down for:2h reason:maintenance",
    "alerts silence node.down mainnet api1 3 until:resolved",
    "alerts silence all from:22:00 for:2h every:week zone:Europe/Berlin until:2027-01-01",
  ],
  // Everybody may in their direct messages; rights on a channel are checked below.
  access: "everyone",
  changes: true,
  shownBy: "alerts silences",
  fields: silenceFields,
  lacks: lacksEnd,
  options: {
    ...SILENCE_OPTIONS,
    network: ALL_NETWORKS_OPTION,
  },
  offers: (context) => offeredSilence(context, context.options),
  run: async (context) => {
    const { alerts, options, pressed } = context;
    await maySilence(context);
    // Under an alert, the button names its episode, or all that the message names.
    const [own] = readReference(options.what ?? "") === undefined ? [] : await findEpisodes(alerts, options.what ?? "");
    const alert = own?.id ?? options.what;
    if (pressed !== undefined && alert !== undefined) await alerts.notePress(alert, pressed);
    return addSilence(context, context.options);
  },
});
