import { ALERT_KINDS, isPersonalKind } from "../alerts/kinds/kinds.ts";
import type { Silence } from "../alerts/routing/silence.ts";
import { conditionWords } from "../alerts/wording/condition-words.ts";
import type { Labels } from "../alerts/wording/subscription-words.ts";
import { nearest, quoteTyped } from "../bot/nearest.ts";
import { UserError } from "../errors.ts";
import { type Block, paragraph } from "../reply/block.ts";
import { text } from "../reply/text.ts";
import type { SubscriptionContext } from "./alert-add.ts";
import { episodeLabel, findEpisode } from "./alert-episodes.ts";
import { findKind } from "./alert-kinds.ts";
import { findNode, resolveSubjects, subjectLabels } from "./alert-subjects.ts";
import { MARKET } from "./named-ids.ts";
import { resolveId } from "./resolve-id.ts";
import type { SilenceValues } from "./silence-times.ts";

const SILENCEABLE = ALERT_KINDS.filter((kind) => !isPersonalKind(kind));

/** What a silence keeps back, with what people call it. */
interface SilenceScope {
  readonly scope: Omit<Silence["scope"], "destination">;
  readonly labels: Labels;
  readonly notes: readonly Block[];
}

/** What is kept back: an episode's kind and subject, a kind, a subject, or all. */
export async function parseSilenceScope(context: SubscriptionContext, values: SilenceValues): Promise<SilenceScope> {
  const { network } = values;
  const where = network === undefined ? {} : { network };
  const { what } = values;
  if (what === undefined || /^(?:all|everything)$/iu.test(what)) {
    const subject = values.subject === undefined ? undefined : await resolveNodeOrMarket(context, values.subject);
    return { scope: { ...where, ...subject?.scope }, labels: subject?.labels ?? {}, notes: [] };
  }
  const kind = findKind(what);
  if (kind !== undefined) {
    if (values.subject === undefined) return { scope: { ...where, kind }, labels: {}, notes: [] };
    const [subject = ""] = await resolveSubjects([kind], values.subject, context, "subject");
    const labels = await subjectLabels([{ kinds: [kind], ids: [subject] }], context);
    return { scope: { network: context.network, kind, subject }, labels, notes: [] };
  }
  const named = what.includes("|") ? undefined : await resolveNodeOrMarket(context, what).catch(ignoreUserError);
  if (named !== undefined) return { scope: { ...where, ...named.scope }, labels: named.labels, notes: [] };
  const episode = await findEpisode(context.alerts, what, network).catch((error: unknown) => {
    if (!(error instanceof UserError) || !error.message.startsWith("No episode")) throw error;
    const near = nearest(what, SILENCEABLE);
    throw new UserError(`${quoteTyped(what)} is no episode, kind, market or node that is known here.`, {
      option: "what",
      remedy: `${near === undefined ? "" : `Did you mean ${near}? `}The kinds are ${SILENCEABLE.join(", ")}. What is open now is shown by:`,
      suggestion: "alerts status",
    });
  });
  const label = episodeLabel(episode);
  return {
    scope: { network: episode.network, kind: episode.kind, subject: episode.subject },
    labels: label === undefined ? {} : { [episode.subject]: label },
    notes: [paragraph(text`Firing now: ${conditionWords(episode).bad}`)].filter(() => episode.state === "firing"),
  };
}

/** What was typed may be something else then. */
function ignoreUserError(error: unknown): undefined {
  if (error instanceof UserError) return undefined;
  throw error;
}

/** A data node by its name, else a market; with its network, since names may be those of several. */
async function resolveNodeOrMarket(
  context: SubscriptionContext,
  typed: string,
): Promise<{ scope: { network: string; subject: string }; labels: Labels }> {
  const node = findNode(typed, context.api);
  if (node !== undefined) return { scope: { network: context.network, subject: node }, labels: {} };
  const subject = await resolveId(MARKET, typed, context, "subject");
  const labels = await subjectLabels([{ kinds: ["market.state"], ids: [subject] }], context);
  return { scope: { network: context.network, subject }, labels };
}
