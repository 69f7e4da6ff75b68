import { beforeAll, describe, expect, test } from "vitest";

import { renderEmbed } from "../../src/adapters/discord/render/embed.ts";
import { renderDiscord } from "../../src/adapters/discord/render/render.ts";
import { renderSlack } from "../../src/adapters/slack/render/render.ts";
import { ALERT_KINDS } from "../../src/alerts/judge/kinds/kinds.ts";
import { aboveFold, unfolded } from "../../src/reply/fold.ts";
import { refusals } from "../adapters/discord/judge.ts";
import { judgeMessage } from "../support/fake-slack/judge.ts";
import { alertMessages } from "../support/gallery/alert-messages.ts";
import { avoidedWords, linesWith } from "../support/glossary.ts";
import { drawSample, type DrawnSample, SCREENS, treeOf } from "./draw.ts";
import { galleryPage } from "./page.ts";
import { linesRead } from "./read.ts";
import { type Sample, SURFACES } from "./samples.ts";
import { drawnViews } from "./views.ts";

/** A page of samples, drawn. */
export interface DrawnPage {
  readonly drawn: DrawnSample[];
  /** The lines that were answered. */
  readonly answered: Set<string>;
}

/** Draws a page of these samples and of all views, and tries on it what holds for any page. `more` adds tests. */
export function describePage(
  what: string,
  samples: () => AsyncIterable<Sample>,
  leastLines: number,
  more: (page: DrawnPage) => void = () => undefined,
): void {
  describe(`the page of ${what}`, () => {
    const drawn: DrawnSample[] = [];
    const answered = new Set<string>();
    let page = "";
    const refused: string[] = [];
    const said: string[] = [];
    beforeAll(async () => {
      for await (const sample of samples()) {
        drawn.push(drawSample(sample));
        for (const surface of SURFACES)
          said.push(...linesRead(treeOf(surface, sample.shown[surface], WIDE), WIDE.columns));
        refused.push(...faultsOf(sample).map((fault) => `${sample.id}: ${fault}`));
        const isAnswer = SURFACES.some((surface) => sample.shown[surface].reply.failure === undefined);
        if (isAnswer && sample.shown.web.as !== "alert") answered.add(sample.title);
      }
      drawn.push(...(await drawnViews()));
      page = galleryPage(drawn);
    }, 120_000);

    test("shows no message that a platform would refuse, folded and whole", () => {
      expect(refused).toEqual([]);
    });

    test("says no word that the glossary has another one for", () => {
      expect(said.length).toBeGreaterThan(leastLines);
      expect(linesWith(avoidedWords().flat(), said)).toEqual([]);
    });

    test("has every alert", () => {
      const ids = drawn.filter(({ group }) => group === "alerts").map(({ id }) => id);
      expect(ids).toHaveLength(alertMessages.length);
      const names = ALERT_KINDS.map((kind) => `alert-${kind.replaceAll(".", "-")}`);
      expect(names.filter((name) => !ids.some((id) => id.startsWith(name)))).toEqual([]);
    });

    test("has each on four surfaces and two screens, under an anchor of its own", () => {
      const sections = page.split('<section class="sample"').slice(1);
      expect(sections).toHaveLength(drawn.length);
      const ids = sections.map((section) => /id="([^"]+)"/u.exec(section)?.[1]);
      expect(new Set(ids).size).toBe(drawn.length);
      for (const section of sections) {
        const shown = [...section.matchAll(/<figure class="(\w+)-screen (\w+)-screen">/gu)].map(([, on, at]) => [
          on,
          at,
        ]);
        // Forms, answers in a modal and the home tab are Slack's alone.
        const isView = drawn.some(({ group, id }) => group === "views" && section.includes(` id="${id}"`));
        expect(shown).toHaveLength((isView ? 1 : SURFACES.length) * Object.keys(SCREENS).length);
        expect(new Set(shown.map(String)).size).toBe(shown.length);
      }
      for (const { drawings } of drawn) for (const { html } of drawings) expect(html.length).toBeGreaterThan(60);
    });

    test("is well-formed, and asks for nothing from elsewhere", () => {
      expect(unbalanced(page)).toEqual([]);
      expect(page).not.toMatch(/<script|<link|@import|url\(|<img|<iframe/u);
      expect(page).not.toMatch(/@media \(width [<>]=? 40rem\)|prefers-color-scheme/u);
      // Both themes of all that is drawn.
      expect(page.match(/light-dark\(/gu)?.length).toBeGreaterThan(40);
    });

    more({ drawn, answered });
  });
}

/** No line is broken, and no column left out. */
const WIDE = { pixels: 4000, columns: 400 };

/** What the strict fakes would refuse of it, in each form in which its message is sent. */
function faultsOf({ shown }: Sample): string[] {
  const isWhole = [false, true];
  return [
    ...isWhole.flatMap((whole) => {
      const { reply, as } = shown.discord;
      const answer = { asker: "1", keeps: true, shareable: true } as const;
      const { files, ...message } =
        as === "alert"
          ? renderEmbed(whole ? unfolded(reply) : aboveFold(reply))
          : renderDiscord(reply, answer, whole ? "whole" : "folded");
      return refusals({ ...message, files: files.map(({ name }) => name) });
    }),
    ...isWhole.flatMap((whole) => {
      const { reply, as } = shown.slack;
      const answer = { asker: "U1", ask: { command: "help", options: {} }, shareable: true, whole };
      const { text, blocks } = renderSlack(reply, as === "alert" ? {} : answer);
      return judgeMessage({ text, blocks });
    }),
  ];
}

const VOID = new Set(["meta", "input", "br", "hr", "img"]);

/** The tags that end where another one would have to, or never. */
export function unbalanced(page: string): string[] {
  const open: string[] = [];
  const faults: string[] = [];
  const body = page.replace("<!doctype html>", "").replaceAll(/<style>[^]*?<\/style>/gu, "");
  for (const [tag, slash = "", name = ""] of body.matchAll(/<(\/?)([a-z]\w*)(?: [a-z-]+(?:="[^"]*")?)*>|<|>/gu)) {
    if (name === "") faults.push(`a bare ${tag}`);
    else if (slash === "/") {
      if (open.at(-1) === name) open.pop();
      else faults.push(`</${name}> in <${open.at(-1)}>`);
    } else if (!VOID.has(name)) open.push(name);
  }
  return [...faults, ...open.map((name) => `<${name}> without end`)].slice(0, 5);
}
