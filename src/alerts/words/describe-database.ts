import { paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, strong, text, time } from "../../reply/text.ts";
import { timeFromText } from "../judge/kinds/json-fields.ts";
import type { DatabaseMessage } from "../message/message.ts";
import { markedTitle } from "./phrases.ts";

const WORDS: Readonly<Record<DatabaseMessage["what"], { readonly title: string; readonly what: string }>> = {
  deleted: {
    title: "The database of the running bot was deleted",
    what: "The bot goes on with the deleted file, and everything in it ends with this process.",
  },
  replaced: {
    title: "The database of the running bot was replaced",
    what: "The bot goes on with the file that it opened, and everything in it ends with this process; a restart takes the new one.",
  },
  overwritten: {
    title: "The database of the running bot was overwritten",
    what: "The bot goes on with what it remembers, and writes it into what is there now: the file can no longer be relied on.",
  },
  "begun anew": {
    title: "The bot's database was gone at the start: a new one was begun",
    what: "It holds no subscriptions, saved parties and silences: nobody but the console and the operators is told of alerts.",
  },
};

/** The database's file is no longer in its place, holds something else, or was gone at the start. Pure and total. */
export function describeDatabase(message: DatabaseMessage): Reply {
  const { title, what } = WORDS[message.what];
  return reply({
    tone: "bad",
    title: markedTitle("CRITICAL", text`${title}`, message),
    blocks: [
      paragraph(text`${code(message.file)}, noticed ${time(timeFromText(message.at), "both")}. ${what}`),
      paragraph(
        text`${strong("What to do:")} Stop the bot, put the file back or restore a backup with ${code("npm run restore -- <backup>")}, then start it.`,
      ),
    ],
  });
}
