import type { WebApiAccess } from "./after-limit.ts";
import type { MessageBody } from "./compose.ts";
import { editableDirectMessage } from "./direct-message.ts";
import type { EditableMessage } from "./standing-message.ts";
import type { Responder } from "./surface.ts";

/** Answers in the app's direct messages: where nothing else can, and for what comes late. */
export class DirectMessageResponder implements Responder {
  readonly replacesMessage = false;
  readonly shared = false;
  readonly pace = "steady";
  readonly expires = false;
  readonly direct = true;
  readonly #talk: WebApiAccess;
  readonly #user: string;
  readonly #message: EditableMessage;

  constructor(talk: WebApiAccess, user: string) {
    this.#talk = talk;
    this.#user = user;
    this.#message = editableDirectMessage(talk, user);
  }

  async showProgress(body: MessageBody): Promise<boolean> {
    await this.#message.progress(body);
    return true;
  }

  say(body: MessageBody): Promise<void> {
    return this.#message.show(body);
  }

  sayEphemeral(body: MessageBody): Promise<void> {
    return this.#message.show(body);
  }

  forFollowUp(): Responder {
    return new DirectMessageResponder(this.#talk, this.#user);
  }

  replacesProgress(): boolean {
    return true;
  }

  clearProgress(): Promise<void> {
    return Promise.resolve();
  }
}
