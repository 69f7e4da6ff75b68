import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Block, Inline, ReplyJson } from "../../src/reply/document.ts";
import { replyFromJson, replyToJson } from "../../src/reply/json.ts";
import type { Attachment, Reply } from "../../src/reply/reply.ts";
import { anyBlock, anyInline, anyReply } from "./arbitrary-reply.ts";
import { gallery } from "./gallery.ts";
import { replyTexts } from "./reply-texts.ts";
import { runs } from "./runs.ts";

const BLOCKS = Block.options.map(({ shape }) => shape.kind.value);
const INLINES = Inline.options.map(({ shape }) => shape.kind.value);
const replies = gallery.map((entry) => entry.reply);

describe("the gallery", () => {
  test("names its replies apart", () => {
    const names = gallery.map((entry) => entry.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^[a-z][a-z-]*$/u.test(name))).toBe(true);
  });

  test.each<[string, readonly string[], (reply: Reply) => readonly string[]]>([
    ["tones", ["neutral", "good", "warning", "bad"], (reply) => [reply.tone]],
    ["failures", ["caller", "network", "bug"], (reply) => (reply.failure === undefined ? [] : [reply.failure])],
    ["blocks", BLOCKS, (reply) => reply.blocks.map((block) => block.kind)],
    [
      "inlines",
      INLINES,
      (reply) =>
        replyTexts(reply)
          .flat()
          .map(({ kind }) => kind),
    ],
    [
      "actions",
      ["link", "replace", "reply", "confirm", "choices"],
      (reply) =>
        reply.actions.flatMap((action) =>
          "url" in action
            ? ["link"]
            : "choices" in action
              ? ["choices"]
              : [action.effect, ...(action.confirm === undefined ? [] : ["confirm"])],
        ),
    ],
    [
      "files",
      ["picture", "attachment"],
      (reply) => [
        ...(reply.picture === undefined ? [] : ["picture"]),
        ...(reply.attachments.length > 0 ? ["attachment"] : []),
      ],
    ],
  ])("shows all %s", (_what, all, kinds) => {
    expect(new Set(replies.flatMap((reply) => [...kinds(reply)]))).toEqual(new Set(all));
  });
});

test("any reply may hold every kind of block and of inline", () => {
  const kindsOf = (some: fc.Arbitrary<{ readonly kind: string }>) =>
    new Set(fc.sample(some, 500).map(({ kind }) => kind));
  expect(kindsOf(anyBlock)).toEqual(new Set(BLOCKS));
  expect(kindsOf(anyInline)).toEqual(new Set(INLINES));
});

test("any reply survives JSON", () => {
  fc.assert(
    fc.property(anyReply, (reply) => {
      const files = [...reply.attachments, ...(reply.picture === undefined ? [] : [reply.picture])];
      const json = ReplyJson.parse(JSON.parse(JSON.stringify(replyToJson(reply))));
      const back = replyFromJson(
        json,
        (file) =>
          files.find(
            (one) =>
              one.sha256 === file.sha256 &&
              one.name === file.name &&
              one.mediaType === file.mediaType &&
              one.alt === file.alt,
          ) as Attachment,
      );
      expect(replyToJson(back)).toEqual(json);
    }),
    runs(100),
  );
});
