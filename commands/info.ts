import { askFor, asOfFooter, refreshAction } from "../src/answers/answer.ts";
import type { AsOf, NodeClient } from "../src/api/api-client.ts";
import { ApiError, didAnswer } from "../src/api/api-error.ts";
import { POLL_TIMEOUT_MILLIS } from "../src/api/client/poll-nodes.ts";
import type { NodeInfo } from "../src/api/model/model.ts";
import { command } from "../src/bot/command.ts";
import { type Block, details, field, fields, paragraph, table } from "../src/reply/block.ts";
import { reply, type Tone } from "../src/reply/reply.ts";
import { code, id, strong, type Text, text, toText } from "../src/reply/text.ts";
import { formatDuration } from "../src/units/time.ts";

/** The release whose interface this bot was written for. */
const BUILT_FOR = "v0.71";

/** So many characters of a commit tell it from the others, as git shows them. */
const SHORT_COMMIT = 8;

interface Said {
  readonly node: string;
  readonly info?: NodeInfo;
  readonly asOf?: AsOf;
  /** Neither this nor `info`: it did not answer in time. */
  readonly error?: ApiError;
}

export const info = command({
  name: "info",
  alsoCalled: ["version", "versions"],
  asked: ["version|release|software node|network|core|run|which", "version", "what node network|mainnet|run"],
  summary: "The version of every data node",
  verb: "Show versions",
  examples: ["info", "info network:testnet"],
  audience: "channel",
  run: async (context) => {
    const { api, signal, network } = context;
    const said = await askNodes(api.nodes, signal);
    const answered = said.filter((one) => one.info !== undefined);
    const [firstError] = said.flatMap((one) => (one.error === undefined ? [] : [one.error]));
    // A single failing node is explained best by its own error; of several each gets a line.
    if (answered.length === 0 && said.length === 1 && firstError !== undefined) throw firstError;
    const versions = new Set(answered.map((one) => one.info?.version));
    const commits = new Set(answered.map((one) => `${one.info?.version ?? ""} ${one.info?.commitHash ?? ""}`));
    const [first] = answered;
    const { title, tone } = headline(said, answered, versions, commits.size);
    const blocks: Block[] = [];
    if (first !== undefined && said.length === 1) {
      blocks.push(
        ...details([
          fields([
            field("Node", code(first.node)),
            field("Version", first.info?.version === undefined ? "not named" : code(first.info.version)),
            field("Commit", first.info?.commitHash === undefined ? undefined : code(first.info.commitHash)),
          ]),
        ]),
      );
    } else {
      const usual = mostCommon(answered.flatMap((one) => (one.info === undefined ? [] : [one.info])));
      blocks.push(
        table({
          name: "node-versions",
          rows: said,
          columns: [
            ["Node", (one) => code(one.node)],
            ["Version", (one) => one.info?.version ?? "–"],
            ["Remark", (one) => remark(one, usual), 2],
            ["Commit", (one) => (one.info?.commitHash === undefined ? "–" : id(one.info.commitHash)), 3],
          ],
        }),
      );
    }
    if (answered.length > 0) {
      const note = paragraph(builtFor([...versions], answered.length));
      blocks.push(
        ...([...versions].every((version) => version !== undefined && isBuiltFor(version)) ? details([note]) : [note]),
      );
    }
    return reply({
      title: text`${network}: ${title}`,
      tone,
      blocks,
      ...(first?.asOf === undefined ? {} : { footer: asOfFooter(first.asOf, context.now()) }),
      actions: [refreshAction(askFor(context, "info"))],
      ...(answered.length === 0 ? { failure: "network" as const } : {}),
    });
  },
});

/** Each node's answer within 3 s: a silent node must not delay the others' answers. */
async function askNodes(nodes: readonly NodeClient[], signal: AbortSignal): Promise<readonly Said[]> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(POLL_TIMEOUT_MILLIS)]);
  const said = await Promise.all(nodes.map((node) => askNode(node, late)));
  signal.throwIfAborted();
  return said;
}

async function askNode(node: NodeClient, late: AbortSignal): Promise<Said> {
  try {
    const { value, asOf } = await node.getNodeInfo({ signal: late });
    return { node: node.name, info: value, asOf };
  } catch (error) {
    if (error instanceof ApiError) return { node: node.name, error };
    if (!late.aborted) throw error;
    return { node: node.name };
  }
}

function headline(
  said: readonly Said[],
  answered: readonly Said[],
  versions: ReadonlySet<string | undefined>,
  builds: number,
): { title: Text; tone: Tone } {
  const asked = said.length;
  const without = said.filter((one) => one.info === undefined);
  const useless = without.some(({ error }) => error !== undefined && didAnswer(error));
  if (answered.length === 0) {
    const verb = useless ? "gives a usable answer" : "answers";
    if (asked > 1) return { title: text`none of ${asked} data nodes ${verb}`, tone: "bad" };
    return {
      title: text`the one data node there is ${useless ? "gives no usable answer" : "does not answer"}`,
      tone: "bad",
    };
  }
  const silent =
    without.length === 0
      ? text``
      : text`, ${without.length} of ${asked} nodes ${useless ? "gave no usable answer" : "did not answer"}`;
  const unnamed = answered.filter((one) => one.info?.version === undefined).length;
  if (unnamed > 0) {
    const who =
      asked === 1
        ? text`the data node names`
        : text`${unnamed} of ${asked} data nodes ${unnamed === 1 ? "names" : "name"}`;
    return { title: text`${who} no version${silent}`, tone: "warning" };
  }
  if (versions.size > 1)
    return {
      title: text`data nodes run ${versions.size} versions, ${[...versions].join(" and ")}${silent}`,
      tone: "warning",
    };
  const [version = ""] = versions;
  if (builds > 1) return { title: text`data nodes run ${version} from different commits${silent}`, tone: "warning" };
  const runs = asked === 1 ? "the data node runs" : "data nodes run";
  const hash = answered[0]?.info?.commitHash;
  const commit = hash === undefined ? text`` : text`, commit ${code(hash.slice(0, SHORT_COMMIT))}`;
  return { title: text`${runs} ${version}${commit}${silent}`, tone: without.length === 0 ? "good" : "warning" };
}

/** The release that this bot was built for, compared with those of the nodes. */
function builtFor(versions: readonly (string | undefined)[], nodes: number): Text {
  const named = versions.filter((version) => version !== undefined);
  const single = nodes === 1;
  const who = single ? "this node" : "these nodes";
  if (named.length === 0) return text`Built for ${BUILT_FOR}; ${who} ${single ? "names" : "name"} no version.`;
  const said = named.length === versions.length ? named : [...named, "nothing"];
  const line = text`Built for ${BUILT_FOR}; ${who} ${single ? "says" : "say"} ${strong(said.join(" and "))}.`;
  const others = named.filter((version) => !isBuiltFor(version));
  return others.length === 0 ? line : text`${line} What a newer release adds is passed through as it is sent.`;
}

function isBuiltFor(version: string): boolean {
  return /^v?0\.71(?:\D|$)/u.test(version);
}

function remark(one: Said, usual: NodeInfo | undefined): Text {
  const { info, error } = one;
  if (info === undefined) {
    const what = error !== undefined && didAnswer(error) ? "no usable answer" : "no answer";
    const why =
      error === undefined
        ? `did not answer within ${formatDuration(POLL_TIMEOUT_MILLIS)}`
        : (error.tried.at(-1)?.why ?? error.message);
    return text`${strong(what)}: ${why}`;
  }
  if (info.version === undefined) return toText(strong("names no version"));
  if (info.version !== usual?.version) return toText(strong("other version"));
  return toText(info.commitHash === usual.commitHash ? "" : strong("other commit"));
}

/** The version that most nodes run; in a tie the first node's. */
function mostCommon(infos: readonly NodeInfo[]): NodeInfo | undefined {
  const byBuild = Map.groupBy(infos, (one) => `${one.version ?? ""} ${one.commitHash ?? ""}`);
  return [...byBuild.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}
