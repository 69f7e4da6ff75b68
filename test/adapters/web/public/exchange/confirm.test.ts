import { expect, test } from "vitest";

import { confirmFirst } from "../../../../../src/adapters/web/public/exchange/confirm.js";

/** A dialog whose events come late, as a browser's do. */
class Dialog extends EventTarget {
  open = false;
  returnValue = "";
  readonly words = { textContent: "" };

  querySelector(): { textContent: string } {
    return this.words;
  }

  showModal(): void {
    this.open = true;
  }

  close(value: string): void {
    this.open = false;
    this.returnValue = value;
  }

  hear(): void {
    this.dispatchEvent(new Event("close"));
  }
}

function ask(dialog: Dialog): Promise<boolean> {
  return confirmFirst(dialog, "Silence all alerts?", "Silence");
}

test.each([
  ["yes", true],
  ["no", false],
])("%s is the answer", async (value, answer) => {
  const dialog = new Dialog();
  const asked = ask(dialog);
  dialog.close(value);
  dialog.hear();
  expect(await asked).toBe(answer);
});

test("the late end of one question answers neither the next one nor itself with its answer", async () => {
  const dialog = new Dialog();
  const first = ask(dialog);
  dialog.close("no");
  const second = ask(dialog);
  dialog.hear();
  expect(await first).toBe(false);
  dialog.close("yes");
  dialog.hear();
  expect(await second).toBe(true);
});
