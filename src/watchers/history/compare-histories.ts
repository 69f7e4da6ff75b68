// The pure part of comparing nodes: what cannot differ is compared at equal block, with the other nodes and with what a
// majority said before. What only one node lists, or leaves out, is no difference.
import { z } from "zod";

import { HistoryField } from "../../alerts/judge/kinds/kind.ts";
import type { HistoryName } from "../../api/histories.ts";
import { integerCodec } from "../../api/verdict/memory.ts";
import { compareIntegers } from "../../units/decimal.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";

const texts = z.array(z.string()).readonly();

/** A value of a block that all nodes say alike: a hash, an address. */
const place = {
  what: HistoryField,
  block: integerCodec,
  field: z.string(),
  /** The validator whose address it is. */
  of: z.string().exactOptional(),
};

const claim = z.object({
  ...place,
  /** Of checkpoints that share a block there are several. In lower case: nodes write hashes either way. */
  values: texts,
});
export type Claim = z.output<typeof claim>;

const comparedNode = z.object({
  node: z.string(),
  /** `unknown` where it did not answer, or lists nothing that another node lists. */
  state: z.enum(["good", "bad", "unknown"]),
  /** The first difference; of an unknown node the last one known. */
  differs: z
    .object({
      ...place,
      says: texts,
      others: texts,
      /** The nodes that say otherwise. */
      by: texts,
      /** As many contradict it as do not: nobody can tell which is right. */
      even: z.boolean(),
      /** How many blocks differ. */
      blocks: z.int().positive(),
    })
    .exactOptional(),
});
export type ComparedNode = z.output<typeof comparedNode>;

/** A majority says another value than a majority said before. */
const fork = z.object({
  ...place,
  /** The last block of those that changed, and how many there are; `block` is the first. */
  lastBlock: integerCodec,
  blocks: z.int().positive(),
  before: texts,
  beforeBy: texts,
  after: texts,
  afterBy: texts,
});
type Fork = z.output<typeof fork>;

/** The result of a comparison, and the memory for the next one. */
export const comparison = z.object({
  nodes: z.array(comparedNode).readonly(),
  /** Every value that a majority ever said for what is still listed. */
  agreed: z.array(claim).readonly(),
  fork: fork.exactOptional(),
});
export type Comparison = z.output<typeof comparison>;

/** The answers of one node. */
export interface NodeClaims {
  readonly node: string;
  /** The lists that it answered. */
  readonly lists: ReadonlySet<HistoryName>;
  /** Each place once. */
  readonly claims: readonly Claim[];
}

/** What the nodes say of one place. */
interface Dispute {
  readonly place: Omit<Claim, "values">;
  readonly said: readonly { readonly node: string; readonly values: readonly string[] }[];
  /** The values that more than half of the configured nodes say. */
  readonly majority: readonly string[] | undefined;
  /** The values that a majority said before. */
  readonly known: readonly string[] | undefined;
}

export function placeKey({ what, block, field, of = "" }: Omit<Claim, "values">): string {
  return `${what}/${block}/${field}/${of}`;
}

/** Compares all configured nodes. Pure. */
export function compareHistories(all: readonly NodeClaims[], before: Comparison | undefined): Comparison {
  const disputes = findDisputes(all, before?.agreed ?? []);
  const found = forkOf(disputes);
  const differences = new Map(all.map((one) => [one.node, differencesOf(one, disputes)]));
  // A node that differs from most nodes, or from what most said before, does not count against another one.
  const refuted = new Set([...differences].filter(([, own]) => own.some(({ even }) => !even)).map(([node]) => node));
  return {
    nodes: all.map((one) => {
      const own = differences.get(one.node) ?? [];
      const left = own.filter(({ even, by }) => !even || by.some((node) => !refuted.has(node)));
      return compareNode(one, left, disputes, before);
    }),
    agreed: agreedAfter(disputes, all, before?.agreed ?? []),
    ...withoutUndefined({ fork: found }),
  };
}

function findDisputes(all: readonly NodeClaims[], agreed: readonly Claim[]): readonly Dispute[] {
  const claims = all.flatMap(({ node, claims: own }) => own.map((one) => ({ node, ...one })));
  const disputes = [...Map.groupBy(claims, placeKey).values()].map((group): Dispute => {
    const [{ node: _, values: __, ...where }] = group as [(typeof group)[number]];
    const said = group.map(({ node, values }) => ({ node, values }));
    const supported = said.map(({ values }) => ({
      values,
      by: said.filter((one) => areCompatible(one.values, values)).length,
    }));
    const [most] = supported.toSorted((a, b) => b.by - a.by || b.values.length - a.values.length);
    const majority = most !== undefined && isMajority(most.by, all) ? most.values : undefined;
    return { place: where, said, majority, known: undefined };
  });
  const known = new Map(agreed.map((one) => [placeKey(one), one.values]));
  const withKnown = disputes.map((one) => ({ ...one, known: known.get(placeKey(one.place)) }));
  const begun = begunAnew(withKnown, agreed);
  return withKnown.map((one) => (begun.has(one.place.what) ? { ...one, known: undefined } : one));
}

/** The lists that went back, and have nothing left of what a majority said: the network was reset, not forked. */
function begunAnew(disputes: readonly Dispute[], agreed: readonly Claim[]): ReadonlySet<HistoryName> {
  const settled = disputes.filter(({ majority }) => majority !== undefined);
  const lists = new Set(agreed.map(({ what }) => what));
  return new Set(
    [...lists].filter((what) => {
      const now = settled.filter((one) => one.place.what === what);
      const newest = latest(now.map(({ place: { block } }) => block));
      const newestBefore = latest(agreed.filter((one) => one.what === what).map(({ block }) => block));
      const wentBack = newest !== undefined && newestBefore !== undefined && newest < newestBefore;
      return wentBack && !now.some(({ majority = [], known = [] }) => overlap(majority, known));
    }),
  );
}

function latest(blocks: readonly bigint[]): bigint | undefined {
  return blocks.toSorted(compareIntegers).at(-1);
}

function forkOf(disputes: readonly Dispute[]): Fork | undefined {
  const forked = disputes
    .filter(({ majority, known }) => majority !== undefined && known !== undefined && !overlap(majority, known))
    .toSorted((a, b) => compareIntegers(a.place.block, b.place.block));
  const [first] = forked;
  if (first?.majority === undefined || first.known === undefined) return undefined;
  const { majority: after, known: before, said } = first;
  const blocks = new Set(forked.map(({ place: { block } }) => block));
  const sayingAnyOf = (values: readonly string[]): string[] =>
    said.filter((one) => overlap(one.values, values)).map(({ node }) => node);
  return {
    ...first.place,
    lastBlock: latest([...blocks]) ?? first.place.block,
    blocks: blocks.size,
    before,
    beforeBy: sayingAnyOf(before),
    after,
    afterBy: sayingAnyOf(after),
  };
}

type Difference = NonNullable<ComparedNode["differs"]>;

/**
 * A node differs where it is contradicted by as many as say the same, itself included, or by more. Where no majority says
 * anything now, what a majority said before counts like one more node.
 */
function differencesOf({ claims }: NodeClaims, disputes: readonly Dispute[]): readonly Difference[] {
  const own = new Map(claims.map((one) => [placeKey(one), one.values]));
  return disputes.flatMap(({ place: where, said, majority, known }): Difference[] => {
    const says = own.get(placeKey(where));
    if (says === undefined) return [];
    const against = said.filter(({ values }) => !areCompatible(values, says));
    const witness = majority === undefined ? known : undefined;
    const isRecalled = witness !== undefined && overlap(witness, says);
    const opposed = against.length + (witness !== undefined && !isRecalled ? 1 : 0);
    const agreeing = said.length - against.length + (isRecalled ? 1 : 0);
    if (opposed < agreeing) return [];
    const others = majority ?? witness ?? against[0]?.values ?? [];
    const even = opposed === agreeing && witness === undefined;
    return [{ ...where, says, others, by: against.map(({ node }) => node), even, blocks: 1 }];
  });
}

function compareNode(
  { node, lists, claims }: NodeClaims,
  differences: readonly Difference[],
  disputes: readonly Dispute[],
  before: Comparison | undefined,
): ComparedNode {
  const [first] = differences.toSorted((a, b) => compareIntegers(a.block, b.block));
  if (first !== undefined) {
    return { node, state: "bad", differs: { ...first, blocks: new Set(differences.map(({ block }) => block)).size } };
  }
  const last = before?.nodes.find((one) => one.node === node)?.differs;
  // It may still differ in a list that it did not answer.
  const isSilent = last !== undefined && !lists.has(last.what);
  const own = new Set(claims.map(placeKey));
  const isCompared = disputes.some(({ place: where, said }) => said.length > 1 && own.has(placeKey(where)));
  if (isCompared && !isSilent) return { node, state: "good" };
  return { node, state: "unknown", ...withoutUndefined({ differs: last }) };
}

/** What stays listed is remembered; where too few nodes answered to tell, all is. */
function agreedAfter(
  disputes: readonly Dispute[],
  all: readonly NodeClaims[],
  agreed: readonly Claim[],
): readonly Claim[] {
  const listed = new Set(disputes.map(({ place: where }) => placeKey(where)));
  const kept = agreed.filter(({ what, ...one }) => {
    const answered = all.filter(({ lists }) => lists.has(what)).length;
    return !isMajority(answered, all) && !listed.has(placeKey({ what, ...one }));
  });
  const now = disputes.flatMap(({ place: where, majority = [], known = [] }): Claim[] => {
    const values = [...new Set([...known, ...majority])];
    return values.length === 0 ? [] : [{ ...where, values }];
  });
  return [...kept, ...now];
}

function isMajority(count: number, { length: configured }: readonly unknown[]): boolean {
  return count * 2 > configured;
}

/** One node may not have the second checkpoint of a block yet. */
function areCompatible(a: readonly string[], b: readonly string[]): boolean {
  return a.every((one) => b.includes(one)) || b.every((one) => a.includes(one));
}

function overlap(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.includes(one));
}
