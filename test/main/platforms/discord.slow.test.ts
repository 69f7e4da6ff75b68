import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type Connected, createSandbox, type Sandbox, startOn } from "../../support/bellwether.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { textOf } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";

let sandbox: Sandbox;
let fake: FakeDiscord;
beforeEach(async () => {
  sandbox = createSandbox();
  fake = await FakeDiscord.start();
});
afterEach(async () => {
  await sandbox.cleanUp();
  await fake.stop();
});

const discord = (): Record<string, string> => ({
  DISCORD_TOKEN: fake.state.token,
  DISCORD_API_URL: fake.apiUrl,
  ALLOW_SIMULATOR: "1",
});

/** Starts it and waits until people can type its commands. */
async function start(): Promise<Connected> {
  const running = await startOn("discord", sandbox, discord());
  await until(() => fake.state.commands.size > 0, "the commands' registration");
  return running;
}

describe("npm start with a Discord token", () => {
  it("answers on Discord, and its buttons outlive a kill", async () => {
    const first = await start();
    const channel = fake.channel();
    const ada = fake.person("ada");
    const asked = await ada.run(channel, "checkpoints", {});
    const message = asked.last;
    const firstPage = textOf(message);
    expect(firstPage).toContain("SIMULATED");
    await first.kill("SIGKILL");

    const second = await start();
    const next = await ada.press(message, "Next (older)");
    expect(textOf(next.last)).toContain("SIMULATED");
    expect(textOf(next.last)).not.toBe(firstPage);
    expect(await second.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(fake.complaints()).toEqual([]);
  });

  it("keeps to what a server chose, whatever becomes of the process", async () => {
    const first = await start();
    const channel = fake.channel();
    const ada = fake.person("ada");
    expect((await ada.run(channel, "market list")).last.onlyFor).toBe(ada.id);
    const boss = fake.person("boss", { manages: true });
    expect((await boss.run(channel, "answers set", { markets: "everyone" })).last.onlyFor).toBeUndefined();
    await first.kill("SIGKILL");

    const second = await start();
    expect((await ada.run(channel, "market list")).last.onlyFor).toBeUndefined();
    expect((await ada.run(channel, "market list", { private: true })).last.onlyFor).toBe(ada.id);
    await second.kill("SIGTERM");
    expect(fake.complaints()).toEqual([]);
  });

  it("registers the commands by hand, and shows beforehand what would change", async () => {
    const dry = await sandbox.run(["discord-register", "--dry-run"], discord()).ended;
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\+ \/time$[\s\S]*dry run/mu),
    });
    const real = await sandbox.run(["discord-register"], discord()).ended;
    expect(real).toMatchObject({ code: 0, stdout: expect.stringContaining("Registered, everywhere.") });
    const again = await sandbox.run(["discord-register"], discord()).ended;
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing differs") });
  });
});
