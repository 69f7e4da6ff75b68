import type { WebClient } from "@slack/web-api";

import type { Talk } from "./after-limit.ts";
import { StandingMessage } from "./standing-message.ts";

/** One message in the app's direct messages with somebody. */
export function directMessage(talk: Talk, user: string): StandingMessage {
  return new StandingMessage(talk, async (call) => ({ channel: await call(() => directChannel(talk.web, user)) }));
}

/** The channel of the app's direct messages with somebody. */
export async function directChannel(web: WebClient, user: string): Promise<string> {
  const { channel } = await web.conversations.open({ users: user });
  if (channel?.id === undefined) throw new Error("Slack opened no direct messages");
  return channel.id;
}
