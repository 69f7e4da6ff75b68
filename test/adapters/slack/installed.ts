import type { Installation, Installations } from "../../../src/adapters/slack/transport/installations.ts";
import type { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import type { Workspace } from "../../support/fake-slack/oauth.ts";
import { stage, type Stage, type StageOptions } from "./stage.ts";
import { MANY_WORKSPACES } from "../../support/platforms.ts";

export const INSTALL_URL = "https://bell.example/slack/install";

/** The installations of these workspaces, for as long as the fake Slack has them. */
class Installed implements Installations {
  readonly many = true;
  readonly installUrl = INSTALL_URL;
  readonly gone: string[] = [];
  readonly #workspaces: Workspace[] = [];
  readonly #fake: () => FakeSlack;

  constructor(fake: () => FakeSlack) {
    this.#fake = fake;
  }

  /** Somebody adds the app to another workspace, or to a whole organisation. */
  add(name: string, more: { enterprise?: string; organisation?: boolean } = {}): string {
    const { oauth } = this.#fake().state;
    const workspace = oauth.workspace(name, more);
    oauth.install(workspace);
    this.#workspaces.push(workspace);
    return workspace.id;
  }

  async find({ team, enterprise }: { team: string | undefined; enterprise: string | undefined }) {
    const all = await this.all();
    if (team === undefined && enterprise === undefined) return all.length === 1 ? all[0] : undefined;
    return all.find(({ id }) => id === team) ?? all.find(({ id, orgWide }) => orgWide && id === enterprise);
  }

  all(): Promise<readonly Installation[]> {
    const { oauth } = this.#fake().state;
    const grants = this.#workspaces.flatMap(({ id }) => oauth.grantOf(id) ?? []);
    return Promise.resolve(
      grants.map(({ token, botUserId, ...rest }) => ({ ...rest, botToken: token, botUser: botUserId })),
    );
  }

  removed(id: string): Promise<void> {
    this.gone.push(id);
    return Promise.resolve();
  }
}

/** The stage of an app that many workspaces add. */
export async function manyStage(options: StageOptions = {}): Promise<Stage & { readonly installed: Installed }> {
  let scene: Stage | undefined;
  const installed = new Installed(() => scene!.fake);
  scene = await stage({ ...options, botToken: installed, platforms: MANY_WORKSPACES });
  return Object.assign(scene, { installed });
}
