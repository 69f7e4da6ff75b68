import type { WebClient } from "@slack/web-api";

import type { WebApiAccess } from "./after-limit.ts";
import { EditableMessage } from "./standing-message.ts";

/** One message in the app's direct messages with somebody. */
export function editableDirectMessage(talk: WebApiAccess, user: string): EditableMessage {
  return new EditableMessage(talk, async (call) => ({ channel: await call(() => openDirectChannel(talk.web, user)) }));
}

/** The channel of the app's direct messages with somebody. */
export async function openDirectChannel(web: WebClient, user: string): Promise<string> {
  const { channel } = await web.conversations.open({ users: user });
  if (channel?.id === undefined) throw new Error("Slack opened no direct messages");
  return channel.id;
}
