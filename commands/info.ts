import type { AsOf, NodeClient } from "../src/api/api-client.ts";
import { ApiError } from "../src/api/api-error.ts";
import type { NodeInfo } from "../src/api/node-info.ts";
import { askFor, asOfFooter, refresh } from "../src/bot/answer.ts";
import { command } from "../src/bot/command.ts";
import { field, paragraph, type Block } from "../src/reply/block.ts";
import { reply, type Tone } from "../src/reply/reply.ts";
import { code, strong, text, toText, type Text } from "../src/reply/text.ts";

/** The release whose interface this bot was written for. */
const BUILT_FOR = "v0.71";

interface Said {
  readonly node: string;
  readonly info?: NodeInfo;
  readonly asOf?: AsOf;
  readonly error?: ApiError;
}

export const info = command({
  name: "info",
  summary: "Version and commit of every data node, differences marked",
  examples: ["info", "info network:testnet"],
  access: "everyone",
  audience: "channel",
  options: {},
  run: async (context) => {
    const { api, signal, network } = context;
    const said = await Promise.all(api.nodes.map((node) => askNode(node, signal)));
    const answered = said.filter((one) => one.info !== undefined);
    const [firstError] = said.flatMap((one) => (one.error === undefined ? [] : [one.error]));
    // One node that fails is told best by its own error; with several, each gets its line.
    if (answered.length === 0 && said.length === 1 && firstError !== undefined) throw firstError;
    const versions = new Set(answered.map((one) => one.info?.version));
    const commits = new Set(answered.map((one) => `${one.info?.version ?? ""} ${one.info?.commitHash ?? ""}`));
    const [first] = answered;
    const { title, tone } = headline(said.length, answered.length, versions, commits.size);
    const blocks: Block[] = [];
    if (answered.length > 0) blocks.push(paragraph(builtFor([...versions])));
    if (first !== undefined && said.length === 1) {
      blocks.push({
        kind: "fields",
        fields: [
          field("Node", code(first.node)),
          field("Version", first.info?.version === undefined ? undefined : code(first.info.version)),
          field("Commit", first.info?.commitHash === undefined ? undefined : code(first.info.commitHash)),
        ],
      });
    } else {
      const usual = mostCommon(answered.flatMap((one) => (one.info === undefined ? [] : [one.info])));
      blocks.push({
        kind: "table",
        name: "node-versions",
        columns: [{ title: "Node" }, { title: "Version" }, { title: "Commit", priority: 2 }, { title: "" }],
        rows: said.map((one) => [
          toText(code(one.node)),
          toText(one.info?.version ?? "–"),
          toText(one.info?.commitHash === undefined ? "–" : code(one.info.commitHash)),
          remark(one, usual),
        ]),
      });
    }
    return reply({
      title: text`${network}: ${title}`,
      tone,
      blocks,
      ...(first?.asOf === undefined ? {} : { footer: asOfFooter(first.asOf, context.now()) }),
      actions: [refresh(askFor(context, "info"))],
      ...(answered.length === 0 ? { failure: "network" as const } : {}),
    });
  },
});

async function askNode(node: NodeClient, signal: AbortSignal): Promise<Said> {
  try {
    const { value, asOf } = await node.getNodeInfo({ signal });
    return { node: node.name, info: value, asOf };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { node: node.name, error };
  }
}

function headline(
  asked: number,
  answered: number,
  versions: ReadonlySet<string | undefined>,
  builds: number,
): { title: Text; tone: Tone } {
  const [version = "an unnamed version"] = versions;
  if (answered === 0) return { title: text`none of ${asked} data nodes answers`, tone: "bad" };
  const silent = answered === asked ? text`` : text`, ${asked - answered} of ${asked} nodes did not answer`;
  if (versions.size > 1)
    return { title: text`data nodes run ${versions.size} different versions${silent}`, tone: "warning" };
  if (builds > 1) return { title: text`data nodes run ${version} from different commits${silent}`, tone: "warning" };
  return { title: text`data node ${version}${silent}`, tone: answered === asked ? "good" : "warning" };
}

/** What this bot was written for, against what the nodes say of themselves. */
function builtFor(versions: readonly (string | undefined)[]): Text {
  const said = versions.map((version) => version ?? "nothing").join(" and ");
  const others = versions.filter((version) => !isBuiltFor(version));
  const who = versions.length === 1 ? "this node says" : "these nodes say";
  const line = text`Built for ${BUILT_FOR}; ${who} ${strong(said)}.`;
  return others.length === 0 ? line : text`${line} What a newer release adds is passed through as it is sent.`;
}

function isBuiltFor(version: string | undefined): boolean {
  return version !== undefined && /^v?0\.71(?:\D|$)/u.test(version);
}

function remark(one: Said, usual: NodeInfo | undefined): Text {
  if (one.error !== undefined) return text`${strong("no answer")}: ${one.error.tried.at(-1)?.why ?? one.error.message}`;
  if (one.info?.version !== usual?.version) return toText(strong("other version"));
  return toText(one.info?.commitHash === usual?.commitHash ? "" : strong("other commit"));
}

/** What most nodes run; of equally many, the first one's. */
function mostCommon(infos: readonly NodeInfo[]): NodeInfo | undefined {
  const byBuild = Map.groupBy(infos, (one) => `${one.version ?? ""} ${one.commitHash ?? ""}`);
  return [...byBuild.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}
