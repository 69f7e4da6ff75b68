import type { FakeDiscord } from "../support/fake-discord/fake-discord.ts";
import type { FakeSlack } from "../support/fake-slack/fake-slack.ts";
import { type ConsoleAlert, type ConsoleReader, fileUrls } from "./console-reader.ts";

/** One message as people in a channel see it. */
export interface ChannelMessage {
  /** The delivery that it carries. */
  readonly delivery: string;
  /** Its first line as it was posted: at the end of an alert its messages are edited. */
  readonly title: string;
  /** The whole message, as the platform keeps it, with the text of its files. */
  readonly text: string;
  /** Whether it said, when it was posted, that it may be a repeat: an edit takes this away. */
  readonly isMarked?: boolean;
  /** The pictures of an alert that it has, or its thread. */
  readonly pictures?: number;
}

const MARK = /may be a repeat/u;

/** The messages of one destination, in their order there. */
export interface Transcript {
  readonly name: string;
  readonly platform: "discord" | "slack" | "web";
  readonly messages: readonly ChannelMessage[];
}

export function discordTranscript(fake: FakeDiscord, name: string, channel: string): Transcript {
  const messages = [...fake.state.messages.values()]
    .filter((message) => message.channel === channel)
    .map(({ nonce, postedAs, postedWhole, content, embeds, files }) => ({
      delivery: nonce ?? "",
      title: plain(postedAs),
      isMarked: MARK.test(postedWhole),
      text: [content, JSON.stringify(embeds), ...files.map(({ bytes }) => bytes.toString())].join("\n"),
      pictures: picturesOf(files),
    }));
  return { name, platform: "discord", messages };
}

export function slackTranscript(fake: FakeSlack, name: string, channel: string): Transcript {
  const all = fake.state.messages.filter((message) => message.channel === channel && !message.gone);
  const messages = all
    // Files are in the thread of their message.
    .filter(({ metadata }) => metadata !== undefined)
    .map(({ ts, postedAs, postedBlocks, text, blocks, metadata }) => {
      const files = all.filter(({ thread }) => thread === ts).flatMap((reply) => reply.files);
      const { event_payload: payload } = metadata as { event_payload: { delivery: string } };
      return {
        delivery: payload.delivery,
        title: plain(postedAs.split("\n")[0] ?? ""),
        text: [text, JSON.stringify(blocks), ...files.map(({ bytes }) => bytes?.toString() ?? "")].join("\n"),
        isMarked: MARK.test(postedAs + JSON.stringify(postedBlocks)),
        pictures: picturesOf(files),
      };
    });
  return { name, platform: "slack", messages };
}

export function consoleTranscript({ alerts, files }: ConsoleReader): Transcript {
  const messages = alerts.map((alert) => {
    const { id, text } = alert;
    const bodies = fileUrls(text).map((url) => files.get(url) ?? "");
    return { delivery: id, title: titleOf(alert), text: [text, ...bodies].join("\n"), isMarked: MARK.test(text) };
  });
  return { name: "console", platform: "web", messages };
}

function picturesOf(files: readonly { readonly name: string }[]): number {
  return files.filter(({ name }) => name.endsWith("chart.png")).length;
}

/** The first line of an alert of the console's. */
export function titleOf({ text }: Pick<ConsoleAlert, "text">): string {
  const { reply } = JSON.parse(text) as { reply: { title: unknown } };
  return flat(reply.title);
}

/** Without the signs of markup. */
export function plain(text: string): string {
  return text.replaceAll(/[*`\\]|:[a-z_]+:/gu, "").trim();
}

/** All texts inside a piece of JSON, one after the other. */
function flat(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(flat).join("");
  if (typeof value !== "object" || value === null) return "";
  const { text, content, children, value: inner } = value as Record<string, unknown>;
  return flat(text ?? content ?? children ?? inner ?? "");
}
