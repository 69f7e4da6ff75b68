import type { TextOption } from "../../bot/options/options.ts";
import { listWords } from "../../reply/enum-words.ts";

/** Only values that completion knows. */
export function suggested(suggest: NonNullable<TextOption["suggest"]>): NonNullable<TextOption["takes"]> {
  return async (typed, context) => (await suggest(typed, context)).length > 0;
}

/** The destination, for callers outside of any channel. */
export const TO_OPTION = toOption();

/** The same with an addition to its description. */
export function toOption(addition = "") {
  return {
    kind: "text",
    operatorsOnly: true,
    takes: (typed) => /^(?:console|\w+:.+)$/iu.test(typed),
    description: `Terminal and console only: console, or platform:<channel id>${addition}`,
    example: "platform:<channel id>",
    wording: ({ chats, console: shown }) => {
      const places = [shown.channel, ...chats.map(({ id }) => `${id}:<channel id>`)];
      const examples = [shown.channel, ...chats.map(({ id, exampleChannel }) => `${id}:${exampleChannel}`)];
      return {
        description: `Terminal and console only: ${listWords(places)}${addition}`,
        example: examples.at(-1) ?? "",
      };
    },
  } as const satisfies TextOption;
}

/** Words before a person who is to be told. */
const TELLING = /^(?:subscribe|sub|alert|notify|inform|warn|page|ping|message|tell|sign)$/u;

/** The destination of a new subscription: whoever asks may be told alone. */
export const NEW_TO_OPTION = {
  kind: "text",
  label: "Where to",
  hint: "me: you alone, by direct message. Empty: this channel",
  suggest: () => Promise.resolve([{ label: "Me alone, by direct message", value: "me" }]),
  takes: (typed) => /^(?:me|console|\w+:.+)$/iu.test(typed),
  said: (words, { here, platforms }) => {
    const channel = words.find((word) => /^#|^<#/u.test(word) && !word.includes(here.channel?.toLowerCase() ?? " "));
    if (channel !== undefined) return { value: channel, words: [channel] };
    const isPerson = words.some((word, index) => word === "me" && TELLING.test(words[index - 1] ?? ""));
    const isPlaced = words.some((word) => /^(?:channel|here|us|room)$/u.test(word));
    return isPerson && !isPlaced && platforms.chat(here.platform) !== undefined
      ? { value: "me", words: ["me"] }
      : undefined;
  },
  description: "me: by direct message. Terminal and console: console, or platform:<channel id>",
  example: "me",
  wording: ({ chats, console: shown }) => {
    const places = [shown.channel, ...chats.map(({ id }) => `${id}:<channel id>`)];
    return { description: `me: by direct message. Terminal and console: ${listWords(places)}`, example: "me" };
  },
} as const satisfies TextOption;

/** A network that only narrows the search. */
export const ALL_NETWORKS_OPTION = {
  kind: "network",
  narrows: true,
  section: "Network and who sees it",
  description: "Only this network; left out = all",
} as const;
