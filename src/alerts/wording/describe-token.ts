import { type Block, paragraph } from "../../reply/block.ts";
import { reply, type Reply, type Tone } from "../../reply/reply.ts";
import { code, text, type Text, time } from "../../reply/text.ts";
import { timeFromText } from "../kinds/json-fields.ts";
import type { TokenMessage } from "../outbox/message.ts";
import type { Platforms } from "../platform.ts";
import { markedTitle, tokenRemedy, whatToDo } from "./phrases.ts";

/** A platform refuses the bot's token, or accepts one again: what that means, and what to do. Pure and total. */
export function describeToken(message: TokenMessage, platforms?: Platforms): Reply {
  const { tone, word, title, blocks } = tokenText(message, platforms);
  return reply({ tone, title: markedTitle(word, title, message), blocks });
}

interface TokenText {
  readonly tone: Tone;
  readonly word: string;
  readonly title: Text;
  readonly blocks: readonly Block[];
}

function tokenText({ platform, why, since, at, change }: TokenMessage, platforms?: Platforms): TokenText {
  const name = platforms?.nameOf(platform) ?? platform;
  const [from, to] = [timeFromText(since), timeFromText(at)];
  const remedy = whatToDo(tokenRemedy(platform, platforms));
  switch (change.what) {
    case "refused": {
      const until = time(timeFromText(change.until), "both");
      return {
        tone: "bad",
        word: "CRITICAL",
        title: text`${name} refuses the bot's token: no alert arrives there`,
        blocks: [
          paragraph(text`Since ${time(from, "both")}: ${code(why)}. Nobody there gets an answer either.`),
          paragraph(
            text`${waitWords(change.waiting)} What waits is sent, late, once ${name} accepts a token. If it accepts none by ${until}, that is given up, and the subscriptions there end until it does.`,
          ),
          remedy,
        ],
      };
    }
    case "revoked": {
      const { subscriptions, unsent, removed } = change;
      return {
        tone: "bad",
        word: "CRITICAL",
        title:
          removed === true
            ? text`${name} says that the bot was removed: its alerts there have ended`
            : text`${name} has refused the bot's token for a day: its alerts there have ended`,
        blocks: [
          paragraph(
            text`Since ${time(from, "both")}: ${code(why)}. ${ended(subscriptions)} on ${name}. ${deadLetterWords(unsent)}`,
          ),
          paragraph(text`The subscriptions come back by themselves once ${name} accepts a token.`),
          remedy,
        ],
      };
    }
    case "accepted": {
      const { waiting, unsent, subscriptions } = change;
      return {
        tone: "good",
        word: "RESOLVED",
        title: text`${name} accepts the bot's token again`,
        blocks: [
          paragraph(
            text`It was refused from ${time(from, "both")} to ${time(to, "both")}. ${lateWords(waiting)} ${deadLetterWords(unsent)}${subscriptions === 0 ? "" : ` ${subscriptions === 1 ? "One subscription came" : `${subscriptions} subscriptions came`} back.`}`,
          ),
        ],
      };
    }
    case "back": {
      const { unsent } = change;
      return {
        tone: "good",
        word: "RESOLVED",
        title: text`Alerts arrive here again`,
        blocks: [
          paragraph(
            text`They could not from ${time(from, "both")} to ${time(to, "both")}: ${name} refused the bot's token. ${deadLetterWords(unsent)} What is firing now follows.`,
          ),
        ],
      };
    }
  }
}

function deadLetterWords(count: number): Text {
  if (count === 0) return text`Nothing was given up.`;
  return text`${messages(count)} ${count === 1 ? "was" : "were"} given up; ${code("alerts log")} lists ${count === 1 ? "it" : "them"}.`;
}

function messages(count: number): string {
  return count === 1 ? "One message" : `${count} messages`;
}

function ended(subscriptions: number): string {
  if (subscriptions === 0) return "There were no subscriptions";
  return subscriptions === 1 ? "One subscription ended" : `${subscriptions} subscriptions ended`;
}

function waitWords(waiting: number): string {
  if (waiting === 0) return "Nothing waits there yet.";
  return `${messages(waiting)} ${waiting === 1 ? "waits" : "wait"} there so far.`;
}

function lateWords(waiting: number): string {
  if (waiting === 0) return "Nothing waited there.";
  return waiting === 1
    ? "The message that waited there is sent now, late."
    : `The ${waiting} messages that waited there are sent now, late.`;
}
