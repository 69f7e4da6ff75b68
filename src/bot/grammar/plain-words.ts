import type { Token } from "./tokens.ts";

/** Words that hold a sentence together: no command, option or value is called so. */
const SENTENCE_WORDS = new Set(
  (
    "a an the this that these those it its i me my mine we us our you your they them their he she there here " +
    "is are was were be been am do does did has have had can could will would shall should may might must let " +
    "what which who whom whose when where why how and or but if whether so then not no of in on at to by with about as from for since until during over " +
    "please any some just right still also too really never ever even " +
    "doing going being having now moment currently hello hi hey thanks"
  ).split(" "),
);

/** Words that say as little, and may stand within a typed line, too. */
const OTHER_WORDS = new Set(
  (
    "tell give show want need get got like find hear make keep put add see look looking " +
    "moment minute today only yet again quick quickly much current currently overall thing things stuff reason guys team ok " +
    "coin coins long thank cheers mate folks bot bellwether everyone everybody anyone anybody else asap go goes went bit while " +
    "ugh hmm lol omg gm seem seems damn damned hell bloody fuck fucking f wtf shit freaking stupid mine yo tho though"
  ).split(" "),
);

/** Words that belong to another one and say nothing beside it: of `shut up`, `all alerts`. */
const PARTICLES = new Set("all up off out over back down through around".split(" "));

/** Forms that people shorten, with or without their apostrophe, and slips of speed. */
const CONTRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/[’‘]/gu, "'"],
  [/\b(what|how|where|who|that)s\b/gu, "$1 is"],
  [/\b(do|does|did|is|was|are|were|has|have)nt\b/gu, "$1 not"],
  [/\b(do|go|happen|noth|anyth|someth|work|runn)in(?:'|\b)/gu, "$1ing"],
  [/^\W*(?:good )?(?:morning|afternoon|evening|day)\b(?=\W|$)/gu, "hello"],
  [
    /\b(?:between ((?:\S+ ){1,3})and|from ((?:\S+ ){1,3})to) (?=\d|\p{L}+day\b|(?:now|noon|midnight|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*)\b)/gu,
    "from $1$2until ",
  ],
  [/\bnext (?=(?:hour|minute)\b)/gu, "next 1 "],
  [/\bover night\b/gu, "overnight"],
  [/\bhow come\b/gu, "why"],
  // How it is now, and no wish to be told when it changes.
  [
    /\b(?:tell|show) (?:me|us) (?:if|whether) (?=.* (?:is|are) (?:\S+ )?(?:up|ok|okay|healthy|fine|alive|good)\W*$)/gu,
    "is ",
  ],
  [/,\s+(?=not\b)/gu, " but "],
  // A bare hour at the end: `until 8`, `between 22 and 7`.
  [/(?<=\b(?:until|till|til) )(1?\d|2[0-3])(?=\W*$| (?:because|please|every)\b)/gu, "$1:00"],
  [/(?<=\bfrom )(1?\d|2[0-3])(?= until 1?\d:| until 2\d:)/gu, "$1:00"],
  [/(?<=\s|\p{L})>=?\s*(?=\$?\d)/gu, " above "],
  [/\s*<=?\s*(?=\$?\d)/gu, " below "],
  [/\b(last|past|this)(?=(?:night|day|week|month|year)s?\b)/gu, "$1 "],
  [/\b(last|past|this)( \p{L}+)s\b/gu, "$1$2"],
  [/(?<=\s)[+&n](?=\s)/gu, "and"],
  [/(?<!\d ?)\bw\/?(?=\s)/gu, "with"],
  [/(?:#|\b(?:nr\.?|number) ?)?(\d+)(?:st|nd|rd|th)? node\b/gu, "node $1"],
  [/\bnode (?:#|nr\.? ?|number )(?=\d)/gu, "node "],
  [/(?<=\bnodes? \d+(?:,|,? and) )(?:node )?(?=\d+(?!\S))/gu, "n"],
  [/^y(?=\s)/gu, "why"],
  [/\b(bid|offer|ask)\/(?=bid|offer|ask)/gu, "$1 "],
  [/\bb\/o\b/gu, "bid offer"],
  [/\border ?book\b/gu, "book"],
  [/\blevel (?:1|one)\b/gu, "level"],
  [/\bin order\b(?! (?:to|of|book))/gu, "ok"],
  [/(?<=\d)hrs?\b/gu, "h"],
  [/\bcan't\b/gu, "can not"],
  [/\bwon't\b/gu, "will not"],
  [/n't\b/gu, " not"],
  [/'(?:s|re|ve|ll|m|d)\b/gu, ""],
];

/** Other short words, and slips of speed. */
const SHORT_WORDS: ReadonlyMap<string, string> = new Map(
  (
    "lst=last, cant=can not, wont=will not, im=i am, u=you, r=are, pls=please, plz=please, rn=right now, atm=right " +
    "now, thru=through, fro=for, teh=the, hte=the, chan=channel, room=channel, smth=something, wanna=want to, gimme=give me, " +
    "px=price, bc=because, stfu=shut up, hrs=hours, ur=your, thx=thanks, ty=thanks, yday=yesterday, tmrw=tomorrow, " +
    "tmr=tomorrow, wk=week, wks=weeks, wknd=weekend, eod=end of day, nite=night, tonite=tonight, overnite=overnight, " +
    "wat=what, wats=whats, wht=what, whts=whats, waht=what, wahts=whats, notif=notification, notifs=notifications, " +
    "mkt=market, mkts=markets, wich=which, whch=which, wer=where, wen=when, wuts=whats"
  )
    .split(", ")
    .map((one) => one.split("=") as [string, string]),
);

/** Of `2 and 4am`, both are of that half of the day. */
const HALVED = /(?<=\b(?:between|from) )(1?\d)(?= ?(?:and|to|until|till|-) ?(1?\d)(?::\d\d)? ?([ap]m)\b)/gu;

/** The words of a sentence: in small letters, without signs at their ends, contractions taken apart. */
export function plainWords(sentence: string): readonly string[] {
  let plain = sentence.toLowerCase().replaceAll(/\b[a-z]+\b/gu, (word) => SHORT_WORDS.get(word) ?? word);
  plain = plain.replaceAll(HALVED, (both, from, to, half) =>
    from % 12 <= to % 12 ? both.replace(from, from + half) : both,
  );
  for (const [short, long] of CONTRACTIONS) plain = plain.replaceAll(short, long);
  return plain
    .split(/\s+/u)
    .map((word) => word.replaceAll(/^(?:[^\p{L}\p{N}<@*#]|#(?!\p{L}))+|[^\p{L}\p{N}>*%]+$/gu, ""))
    .filter((word) => word !== "");
}

/** Words behind which stands what is not meant. */
const EXCEPTIONS =
  "except excepting excluding exclude without besides beside apart unless instead minus ignoring".split(" ");

/** The same in several words: `all but`, `but not on`, `not counting`. */
const EXCEPTION = new RegExp(
  `(?<!\\S)(?:${EXCEPTIONS.join("|")}|other than|but not?(?! do)|not (?:counting|including|on)|` +
    "(?<=\\b(?:all|(?:every|no|any)(?:thing|body|one)?)(?: \\S+)? )but(?! do))(?!\\S)",
  "u",
);

/** Behind no word with which it turns a verb: `node 2 not sim-3`. */
const NOT =
  /(?<=(?<!\S)(?!(?:is|are|was|were|be|been|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|why|or|if|whether|and|us|please) )\S+ )not(?!\S)/u;

/** All words that say nothing by themselves, or turn the rest, as somebody may misspell them. */
export const SMALL_WORDS: readonly string[] = [...SENTENCE_WORDS, ...OTHER_WORDS, ...PARTICLES, ...EXCEPTIONS];

/** What is meant, and behind `except`, up to a time or a reason, what is not: no value is read from that. */
export function withoutException(words: readonly string[]): {
  readonly words: readonly string[];
  readonly excepted: readonly string[];
} {
  const line = words.join(" ");
  const found = EXCEPTION.exec(line) ?? (mayComplain(words) ? null : NOT.exec(line));
  if (found === null) return { words, excepted: [] };
  const at = line.slice(0, found.index).split(" ").length - 1;
  const least = at + found[0].split(" ").length;
  const behind = words.findIndex(
    (word, index) => index > least && /^(?:for|from|since|till?|until|because)$/u.test(word),
  );
  const end = behind === -1 ? words.length : behind;
  return { words: words.toSpliced(at, end - at), excepted: words.slice(at, end) };
}

/** What stands before a negation that does not complain: no value of what is asked for stands behind it. */
export function affirmed(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /^(?:not|never)$/u.test(word));
  return at === -1 || mayComplain(words) ? words : words.slice(0, at);
}

/** Whether a word may turn what is asked into its contrary. */
export function isNegation(word: string): boolean {
  return /^(?:not|no|never)$/u.test(word);
}

/** Whether a negation says what is wrong, or nothing: `why was it not filled`, `is it up or not`. */
export function mayComplain(words: readonly string[]): boolean {
  const isLast = isNegation(words.at(-1) ?? "");
  return (
    isLast || /^(?:why|how|is|are|was|were|do(?! not)|does|did|has|have|can|could|will|would)\b/u.test(words.join(" "))
  );
}

/** Whether a word belongs to the one before it. */
export function isParticle(word: string): boolean {
  return PARTICLES.has(word);
}

/** Whether a word says something by itself. */
export function isContentWord(word: string): boolean {
  return !SENTENCE_WORDS.has(word) && !OTHER_WORDS.has(word);
}

/** As typed; a number or a time with the word before it: `node 9`, `last week`. */
export function unreadWords(
  words: readonly string[],
  isUnread: (word: string) => boolean,
  typed: string,
): readonly string[] {
  const unread: string[] = [];
  for (const [index, word] of words.entries()) {
    if (!isUnread(word)) continue;
    const at = typed.toLowerCase().indexOf(word);
    const lead = /[./~\\-]*$/u.exec(typed.slice(0, Math.max(at, 0)))?.[0] ?? "";
    const asTyped = at === -1 ? word : lead + typed.slice(at, at + word.length);
    const before = words[index - 1];
    const isNumbered = /^\d+$/u.test(word) && before !== undefined && isContentWord(before);
    const isJoined = isNumbered || /^(?:last|past|next)$/u.test(before ?? "");
    if (isJoined && isUnread(before ?? "")) unread.pop();
    unread.push(isJoined ? `${before} ${asTyped}` : asTyped);
  }
  return [...new Set(unread)];
}

/** Whether the words ask how it was: `when were we told`, `which alerts did this channel get`. */
export function asksOfPast(words: readonly string[]): boolean {
  return PAST_QUESTION.test(words.join(" "));
}

const PAST_QUESTION =
  /^(?:(?:when|where|why|who|how|what|which)(?: often| long)? |(?:what|which) \S+ )?(?:was|were|did|had|(?:has|have) (?:some|any)(?:one|body)) /u;

/** Capital letters stand for names alone: not at the beginning, and not where all letters are capitals. */
export function inUsualCase(question: string): string {
  const sentence = question.trim();
  if (!/\p{Ll}/u.test(sentence)) return sentence.toLowerCase();
  return sentence.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase());
}

/** Whether a line without a command is a sentence, and no slip: it has such words, or a question mark, and no `name:value`. */
export function readsAsQuestion(tokens: readonly Token[]): boolean {
  const line = tokens.map(({ text }) => text).join(" ");
  if (tokens.some(({ text, quotedFrom }) => quotedFrom < Infinity || /^(?:--?|[a-z][a-z\d-]*:)[^\s/]/iu.test(text))) {
    return false;
  }
  if (line.endsWith("?")) return tokens.length > 1;
  const words = plainWords(line);
  return words.length > 2 && words.some((word) => SENTENCE_WORDS.has(word) || EXCEPTIONS.includes(word));
}
