import { type Block, paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { code, commandLine, text, type Text, time } from "../../reply/text.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import type { TokenMessage } from "../message/message.ts";
import type { Platforms } from "../destination.ts";
import { channelName, markedTitle, tokenRemedy, whatToDo } from "./phrases.ts";

/**
 * A platform refuses the bot's token, or a channel cannot be reached; or that is over: what it means, and what to do.
 * Pure and total.
 */
export function describeToken(message: TokenMessage, platforms?: Platforms): Reply {
  const { channel, workspace, operator } = message;
  const { title, blocks } =
    channel === undefined ? tokenText(message, platforms) : channelText(message, channel, platforms);
  const isOver = message.change.what === "accepted" || message.change.what === "back";
  // Where one workspace, or one channel, is out of reach, the others go on without it.
  const isCritical = channel === undefined ? workspace === undefined : operator === true;
  return reply({ tone: isOver ? "good" : isCritical ? "bad" : "warning", title: markedTitle(title, message), blocks });
}

interface TokenText {
  readonly title: Text;
  readonly blocks: readonly Block[];
}

function told(title: Text, ...blocks: readonly Block[]): TokenText {
  return { title, blocks };
}

function tokenText({ platform, workspace, why, since, at, change }: TokenMessage, platforms?: Platforms): TokenText {
  const name = platforms?.nameOf(platform) ?? platform;
  const noun = platforms?.workspaceNoun(platform) ?? "workspace";
  const ofWorkspace = workspace === undefined ? "" : ` of the ${noun} ${workspace}`;
  const fromWorkspace = workspace === undefined ? "" : ` from the ${noun} ${workspace}`;
  const [from, to] = [time(timeFromText(since), "both"), time(timeFromText(at), "both")];
  const remedy = whatToDo(tokenRemedy({ platform, workspace }, platforms));
  switch (change.what) {
    case "refused":
      return told(
        text`${name} refuses the bot's token${ofWorkspace}: no alert arrives there`,
        paragraph(text`Since ${from}: ${code(why)}. Nobody there gets an answer either.`),
        paragraph(
          text`${waitWords(change.waiting)} Messages are sent once ${name} accepts a token. If it accepts none by ${time(timeFromText(change.until))}, they are given up, and the subscriptions there end until it does.`,
        ),
        remedy,
      );
    case "revoked":
      return told(
        change.removed === true
          ? text`${name} says that the bot was removed${fromWorkspace}: its alerts there have ended`
          : text`${name} has refused the bot's token${ofWorkspace} for a day: its alerts there have ended`,
        paragraph(
          text`Since ${from}: ${code(why)}. ${ended(change.subscriptions)} on ${name}. ${deadLetterWords(change.unsent)}`,
        ),
        paragraph(text`The subscriptions come back by themselves once ${name} accepts a token.`),
        remedy,
      );
    case "accepted":
      return told(
        text`${name} accepts the bot's token${ofWorkspace} again`,
        paragraph(text`It was refused from ${from} to ${to}. ${acceptedWords(change)}`),
      );
    case "back":
      return told(
        text`Alerts arrive here again`,
        paragraph(
          text`They could not from ${from} to ${to}: ${name} refused the bot's token. ${deadLetterWords(change.unsent)} What is firing now follows.`,
        ),
      );
  }
}

function channelText(message: TokenMessage, channel: string, platforms?: Platforms): TokenText {
  const { platform, workspace, operator, why, since, at, change } = message;
  const name = platforms?.nameOf(platform) ?? platform;
  const [from, to] = [time(timeFromText(since), "both"), time(timeFromText(at), "both")];
  const person = channel.startsWith("user:") ? channel.slice("user:".length) : undefined;
  const place = person === undefined ? "channel" : "person";
  const where =
    workspace === undefined
      ? []
      : text` in the ${platforms?.workspaceNoun(platform) ?? "workspace"} ${code(workspace)}`;
  const named = text`${person === undefined ? "" : "Direct messages of "}${person === undefined ? channelName({ platform, channel }, platforms) : code(person)}${where}`;
  const remedy = channelRemedy(operator, person, name);
  switch (change.what) {
    case "refused":
      return told(
        text`A ${place} on ${name} can no longer be reached`,
        paragraph(text`${named}, since ${from}: ${why}.`),
        paragraph(
          text`${waitWords(change.waiting)} It is tried again, with growing pauses, until ${time(timeFromText(change.until), "both")}. Then what waits is given up, and the subscriptions there end.${operator === true ? " Other channels may be affected, too." : ""}`,
        ),
        whatToDo(remedy),
      );
    case "revoked":
      return told(
        text`A ${place} on ${name} could not be reached for a day: ${person === undefined ? "its" : "their"} alerts have ended`,
        paragraph(
          text`${named}, since ${from}: ${why}. ${ended(change.subscriptions)} there. ${deadLetterWords(change.unsent)}`,
        ),
        whatToDo(text`${remedy} Then ${commandLine("alerts resume")} brings a subscription back.`),
      );
    case "accepted":
      return told(
        text`A ${place} on ${name} can be reached again`,
        paragraph(text`${named}: out of reach from ${from} to ${to}. ${acceptedWords(change)}`),
      );
    case "back":
      return told(
        text`Alerts arrive here again`,
        paragraph(
          text`They could not from ${from} to ${to}: ${why}. ${deadLetterWords(change.unsent)} What waited is sent late.`,
        ),
      );
  }
}

function acceptedWords(change: Extract<TokenMessage["change"], { what: "accepted" }>): Text {
  const { waiting, unsent, subscriptions } = change;
  return text`${lateWords(waiting)} ${deadLetterWords(unsent)}${returned(subscriptions)}`;
}

function channelRemedy(operator: true | undefined, person: string | undefined, name: string): Text {
  if (operator === true) {
    return text`give the bot what ${name} asks for there; ${code("npm run doctor")} names missing permissions.`;
  }
  if (person !== undefined) return text`ask this person to allow direct messages from the bot on ${name}.`;
  return text`let the bot into the channel, and let it post there.`;
}

function returned(subscriptions: number): string {
  if (subscriptions === 0) return "";
  return subscriptions === 1 ? " One subscription came back." : ` ${subscriptions} subscriptions came back.`;
}

function deadLetterWords(count: number): Text {
  if (count === 0) return text`Nothing was given up.`;
  return text`${messages(count)} ${count === 1 ? "was" : "were"} given up; ${commandLine("alerts log")} lists ${count === 1 ? "it" : "them"}.`;
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
