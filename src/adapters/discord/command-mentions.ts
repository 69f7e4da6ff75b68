import type { APIApplicationCommand } from "discord-api-types/v10";

import type { AnyCommand } from "../../bot/command.ts";
import { parseLine } from "../../bot/grammar/grammar.ts";
import { oneLine } from "../../reply/plain-text.ts";
import type { Ask } from "../../reply/reply.ts";
import { nanoseconds } from "../../units/time.ts";
import { inlineCode, typedOptions } from "./render/markdown.ts";

/** A command as markdown that opens it when pressed, with its options to fill in; undefined for one without a known id. */
export type CommandMention = (what: string | Ask) => string | undefined;

/** Words that stand for a value, as in `<id>`, `[version]` and `…`. */
const STAND_IN = /[<[…]/u;

/** The ids under which Discord knows the commands, from its answer to their registration. */
export class CommandMentions {
  #ids: ReadonlyMap<string, string> = new Map();
  #commands: readonly AnyCommand[] = [];
  #guild: string | undefined;

  /** Keeps the ids of what is registered, in one server or everywhere. */
  learn(
    registered: readonly Pick<APIApplicationCommand, "id" | "name">[],
    commands: readonly AnyCommand[],
    guild: string | undefined,
  ): void {
    this.#ids = new Map(registered.map(({ name, id }) => [name, id]));
    this.#commands = commands;
    this.#guild = guild;
  }

  /** How commands are mentioned in a server, or outside of any: https://docs.discord.com/developers/reference#message-formatting. */
  in(guild: string | undefined): CommandMention {
    return (what) => {
      if (this.#guild !== undefined && this.#guild !== guild) return undefined;
      return typeof what === "string"
        ? this.#ofLine(oneLine(what).trim())
        : this.#mention(what.command, typedOptions(what.options));
    };
  }

  /**
   * How an alert mentions them. Commands that are registered in one server are known there alone; a channel that gets
   * alerts was subscribed by one of them.
   */
  inAlert(isDirect: boolean): CommandMention {
    return this.in(isDirect ? undefined : this.#guild);
  }

  #ofLine(line: string): string | undefined {
    const name = this.#commands.map((one) => one.name).find((one) => line === one || line.startsWith(`${one} `));
    return name === undefined ? undefined : this.#mention(name, this.#named(line) ?? line.slice(name.length + 1));
  }

  /** The options of a line by name: Discord takes them in no other way. */
  #named(line: string): string | undefined {
    if (STAND_IN.test(line)) return undefined;
    try {
      return typedOptions(parseLine(line, this.#commands, nanoseconds(0n)).options);
    } catch {
      return undefined;
    }
  }

  #mention(name: string, options: string): string | undefined {
    const id = this.#ids.get(name.split(" ", 1)[0] ?? name);
    const given = inlineCode(options);
    return id === undefined ? undefined : `</${name}:${id}>${given === "" ? "" : ` ${given}`}`;
  }
}
