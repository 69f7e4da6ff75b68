import { messageId, type AlertMessage } from "./message.ts";

/** Gathers messages that are to be stored: equal ones once. */
export class MessageCollector {
  readonly #byMessage = new Map<AlertMessage, string>();
  readonly #byId = new Map<string, string>();

  /** The id under which it will be stored. */
  add(message: AlertMessage): string {
    const known = this.#byMessage.get(message);
    if (known !== undefined) return known;
    const data = JSON.stringify(message);
    const id = messageId(data);
    this.#byMessage.set(message, id);
    this.#byId.set(id, data);
    return id;
  }

  rows(): { id: string; data: string }[] {
    return [...this.#byId].map(([id, data]) => ({ id, data }));
  }
}
