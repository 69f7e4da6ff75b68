import type { Caller, Invocation, Prepared, Target, Visibility } from "../../bot/invocation.ts";
import { disposeReply, type Ask, type Reply } from "../../reply/reply.ts";
import { afterLimit } from "./after-limit.ts";
import type { MessageContext } from "./buttons.ts";
import { compose, withLine, type Composed } from "./compose.ts";
import type { Desk } from "./desk.ts";
import { sendFiles, type FilePlace } from "./files.ts";
import { FILE_BYTES, FILES } from "./limits.ts";
import { lateAnswer, unshowableNotice, workingNotice } from "./notices.ts";
import { Progress } from "./progress.ts";
import { ResponseRefused, ResponseUrlGone } from "./response-url.ts";
import { codeOf, faultWords } from "./slack-fault.ts";
import { DirectSurface, directChannel, type Surface } from "./surface.ts";

/** Who asked and where. */
export interface Origin {
  readonly caller: Caller;
  readonly workspace: string | undefined;
  readonly channel: string | undefined;
  /** The thread that an answer for all belongs in. */
  readonly thread?: string | undefined;
  readonly surface: Surface;
  /** Who sees the answer, whatever the question says. */
  readonly audience?: Visibility;
  /** Stands above the answer, in mrkdwn. */
  readonly above?: string;
}

/** Runs a question and answers it, whatever comes. Never rejects. */
export async function answerAsk(desk: Desk, ask: Ask, origin: Origin): Promise<void> {
  await guarded(desk, ask.command, async () => {
    const { surface } = origin;
    const progress = progressOf(desk, ask, surface);
    const prepared = prepare(desk, ask, origin, (latest) => progress.update(latest));
    const reply = await runPrepared(prepared, progress, surface.replaces ? undefined : workingNotice(ask));
    await answerWith(desk, reply, ask, origin, prepared);
  });
}

/** The question as the bot takes it. */
export function prepare(desk: Desk, ask: Ask, origin: Origin, progress?: (latest: Reply) => void): Prepared {
  const invocation: Invocation = {
    ...ask,
    here: targetOf(origin),
    caller: origin.caller,
    signal: desk.signal,
    ...(progress === undefined ? {} : { progress }),
  };
  return desk.bot.prepare(invocation);
}

export function targetOf(origin: Pick<Origin, "workspace" | "channel">): Target {
  const { workspace, channel } = origin;
  return {
    platform: "slack",
    ...(workspace === undefined ? {} : { workspace }),
    ...(channel === undefined ? {} : { channel }),
    files: { maxBytes: FILE_BYTES, maxCount: FILES },
  };
}

function progressOf(desk: Desk, ask: Ask, surface: Surface): Progress<Reply> {
  return new Progress<Reply>(desk.progressAtMillis, async (latest) => {
    // A page stays as it is until the next one is there.
    if (surface.replaces) return false;
    try {
      const { body } = await compose({ ...latest, actions: [] }, {}, desk);
      return await surface.progress(body);
    } catch (error) {
      desk.log.debug({ platform: "slack", command: ask.command, why: faultWords(error) }, "progress was not shown");
      return false;
    }
  });
}

async function runPrepared(prepared: Prepared, progress: Progress<Reply>, first: Reply | undefined): Promise<Reply> {
  if (!prepared.ok) return prepared.reply;
  if (first !== undefined) progress.update(first);
  try {
    return await prepared.run();
  } finally {
    await progress.stop();
  }
}

/**
 * Slack's custom is that an answer goes to the asker alone, who may share it: so only a question that says `private:no`
 * itself is answered for all to see, whatever a command's own default is.
 */
function audienceOf(ask: Ask, origin: Origin, prepared: Prepared): Visibility {
  if (origin.audience !== undefined) return origin.audience;
  return prepared.ok && "private" in ask.options ? prepared.visibility : "caller";
}

/** Says a reply where it belongs: errors to the asker alone, files beside it. Disposes of the reply. */
export async function answerWith(
  desk: Desk,
  reply: Reply,
  ask: Ask,
  origin: Origin,
  prepared: Prepared,
): Promise<void> {
  const { surface, caller } = origin;
  const failed = reply.failure !== undefined;
  const audience = failed ? "caller" : audienceOf(ask, origin, prepared);
  const context: MessageContext = {
    asker: caller.id,
    ask,
    shareable: audience === "caller" && surface.shared,
    replaces: surface.replaces,
    ...(reply.failure === "caller" && hasForm(desk, ask) ? { form: ask } : {}),
  };
  let files: string | undefined;
  try {
    const composed = await compose(reply, context, desk);
    files = await sendAll(desk, composed, origin, audience);
    const body = withLine(composed.body, files);
    const said = origin.above === undefined || failed ? body : withLine(body, origin.above, true);
    if (failed && surface.replaces) await surface.whisper(said);
    else await surface.say(said, audience);
  } catch (error) {
    await sayOtherwise(desk, error, { reply, ask, origin, files });
  } finally {
    await disposeReply(reply);
  }
}

/** Whether the command takes values that a form can ask for. */
function hasForm(desk: Desk, ask: Ask): boolean {
  const command = desk.bot.commands.find(({ name }) => name === ask.command);
  return command !== undefined && command.name !== "help";
}

/** Sends the files of a message where it belongs, and gives a line about each. */
async function sendAll(desk: Desk, { files }: Composed, origin: Origin, audience: Visibility): Promise<string> {
  if (files.length === 0) return "";
  const { channel, thread, surface, caller } = origin;
  const openly = audience === "channel" && channel !== undefined;
  const place: FilePlace | (() => Promise<FilePlace>) = openly
    ? { channel, thread, words: thread === undefined ? "this channel" : "this thread" }
    : () => privatePlace(desk, caller.id, surface.shared);
  return sendFiles(files, place, desk, desk.signal);
}

/** There is no file that one person of a channel alone sees: it goes into the app's direct messages. */
export async function privatePlace(desk: Desk, user: string, elsewhere: boolean): Promise<FilePlace> {
  const channel = await afterLimit(desk.signal, () => directChannel(desk.web, user));
  return { channel, words: elsewhere ? "your direct messages with the app" : "this conversation" };
}

/** Codes with which Slack refuses what a message contains; anything else is about the place or the moment. */
const REFUSED = /^(?:invalid_|msg_|no_text|too_many|markdown_)/u;

interface Unsaid {
  readonly reply: Reply;
  readonly ask: Ask;
  readonly origin: Origin;
  /** What is to be said about its files, where they were sent already. */
  readonly files: string | undefined;
}

/** What remains to be done when Slack did not take an answer where it belonged: it goes into direct messages. */
async function sayOtherwise(desk: Desk, error: unknown, { reply, ask, origin, files }: Unsaid): Promise<void> {
  desk.signal.throwIfAborted();
  const { caller, surface } = origin;
  const code = error instanceof ResponseRefused ? error.code : codeOf(error);
  if (!(error instanceof ResponseUrlGone)) {
    desk.log.error({ platform: "slack", command: ask.command, why: faultWords(error) }, "an answer was not taken");
  }
  if (code !== undefined && REFUSED.test(code)) {
    await surface.whisper((await compose(unshowableNotice(), { asker: caller.id }, desk)).body);
    return;
  }
  if (surface instanceof DirectSurface) throw error;
  const late = await compose(lateAnswer(reply, desk.command, ask), { asker: caller.id, ask }, desk);
  const direct = new DirectSurface(desk, caller.id);
  const lines = files ?? (await sendAll(desk, late, { ...origin, surface: direct }, "caller"));
  await direct.say(withLine(late.body, lines));
}

/** Does something for a person; what fails is for the log, since there is nobody left to tell. */
export async function guarded(desk: Desk, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (desk.signal.aborted) return;
    desk.log.error({ platform: "slack", what, err: error, why: faultWords(error) }, "a person went without an answer");
  }
}
