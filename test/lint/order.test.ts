import { RuleTester } from "oxlint/plugins-dev";
import { describe, it } from "vitest";

import order from "../../lint/order.ts";

RuleTester.describe = describe;
RuleTester.it = it;

const later = (name: string) => ({
  message: `${name} has its value only later in this function: build it first, or hand it on.`,
});
const refused = (name: string, code: string) => ({ code, errors: [later(name)] });

new RuleTester().run("no-later-use", order.rules["no-later-use"], {
  invalid: [
    // A callback that another process calls while the function still waits.
    refused("jobs", `async function run() { onFewer(() => jobs.look()); await heartbeat(); const jobs = open(); }`),
    refused("opened", `async function run() { let opened; show(() => opened?.count()); opened = await open(); }`),
    refused("web", `const run = async () => { const all = () => [web]; const web = await open(all); };`),
    refused("Late", `function run() { const make = () => new Late(); class Late {} return make; }`),
    refused("found", `function run() { { const look = () => found; const found = look; } }`),
    refused("wake", `class Queue { run() { on(() => wake()); const wake = () => this.go(); } }`),
  ],
  valid: [
    `async function run() { const jobs = open(); onFewer(() => jobs.look()); }`,
    `function run() { const entry = { leave: () => all.delete(entry) }; all.add(entry); }`,
    `function run() { const go = () => off(leave); function leave() { off(go); } on(leave); }`,
    `function run() { let loaded; return { load: () => (loaded ??= open()) }; }`,
    `function run(all) { let best; for (const one of all) { if (best === undefined || one > best) best = one; } }`,
    `function run(all) { let last; const put = () => add(last); for (const one of all) { put(); last = one; } }`,
    `function run() { return LIMIT; } const LIMIT = 1;`,
  ],
});
