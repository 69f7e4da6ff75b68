import { expect, test } from "vitest";

import { linesOf, saying } from "../support/said.ts";
import { talkToSimulator } from "./conversation.ts";

test.each(["hallo", "¿qué tal?", "bonjour à tous", "你好", "wie geht es dem Netzwerk?"])(
  "whoever types %s is offered lines to press that all answer",
  async (line) => {
    const talk = await talkToSimulator();
    expect(await talk.ask(line)).toMatch(saying("!", line.toLowerCase().split(" ")[0] ?? "", "help"));
    const lines = linesOf(talk.lastReply);
    expect(lines).toEqual(["time", "market list", "alerts status", "help"]);
    for (const one of lines) {
      await talk.ask(one);
      expect(talk.lastReply.failure).toBeUndefined();
    }
  },
);
