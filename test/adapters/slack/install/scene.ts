import { randomBytes } from "node:crypto";

import { commands } from "../../../../commands/index.ts";
import { installPages } from "../../../../src/adapters/slack/install/install.ts";
import { INSTALL_PATH, REDIRECT_PATH } from "../../../../src/adapters/slack/install/install-state.ts";
import { KeyRing } from "../../../../src/adapters/chat/key-ring.ts";
import { OAuth } from "../../../../src/adapters/slack/install/oauth.ts";
import {
  StoredInstallations,
  type StoredInstallationsOptions,
} from "../../../../src/adapters/slack/install/stored-installations.ts";
import { slackManifest } from "../../../../src/adapters/slack/manifest.ts";
import { OWN_TOKEN } from "../../../../src/alerts/sender.ts";
import { createLog } from "../../../../src/log.ts";
import { createStore } from "../../../../src/store/create-store.ts";
import type { Store } from "../../../../src/store/store.ts";
import { fromMillis } from "../../../../src/units/time.ts";
import { FakeSlack } from "../../../support/fake-slack/fake-slack.ts";
import type { Workspace } from "../../../support/fake-slack/oauth.ts";
import { scratchDatabase } from "../../../support/scratch-database.ts";
import { echoBot, type Harness, startConsole } from "../../web/harness.ts";
import { VirtualWaits } from "../virtual-waits.ts";

/** An app that any workspace installs: its pages on a server, its installations in a store, and Slack. */
export interface InstallScene extends AsyncDisposable {
  readonly slack: FakeSlack;
  readonly store: Store;
  readonly waits: VirtualWaits;
  readonly console: Harness;
  /** What was logged. */
  readonly logged: string[];
  readonly key: Buffer;
  installations: StoredInstallations;
  /** A process on the same store, which ends with the scene. */
  start(keys?: readonly Buffer[], more?: Partial<StoredInstallationsOptions>): Promise<StoredInstallations>;
  /** What a browser gets that goes all the way; `change` may meddle with where Slack sends it. */
  install(
    workspace: Workspace,
    more?: { readonly denies?: boolean; readonly change?: (back: URL) => void; readonly cookie?: string },
  ): Promise<{ readonly status: number; readonly page: string; readonly cookie: string }>;
}

export async function installScene(): Promise<InstallScene> {
  const [slack, scratch] = await Promise.all([FakeSlack.start(), scratchDatabase()]);
  const logged: string[] = [];
  const log = createLog("debug", { write: (line) => void logged.push(line) });
  const store = createStore({ url: scratch.file, log });
  const waits = new VirtualWaits();
  waits.attach(slack);
  const now = (): number => slack.state.now();
  const key = randomBytes(32);
  const ending: (() => Promise<void>)[] = [];
  const { clientId, clientSecret } = slack.state.oauth;
  const served: { url: string } = { url: "" };
  const oauth = (): OAuth =>
    new OAuth({ clientId, clientSecret, redirectUrl: served.url + REDIRECT_PATH, apiUrl: slack.apiUrl, log });

  const start: InstallScene["start"] = async (keys = [key], more = {}) => {
    const started = new StoredInstallations({
      table: {
        ...store.installations,
        forget: (row) => store.transaction((tables) => tables.forgetInstallation(row)),
      },
      keys: new KeyRing(keys),
      oauth: oauth(),
      installUrl: served.url + INSTALL_PATH,
      shared: { ...OWN_TOKEN, add: (_name, begin) => void ending.push(begin()) },
      log,
      now,
      sleep: waits.sleep,
      ...more,
    });
    await started.start();
    return started;
  };
  const console = await startConsole(echoBot(), {
    log,
    now: () => fromMillis(now()),
    webhooks: installPages({
      keys: new KeyRing([key]),
      oauth: { authorizeUrl: (state) => oauth().authorizeUrl(state), exchange: (code) => oauth().exchange(code) },
      installations: { save: (grant) => scene.installations.save(grant) },
      useOnce: (state, endsAt) => store.payloads.useOnce(state, endsAt),
      command: "/bell",
      secure: false,
      log,
      now,
    }),
  });
  served.url = console.url.replace(/\/$/u, "");
  slack.state.manifest = slackManifest(commands, "/bell", { redirectUrl: served.url + REDIRECT_PATH });
  const scene: InstallScene = {
    slack,
    store,
    waits,
    console,
    logged,
    key,
    installations: await start(),
    start,
    async install(workspace, { denies = false, change, cookie } = {}) {
      const begun = await console.send(INSTALL_PATH);
      const own = begun.headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "";
      const back = new URL(slack.state.oauth.consent(begun.headers.location ?? "", workspace, { denies }));
      change?.(back);
      const sent = cookie ?? own;
      const { status, body } = await console.send(back.pathname + back.search, { headers: { cookie: sent } });
      return { status, page: body, cookie: own };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(ending.map((end) => end()));
      await console[Symbol.asyncDispose]();
      await store.close();
      await slack.stop();
      await scratch.remove();
    },
  };
  return scene;
}
