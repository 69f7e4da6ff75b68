import { GROUP_WORDS } from "../../alerts/judge/kinds/kind.ts";
import {
  ALERT_KINDS,
  type AlertKind,
  groupOf,
  isPersonalKind,
  KIND_GROUP_NAMES,
  KIND_GROUPS,
  type KindGroup,
  KINDS,
  sortKinds,
} from "../../alerts/judge/kinds/kinds.ts";
import type { ChosenKinds } from "../../alerts/route/subscription.ts";
import { cutShort, didYouMean, nearestTwo, quoteTyped } from "../../bot/nearest.ts";
import { type Choice, type ChoiceGroup, MAX_CHOICE_LENGTH } from "../../bot/options/options.ts";
import { UserError } from "../../errors.ts";
import { capitalised } from "../../reply/enum-words.ts";
import { stem } from "../../bot/grammar/stem.ts";

function isGroup(word: string): word is KindGroup {
  return (KIND_GROUP_NAMES as readonly string[]).includes(word);
}

function isKind(word: string): word is AlertKind {
  return (ALERT_KINDS as readonly string[]).includes(word);
}

/** Whether it is the name of a kind or a group. */
export function isKindWord(word: string): boolean {
  return isGroup(word) || isKind(word);
}

/**
 * `ops, market.price` as kinds in their usual order, and the groups among them; all the kinds of a group are that group.
 * Throws UserError with the nearest matches for an unknown word; `line`: the command to which it offers a line.
 */
export function parseKinds(typed: string, line = "alerts add"): ChosenKinds {
  const given = typed.split(/[\s,;]+/u).filter((word) => word !== "");
  const words = given.map((word) => word.toLowerCase());
  if (words.length === 0) throw unknownKind(typed, line);
  const kinds = sortKinds(
    words.flatMap((word, index): readonly AlertKind[] => {
      if (isGroup(word)) return KIND_GROUPS[word];
      if (isKind(word)) return [word];
      throw unknownKind(given[index] ?? word, line);
    }),
  );
  const personal = kinds.filter((kind) => isPersonalKind(kind));
  if (personal.length > 0 && kinds.length > 1) {
    throw new UserError(`${personal.join(" and ")} is watched by one person.`, {
      option: "kinds",
      remedy: "Add it by itself, with what to watch:",
      suggestion: `alerts add ${personal[0] ?? ""} <id>`,
    });
  }
  const same = groupOf(kinds);
  const groups = same === undefined ? words.filter(isGroup) : [same];
  return groups.length === 0 ? { kinds } : { kinds, groups: [...new Set(groups)] };
}

/** The kind of that name, or of the words that stand for it in a form; undefined for any others. */
export function findKind(typed: string): AlertKind | undefined {
  const word = typed.trim().toLowerCase();
  return isKind(word) ? word : KIND_WORDS.find(([, words]) => words === word)?.[0];
}

/** What people call kinds, where it may be several all of them. */
const NOUNS: Readonly<Partial<Record<AlertKind, string>>> = {
  "network.stalled": "stall halt standstill outage",
  "node.down": "outage",
  "node.lagging": "lag",
  "market.auction": "auction",
  "rotation.new": "rotation",
};

/** The kinds that an everyday word stands for: `stalls`, `lagging`. */
export function kindsCalled(word: string): readonly AlertKind[] {
  const isCalled = (nouns = ""): boolean => nouns.split(" ").some((noun) => stem(noun) === stem(word));
  return ALERT_KINDS.filter((kind) => isCalled(NOUNS[kind]));
}

function unknownKind(typed: string, line: string): UserError {
  const word = typed.toLowerCase();
  // People often remember only the part behind the dot.
  const tails = new Map(ALERT_KINDS.map((kind) => [kind.slice(kind.indexOf(".") + 1), kind]));
  const ends = nearestTwo(word, tails.keys()).flatMap((tail) => tails.get(tail) ?? []);
  const near = [...new Set([...nearestTwo(word, [...KIND_GROUP_NAMES, ...ALERT_KINDS]), ...ends])].slice(0, 2);
  const all = `All groups and kinds are listed by help ${line}.`;
  return new UserError(`${quoteTyped(typed)} is no kind of alert.`, { option: "kinds", ...whatToType() });

  function whatToType() {
    if (/^(?:once|until|back|as)$/u.test(word)) {
      return {
        remedy: 'once, until, back and as critical stand behind a whole condition, as in if:"mark above 70,000 once".',
      };
    }
    if (word.includes("/")) {
      const suggestion = `${line} ${word.toUpperCase()} mark above 70,000`;
      return { remedy: "A market stands behind a kind, or before a condition:", suggestion };
    }
    if (near.length > 0) return didYouMean(typed, near, all);
    const remedy = `It is a group, such as ops or markets, or a kind, such as node.down. ${all} An ops channel needs:`;
    return { remedy, suggestion: `${line} ops` };
  }
}

/** All that can be chosen as kinds: groups, single kinds, and those that one person watches, each apart. */
export const KIND_CHOICES: readonly ChoiceGroup[] = [
  {
    heading: "Groups",
    choices: KIND_GROUP_NAMES.map((name) => ({ ...choiceOf(name, GROUP_WORDS[name]), covers: KIND_GROUPS[name] })),
  },
  {
    heading: "One by one",
    choices: ALERT_KINDS.filter((kind) => !isPersonalKind(kind)).map((kind) => choiceOf(kind, KINDS[kind].words)),
  },
  {
    heading: "For yourself, each apart",
    apart: true,
    choices: ALERT_KINDS.filter((kind) => isPersonalKind(kind)).map((kind) => choiceOf(kind, KINDS[kind].words)),
  },
];

/** `A node does not answer` for a kind; anything else as it is. */
export function kindLabel(typed: string): string {
  const known = KIND_WORDS.find(([kind]) => kind === typed);
  return known === undefined ? typed : capitalised(known[1]);
}

function choiceOf(value: string, words: string): Choice {
  return { label: cutShort(capitalised(words), MAX_CHOICE_LENGTH), value };
}

const KIND_WORDS = ALERT_KINDS.map((kind) => [kind, KINDS[kind].words] as const);
const OFFERED = [...KIND_GROUP_NAMES.map((name) => [name, GROUP_WORDS[name]] as const), ...KIND_WORDS];

function offer([name, words]: readonly [string, string], before = ""): Choice {
  return { label: cutShort(`${name}: ${words}`, MAX_CHOICE_LENGTH), value: `${before}${name}` };
}

/** Completion of a list of kinds: completes the word behind the last comma and keeps the rest. */
export function suggestKinds(typed: string): Promise<readonly Choice[]> {
  const cut = Math.max(typed.lastIndexOf(","), typed.lastIndexOf(" ")) + 1;
  const [before, word] = [typed.slice(0, cut), typed.slice(cut).toLowerCase()];
  const had = new Set(before.toLowerCase().split(/[\s,;]+/u));
  const begins = OFFERED.filter(([name]) => name.startsWith(word));
  const contains = OFFERED.filter(([name, words]) => !name.startsWith(word) && `${name} ${words}`.includes(word));
  return Promise.resolve(
    [...begins, ...contains]
      .filter(([name]) => !had.has(name))
      .map((one) => offer(one, before))
      .filter(({ value }) => value.length <= MAX_CHOICE_LENGTH),
  );
}

export function matchingKinds(typed: string): readonly Choice[] {
  const word = typed.trim().toLowerCase();
  return KIND_WORDS.filter(([kind]) => kind.includes(word)).map((one) => offer(one));
}
