import { expect, test } from "vitest";

import { INSTALL_PATH, REDIRECT_PATH, STATE_LIFETIME } from "../../../../src/adapters/slack/install/install-state.ts";
import { installPages } from "../../../../src/adapters/slack/install/install.ts";
import { KeyRing } from "../../../../src/adapters/chat/key-ring.ts";
import { silentLog } from "../../../../src/log.ts";
import { SCOPES } from "../../../../src/adapters/slack/manifest.ts";
import { MAX_PAGES_PER_MINUTE } from "../../../../src/adapters/web/limits.ts";
import { installScene, type InstallScene } from "./scene.ts";

// The pages by which people install the app, over HTTP, against a Slack that takes each code once.

const installed = async ({ store }: InstallScene): Promise<string[]> =>
  (await store.installations.all("slack")).map(({ id }) => id);

test("a browser is sent to Slack with all scopes, and a cookie that no script reads", async () => {
  await using scene = await installScene();
  const { status, headers } = await scene.console.send(INSTALL_PATH);
  expect(status).toBe(302);
  const url = new URL(headers.location ?? "");
  expect(url.href.startsWith(`${scene.slack.origin}/oauth/v2/authorize?`)).toBe(true);
  expect(url.searchParams.get("scope")?.split(",")).toEqual(Object.keys(SCOPES));
  const [cookie = ""] = headers["set-cookie"] ?? [];
  expect(cookie).toMatch(new RegExp(`; Path=${REDIRECT_PATH}; Max-Age=600; HttpOnly; SameSite=Lax$`, "u"));
  // The browser's part goes with no address.
  expect(url.href).not.toContain(cookie.split(/[=;]/u)[1]);
});

test("where people come over TLS, the cookie goes over nothing else", async () => {
  const [begin] = installPages({
    keys: new KeyRing([Buffer.alloc(32)]),
    oauth: {
      authorizeUrl: (state) => `https://slack.example/?state=${state}`,
      exchange: () => Promise.reject(new Error()),
    },
    installations: { save: () => Promise.resolve() },
    useOnce: () => Promise.resolve(true),
    command: "/bell",
    secure: true,
    log: silentLog(),
  });
  const request = { body: new Uint8Array(), query: new URLSearchParams(), header: () => undefined };
  const { headers } = await begin!.handle(request);
  expect(headers?.["Set-Cookie"]).toMatch(/; Secure$/u);
});

test("two workspaces and an organisation install the app, each with tokens of its own, which nothing shows", async () => {
  await using scene = await installScene();
  const { oauth } = scene.slack.state;
  const [acme, zenith] = [oauth.workspace("Acme"), oauth.workspace("Zenith <b> & Sons")];
  const grid = oauth.workspace("Grid", { organisation: true });
  const pages = [await scene.install(acme), await scene.install(zenith), await scene.install(grid)];
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(pages[1]!.page).toContain("Zenith &lt;b&gt; &amp; Sons");
  const found = (id: string) => scene.installations.find({ team: id, enterprise: undefined });
  expect(await Promise.all([grid, acme, zenith].map(({ id }) => found(id)))).toEqual([
    expect.objectContaining({ id: grid.id, orgWide: true, enterprise: grid.id }),
    expect.objectContaining({ id: acme.id, name: "Acme", orgWide: false, botUser: oauth.grantOf(acme.id)?.botUserId }),
    expect.objectContaining({ id: zenith.id, botToken: oauth.grantOf(zenith.id)?.token }),
  ]);
  // A workspace of the organisation, without an installation of its own.
  const organisations = await scene.installations.find({ team: "T99", enterprise: grid.id });
  expect(organisations?.id).toBe(grid.id);
  expect(await scene.installations.find({ team: "T99", enterprise: undefined })).toBeUndefined();
  expect(await scene.installations.find({ team: undefined, enterprise: undefined })).toBeUndefined();

  const rows = await scene.store.installations.all("slack");
  const secrets = [acme, zenith, grid].flatMap(({ id }) => {
    const { token, refreshToken = "" } = oauth.grantOf(id)!;
    return [token, refreshToken];
  });
  const shown = [JSON.stringify(rows), scene.logged.join("\n"), ...pages.map(({ page }) => page)].join("\n");
  for (const secret of [...secrets, oauth.clientSecret, scene.key.toString("base64")]) {
    expect(shown).not.toContain(secret);
  }
  expect(scene.slack.complaints()).toEqual([]);
});

test("what was not allowed, forged, late or used before installs nothing, and leads back to the beginning", async () => {
  await using scene = await installScene();
  const { oauth } = scene.slack.state;
  const acme = oauth.workspace("Acme");
  scene.slack.expected.add("invalid_code").add("bad_client_secret");
  const other = await scene.install(acme, { denies: true });
  const refused: [string, number, Parameters<InstallScene["install"]>[1]][] = [
    ["not allowed", 400, { denies: true }],
    ["without a state", 403, { change: (back) => back.searchParams.delete("state") }],
    ["with a forged state", 403, { change: (back) => back.searchParams.set("state", "1.a.b") }],
    ["in another browser", 403, { cookie: other.cookie }],
    ["without the cookie", 403, { cookie: "" }],
    ["without a code", 400, { change: (back) => back.searchParams.delete("code") }],
    ["with a code that Slack does not know", 400, { change: (back) => back.searchParams.set("code", "none") }],
    ["with an error of Slack's", 400, { change: (back) => back.searchParams.set("error", "<script>") }],
    ["too late", 403, { change: () => void (scene.slack.state.advanceMillis += STATE_LIFETIME) }],
  ];
  for (const [how, expected, more] of refused) {
    // As many pages as a visitor gets, and more.
    scene.slack.state.advanceMillis += 60_000;
    const { status, page } = await scene.install(acme, more);
    expect({ how, status }).toEqual({ how, status: expected });
    expect(page).toContain(`href="${INSTALL_PATH}"`);
    expect(page).not.toContain("<script");
  }
  expect(await installed(scene)).toEqual([]);

  let back: URL | undefined;
  const { status, cookie } = await scene.install(acme, { change: (url) => (back = url) });
  expect(status).toBe(200);
  const exchanged = (): number => scene.slack.requests.filter(({ method }) => method === "oauth.v2.access").length;
  const before = exchanged();
  const again = await scene.console.send(back!.pathname + back!.search, { headers: { cookie } });
  expect([again.status, exchanged() - before]).toEqual([403, 0]);
  expect(await installed(scene)).toEqual([acme.id]);
});

test.each([
  ["answers nothing", { status: 503 }, 503],
  ["breaks off", "cut-before", 503],
  ["refuses", { error: "bad_client_secret" }, 400],
] as const)("where Slack %s, the page says so", async (_what, answer, expected) => {
  await using scene = await installScene();
  scene.slack.fail({ method: "oauth.v2.access", answer });
  const { status, page } = await scene.install(scene.slack.state.oauth.workspace("Acme"));
  expect(status).toBe(expected);
  expect(page).not.toContain(scene.slack.state.oauth.clientSecret);
  expect(await installed(scene)).toEqual([]);
  expect(scene.logged.filter((line) => line.includes('"app not installed"'))).toHaveLength(1);
});

test("a visitor gets so many pages a minute, and other methods none", async () => {
  await using scene = await installScene();
  expect((await scene.console.send(INSTALL_PATH, { method: "POST" })).status).toBe(405);
  const statuses: number[] = [];
  for (let index = 0; index < MAX_PAGES_PER_MINUTE + 2; index += 1) {
    statuses.push((await scene.console.send(INSTALL_PATH)).status);
  }
  expect(statuses.filter((status) => status === 302)).toHaveLength(MAX_PAGES_PER_MINUTE);
  expect(statuses.slice(MAX_PAGES_PER_MINUTE)).toEqual([429, 429]);
});
