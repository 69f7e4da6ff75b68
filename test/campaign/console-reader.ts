import { setTimeout as sleep } from "node:timers/promises";

/** One alert as sent to the console. */
export interface ConsoleAlert {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly state: string;
  readonly episode?: string;
  readonly text: string;
}

/** Reads the console's stream of alerts across restarts, each time from the last alert on. */
export class ConsoleReader {
  readonly alerts: ConsoleAlert[] = [];
  /** The text of their files, by address. */
  readonly files = new Map<string, string>();
  /** Streams that began with a gap, which a short campaign must never have. */
  gaps = 0;
  readonly #url: string;
  readonly #onAlert: (alert: ConsoleAlert) => void;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  /** `onAlert` is called with each alert, once. */
  constructor(url: string, onAlert: (alert: ConsoleAlert) => void) {
    this.#url = url;
    this.#onAlert = onAlert;
    this.#running = this.#run();
  }

  /** Reads the files of all alerts so far, while the bot runs. */
  async readFiles(): Promise<void> {
    for (const url of this.alerts.flatMap(({ text }) => fileUrls(text))) {
      if (this.files.has(url)) continue;
      const response = await fetch(new URL(url, this.#url));
      this.files.set(url, await response.text());
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#read().catch(() => undefined);
      await sleep(50);
    }
  }

  async #read(): Promise<void> {
    const last = this.alerts.at(-1)?.id;
    const headers = last === undefined ? {} : { "last-event-id": last };
    const response = await fetch(this.#url, { headers, signal: this.#stop.signal });
    if (!response.ok || response.body === null) return;
    let text = "";
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) this.#take(frame);
    }
  }

  #take(frame: string): void {
    if (frame.startsWith("event: gap")) this.gaps += 1;
    const data = /^data: (.*)$/mu.exec(frame)?.[1];
    if (data === undefined || !frame.includes("id: ")) return;
    const { id, kind, subject, state, episode } = JSON.parse(data) as ConsoleAlert;
    const alert = { id, kind, subject, state, ...(episode === undefined ? {} : { episode }), text: data };
    this.alerts.push(alert);
    this.#onAlert(alert);
  }
}

/** The addresses of an alert's files. */
export function fileUrls(text: string): string[] {
  return [...new Set(text.match(/\/api\/alerts\/[\w-]+\/files\/\d+/gu))];
}
