// @ts-check
/** @import { CommandInfo } from "../../console-info.ts" */

/**
 * Files that people give: chosen by a button, or dropped anywhere on the page.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.row What offers to choose a file.
 * @param {HTMLElement} parts.opener
 * @param {HTMLInputElement} parts.input
 * @param {() => readonly CommandInfo[]} parts.commands
 * @param {(file: File) => void} parts.given
 */
export function createFilePicker({ row, opener, input, commands, given }) {
  const choose = () => input.click();

  /**
   * Whether a line is of a command to which a file can be given.
   *
   * @param {string} line
   */
  const takesFile = (line) =>
    commands().some((command) => command.takesFile && `${line.trim()} `.startsWith(`${command.name} `));

  opener.addEventListener("click", choose);
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    // The same file may be chosen again.
    input.value = "";
    if (file !== undefined) given(file);
  });
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (file === undefined) return;
    event.preventDefault();
    given(file);
  });

  return {
    choose,
    takesFile,
    /**
     * Offers to choose a file while such a line is typed.
     *
     * @param {string} line
     */
    offer: (line) => void (row.hidden = !takesFile(line)),
  };
}
