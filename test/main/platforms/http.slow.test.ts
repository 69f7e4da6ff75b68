import { expect, it } from "vitest";

import type { slackManifest } from "../../../src/adapters/slack/manifest.ts";
import { createSandbox, startOn } from "../../support/bellwether.ts";
import { FakeDiscord } from "../../support/fake-discord/fake-discord.ts";
import { textOf } from "../../support/fake-discord/person.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { textOf as textOnSlack } from "../../support/fake-slack/person.ts";
import { freePort } from "../../support/free-port.ts";

// Both platforms over HTTP, set up as docs/discord.md and docs/slack.md say, with the real process.

it("npm start answers both platforms over HTTP, where the portal and the manifest send them", async () => {
  const sandbox = createSandbox();
  const [discord, slack, port] = await Promise.all([FakeDiscord.start(), FakeSlack.start(), freePort()]);
  try {
    const env = {
      DISCORD_TOKEN: discord.state.token,
      DISCORD_PUBLIC_KEY: discord.endpoint.publicKey,
      DISCORD_API_URL: discord.apiUrl,
      SLACK_BOT_TOKEN: slack.state.botToken,
      SLACK_SIGNING_SECRET: slack.state.signingSecret,
      SLACK_API_URL: slack.apiUrl,
      ALLOW_SIMULATOR: "1",
      WEB_PORT: String(port),
      WEB_TOKEN: "a-token-of-twenty-four-chars",
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    const { WEB_TOKEN: _, ...open } = env;
    const running = await startOn("slack", sandbox, open);
    await until(() => discord.state.commands.size > 0, "the commands' registration");

    const before = await sandbox.run(["doctor"], open).ended;
    expect(before.stdout).toMatch(
      /^fault {4}Discord interactions: .*http:\/\/127\.0\.0\.1:\d+\/discord\/interactions/mu,
    );
    expect(before.stdout).toMatch(/^ok {7}Discord endpoint: /mu);
    await discord.endpoint.save(`${env.PUBLIC_URL}/discord/interactions`);
    const manifest = await sandbox.run(["slack-manifest"], open).ended;
    slack.state.manifest = JSON.parse(manifest.stdout) as ReturnType<typeof slackManifest>;
    await slack.endpoint.verify();
    const after = await sandbox.run(["doctor"], open).ended;
    for (const name of ["Discord interactions", "Discord endpoint", "Slack requests", "Slack endpoint"]) {
      expect(after.stdout).toMatch(new RegExp(`^ok {7}${name}: `, "mu"));
    }
    expect(after.stdout).not.toContain(slack.state.signingSecret);
    expect((await running.kill("SIGTERM")).code).toBe(0);

    // The console asks for a token, the platforms for a signature.
    const guarded = sandbox.run(["start"], env);
    await guarded.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
    expect((await fetch(new URL("/api/console", env.PUBLIC_URL))).status).toBe(401);
    await until(() => slack.requests.filter(({ method }) => method === "auth.test").length > 1, "the second start");
    const ada = await discord.person("ada").run(discord.channel(), "time");
    expect(textOf(ada.last)).toContain("SIMULATED");
    const bob = await slack.person("bob").run(slack.channel(), "time");
    expect(textOnSlack(bob.last)).toContain("SIMULATED");
    const authorization = `Bearer ${env.WEB_TOKEN}`;
    const metrics = await (await fetch(new URL("/metrics", env.PUBLIC_URL), { headers: { authorization } })).text();
    expect(metrics).toContain('_count{method="POST",route="/discord/interactions",status="202"} 1');
    expect(metrics).toContain('_count{method="POST",route="/slack/events",status="200"} 1');
    expect(metrics).toContain('bellwether_platform_up{platform="discord",state="up"} 1');
    const ready = await fetch(new URL("/readyz", env.PUBLIC_URL), { headers: { authorization } });
    expect(await ready.json()).toMatchObject({ parts: { discord: { ok: true }, slack: { ok: true } } });
    expect((await guarded.kill("SIGTERM")).code).toBe(0);
    expect([discord.gateway.seen.identify, slack.sockets.opened]).toEqual([0, 0]);
    expect([...discord.complaints(), ...slack.complaints()]).toEqual([]);
  } finally {
    await sandbox.cleanUp();
    await Promise.all([discord.stop(), slack.stop()]);
  }
});
