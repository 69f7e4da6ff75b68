import { readFile } from "node:fs/promises";
import path from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { askWeb, createSandbox, ROOT, type Sandbox } from "./support/bellwether.ts";

// The dashboard and the rules in docs/ against what a running process offers.

let sandbox: Sandbox;
/** All names that a query may ask for: those of /metrics, histograms with their three ends, and Prometheus's own. */
let offered: Set<string>;
beforeAll(async () => {
  sandbox = createSandbox();
  const [url = ""] = await sandbox.run(["start"]).printed(/http:\/\/127\.0\.0\.1:\d+\//u);
  await askWeb(url, "help");
  const body = await (await fetch(new URL("/metrics", url))).text();
  const types = [...body.matchAll(/^# TYPE (\S+) (\S+)$/gmu)];
  offered = new Set([
    "up",
    ...types.flatMap(([, name = "", type]) =>
      type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  ]);
});
afterAll(() => sandbox.cleanUp());

/** Words of PromQL that stand where a name could. */
const WORDS = new Set(["by", "without", "or", "and", "unless", "on", "ignoring", "offset", "bool"]);

/** The metrics that a query names: what is neither a function, a label, a duration nor a word of the language. */
function metricsIn(query: string): string[] {
  const bare = query
    .replaceAll(/"[^"]*"/gu, "")
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/gu, " ")
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/gu, " ");
  return [...bare.matchAll(/(?<![\w$.])[a-z_:][\w:]*(?!\s*\(|\w)/gu)]
    .map(([name]) => name)
    .filter((name) => !WORDS.has(name));
}

async function dashboardQueries(): Promise<string[]> {
  const text = await readFile(path.join(ROOT, "docs/grafana-dashboard.json"), "utf8");
  const { panels, templating } = JSON.parse(text) as {
    panels: { type: string; targets?: { expr: string }[] }[];
    templating: { list: { query: string | { query: string } }[] };
  };
  const variables = templating.list.flatMap(({ query }) =>
    typeof query === "string" ? [] : [query.query.replace(/^label_values\((\w+),.*$/u, "$1")],
  );
  return [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...variables];
}

async function ruleQueries(): Promise<string[]> {
  const text = await readFile(path.join(ROOT, "docs/prometheus-rules.yaml"), "utf8");
  return [...text.matchAll(/^( +)expr: (?:\|\n((?:\1 {2}.*\n)+)|(.+)$)/gmu)].map(
    ([, , block, line]) => block ?? line ?? "",
  );
}

it.each<[string, () => Promise<string[]>, number]>([
  ["the Grafana dashboard", dashboardQueries, 25],
  ["the Prometheus rules", ruleQueries, 14],
])("%s asks for nothing that /metrics does not offer", async (_name, queries, atLeast) => {
  const all = await queries();
  expect(all.length).toBeGreaterThanOrEqual(atLeast);
  expect(all.filter((query) => metricsIn(query).length === 0)).toEqual([]);
  const unknown = all.flatMap(metricsIn).filter((name) => !offered.has(name));
  expect(unknown).toEqual([]);
});

it("several processes raise an alert once, but for what each has of its own", async () => {
  const text = await readFile(path.join(ROOT, "docs/prometheus-rules.yaml"), "utf8");
  const rules = text.split(/^ {6}- alert: /mu).slice(1);
  const once = /\b(?:max|min|sum)(?: by \([a-z, ]+\))? ?\(/u;
  const each = rules.filter((rule) => !once.test(rule.split("labels:")[0] ?? ""));
  expect(each.map((rule) => rule.split("\n")[0])).toEqual(["BellwetherLogLost", "BellwetherLoopBlocked"]);
});

it("everything that Bellwether counts stands on the dashboard or in a rule", async () => {
  const used = new Set([...(await dashboardQueries()), ...(await ruleQueries())].flatMap(metricsIn));
  const roots = new Set([...used].map((name) => name.replace(/_(?:bucket|sum|count)$/u, "")));
  const own = [...offered].filter((name) => name.startsWith("bellwether_"));
  const left = own.filter((name) => !roots.has(name.replace(/_(?:bucket|sum|count)$/u, "")));
  expect(left).toEqual(["bellwether_build_info"]);
});

it("tells metrics from functions, labels and words", () => {
  const query = 'histogram_quantile(0.9, sum by (a, le) (rate(b_bucket{c="d"}[15m]))) > 60 or e unless f offset 1h';
  expect(metricsIn(query)).toEqual(["b_bucket", "e", "f"]);
});
