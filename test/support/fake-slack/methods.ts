import { judgeMessage, judgeView } from "./judge.ts";
import { heldIn } from "./form-state.ts";
import { ErrorResponse } from "./error-response.ts";
import type { Grant } from "./oauth.ts";
import type { Block, Channel, State, StoredFile, View } from "./state.ts";

type Args = Readonly<Record<string, unknown>>;

export interface MethodContext {
  readonly state: State;
  readonly origin: string;
  /** When each channel was posted in last; undefined where the limit is not enforced. */
  readonly posted: Map<string, number> | undefined;
  /** The installation of the token, among many; undefined for the token of the workspace that every fake has. */
  readonly grant: Grant | undefined;
}

interface Method {
  /** The permission it takes. */
  readonly scope?: string;
  readonly token?: "app" | "none";
  call(args: Args, context: MethodContext): Record<string, unknown>;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u;

/** The Web API, as far as the bot may use it: a call of anything else is a fault. */
export const METHODS: Readonly<Record<string, Method>> = {
  "auth.test": {
    call: (_args, { state, grant }) => {
      const {
        id,
        name = "Acme",
        enterprise = state.enterprise,
        orgWide = state.orgWide,
        botUserId = state.botUserId,
      } = grant ?? {};
      return {
        user_id: botUserId,
        user: "bellwether",
        team_id: id ?? state.team,
        team: name,
        bot_id: "B01",
        ...(enterprise === undefined ? {} : { enterprise_id: enterprise }),
        is_enterprise_install: orgWide,
      };
    },
  },
  "oauth.v2.access": {
    token: "none",
    call: (args, { state }) => state.oauth.access(args),
  },
  "apps.connections.open": {
    token: "app",
    call: (_args, { state, origin }) => ({ url: `${origin.replace("http", "ws")}/link?ticket=${state.id("ticket-")}` }),
  },
  "users.info": {
    scope: "users:read",
    call: ({ user }, { state, grant }) => {
      const team = known(String(user), state, grant);
      const profile = state.profiles.get(String(user));
      if (profile === undefined) throw new ErrorResponse("user_not_found");
      return { user: { id: user, team_id: team, ...profile } };
    },
  },
  "usergroups.list": {
    scope: "usergroups:read",
    call: ({ include_users: users }, { state }) => ({
      usergroups: [...state.userGroups].map(([id, group]) => ({
        id,
        name: group.name,
        handle: group.handle,
        ...(users === true || users === "true" ? { users: group.members } : {}),
      })),
    }),
  },
  "chat.getPermalink": {
    call: (args, { state, grant }) => {
      const channel = writable(args, state, grant);
      const message = state.message(String(args["message_ts"]));
      if (message === undefined || message.channel !== channel.id) throw new ErrorResponse("message_not_found");
      return { permalink: `https://example.slack.com/archives/${channel.id}/p${message.ts}` };
    },
  },
  "conversations.open": {
    scope: "im:write",
    call: ({ users }, { state, grant }) => {
      if (typeof users !== "string" || !/^[UW]/u.test(users)) throw new ErrorResponse("users_not_found");
      known(users, state, grant);
      return { channel: { id: state.direct(users).id } };
    },
  },
  "chat.postMessage": {
    scope: "chat:write",
    call: (args, context) => {
      const { state, grant } = context;
      const channel = writable(args, state, grant);
      limit(channel, context);
      judged(args);
      if (unfoldsLinks(args)) throw new ErrorResponse("invalid_arguments", { why: "links would unfold" });
      const clientId = args["client_msg_id"];
      // https://docs.slack.dev/reference/methods/chat.postMessage#errors names it; what Slack does with it is not said.
      if (clientId !== undefined && !(typeof clientId === "string" && UUID.test(clientId))) {
        throw new ErrorResponse("invalid_arguments", { why: "client_msg_id" });
      }
      const broadcast = args["reply_broadcast"] ?? false;
      if (typeof broadcast !== "boolean") throw new ErrorResponse("invalid_arguments", { why: "reply_broadcast" });
      // Used in conjunction with thread_ts: https://docs.slack.dev/reference/methods/chat.postMessage#arg_reply_broadcast
      if (broadcast && threadOf(args) === undefined) {
        throw new ErrorResponse("invalid_arguments", { why: "reply_broadcast without thread_ts" });
      }
      if (state.messages.some(({ ts, gone }) => gone && ts === threadOf(args))) {
        throw new ErrorResponse("thread_not_found");
      }
      const message = state.post({
        channel: channel.id,
        clientId,
        broadcast,
        thread: threadOf(args),
        text: String(args["text"]),
        blocks: blocksOf(args),
        metadata: args["metadata"],
      });
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.postEphemeral": {
    scope: "chat:write",
    call: (args, { state, grant }) => {
      const channel = writable(args, state, grant);
      judged(args);
      if (typeof args["user"] !== "string") throw new ErrorResponse("user_not_found");
      const message = state.post({
        channel: channel.id,
        thread: threadOf(args),
        onlyFor: args["user"],
        text: String(args["text"]),
        blocks: blocksOf(args),
      });
      return { message_ts: message.ts };
    },
  },
  "chat.update": {
    scope: "chat:write",
    call: (args, { state, grant }) => {
      const channel = writable(args, state, grant);
      judged(args);
      const message = state.message(String(args["ts"]));
      if (message === undefined || message.channel !== channel.id) throw new ErrorResponse("message_not_found");
      if (message.onlyFor !== undefined) throw new ErrorResponse("cant_update_message");
      message.text = String(args["text"]);
      message.blocks = blocksOf(args);
      message.edits += 1;
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.delete": {
    scope: "chat:write",
    call: (args, { state, grant }) => {
      const channel = writable(args, state, grant);
      const message = state.message(String(args["ts"]));
      if (message === undefined || message.channel !== channel.id) throw new ErrorResponse("message_not_found");
      if (message.onlyFor !== undefined) throw new ErrorResponse("cant_delete_message");
      message.gone = true;
      return { channel: channel.id, ts: message.ts };
    },
  },
  "views.open": {
    call: (args, { state, grant }) => {
      const trigger = state.triggers.get(String(args["trigger_id"]));
      if (trigger !== undefined) known(trigger.user, state, grant);
      if (trigger === undefined) throw new ErrorResponse("invalid_trigger_id");
      if (trigger.used) throw new ErrorResponse("exchanged_trigger_id");
      if (state.now() - trigger.at > 3000) throw new ErrorResponse("expired_trigger_id");
      trigger.used = true;
      const view = viewOf(args, state.id("V"), trigger.user);
      state.views.set(view.id, view);
      return { view: { id: view.id } };
    },
  },
  "views.update": {
    call: (args, { state }) => {
      const known = state.views.get(String(args["view_id"]));
      if (known === undefined) throw new ErrorResponse("not_found");
      const view = viewOf(args, known.id, known.user);
      const held = known.held === undefined ? {} : { held: heldIn({ held: known.held, blocks: view.blocks }) };
      state.views.set(view.id, { ...view, ...held });
      return { view: { id: view.id } };
    },
  },
  "views.publish": {
    call: (args, { state, grant }) => {
      known(String(args["user_id"]), state, grant);
      const view = viewOf(args, state.id("V"), String(args["user_id"]));
      if (view.type !== "home") throw new ErrorResponse("invalid_arguments");
      state.homes.set(view.user, view);
      return { view: { id: view.id } };
    },
  },
  "files.getUploadURLExternal": {
    scope: "files:write",
    call: (args, { state, origin }) => {
      const [length, name] = [Number(args["length"]), args["filename"]];
      if (!Number.isSafeInteger(length) || length <= 0) throw new ErrorResponse("invalid_arguments", { why: "length" });
      if (typeof name !== "string" || name === "") throw new ErrorResponse("invalid_arguments", { why: "filename" });
      const alt = typeof args["alt_txt"] === "string" ? args["alt_txt"] : undefined;
      const file: StoredFile = { id: state.id("F"), name, length, alt, bytes: undefined };
      state.files.set(file.id, file);
      return { upload_url: `${origin}/upload/${file.id}`, file_id: file.id };
    },
  },
  "files.completeUploadExternal": {
    scope: "files:write",
    call: (args, { state, origin, grant }) => {
      const files = ((args["files"] ?? []) as { id: string; title?: string }[]).map(({ id }) => {
        const file = state.files.get(id);
        if (file?.bytes === undefined) throw new ErrorResponse("file_not_found");
        return file;
      });
      const channel = writable({ channel: args["channel_id"] }, state, grant);
      const sharing = state.sharings.shift();
      if (sharing !== "never") {
        state.post({ channel: channel.id, thread: threadOf(args), text: "", files });
        for (const { id } of files) state.shared.set(id, { channel: channel.id, unseen: sharing === "late" ? 2 : 0 });
      }
      return {
        files: files.map(({ id, name }) => ({ id, title: name, permalink: `${origin}/files/${id}/${name}` })),
      };
    },
  },
  "files.info": {
    scope: "files:read",
    call: (args, { state }) => {
      const file = state.files.get(String(args["file"]));
      if (file === undefined) throw new ErrorResponse("file_not_found");
      const share = state.shared.get(file.id);
      if (share === undefined || share.unseen > 0) {
        if (share !== undefined) share.unseen -= 1;
        return { file: { id: file.id, shares: {} } };
      }
      const side = share.channel.startsWith("C") ? "public" : "private";
      return { file: { id: file.id, shares: { [side]: { [share.channel]: [{}] } } } };
    },
  },
  "files.delete": {
    scope: "files:write",
    call: (args, { state }) => {
      if (!state.files.delete(String(args["file"]))) throw new ErrorResponse("file_not_found");
      return {};
    },
  },
};

/** The workspace of somebody whom a token knows. */
function known(user: string, state: State, grant: Grant | undefined): string {
  const team = state.teams.get(user) ?? state.team;
  if (!state.oauth.reaches(grant, team)) throw new ErrorResponse("user_not_found");
  return team;
}

/** The channel that a call names, where the app may write in it: a token reaches its own workspace alone. */
function writable(args: Args, state: State, grant: Grant | undefined): Channel {
  const channel = state.channels.get(String(args["channel"]));
  if (channel === undefined || !state.oauth.reaches(grant, channel.team)) throw new ErrorResponse("channel_not_found");
  if (channel.archived) throw new ErrorResponse("is_archived");
  if (!channel.member) throw new ErrorResponse("not_in_channel");
  return channel;
}

/** About one message a second and channel, as Slack counts: from the last one taken on. */
function limit(channel: Channel, { posted }: MethodContext): void {
  if (posted === undefined) return;
  const since = performance.now() - (posted.get(channel.id) ?? Number.NEGATIVE_INFINITY);
  if (since < 1000) throw new ErrorResponse("ratelimited", {}, 1);
  posted.set(channel.id, performance.now());
}

/** Whether Slack would make cards of the links in a message. */
export function unfoldsLinks(args: Args): boolean {
  return args["unfurl_links"] !== false || args["unfurl_media"] !== false;
}

function judged(args: Args): void {
  const faults = judgeMessage(args);
  if (faults.length > 0) {
    throw new ErrorResponse("invalid_blocks", {
      response_metadata: { messages: faults.map((fault) => `[ERROR] ${fault}`) },
    });
  }
}

function viewOf(args: Args, id: string, user: string): View {
  const given = args["view"] as Omit<View, "id" | "user">;
  const faults = judgeView(given);
  if (faults.length > 0) throw new ErrorResponse("invalid_arguments", { response_metadata: { messages: faults } });
  return { ...given, private_metadata: given.private_metadata ?? "", id, user };
}

function blocksOf(args: Args): readonly Block[] {
  return (args["blocks"] ?? []) as readonly Block[];
}

function threadOf(args: Args): string | undefined {
  return typeof args["thread_ts"] === "string" ? args["thread_ts"] : undefined;
}
