// @ts-check
// What the HTTP interface takes and gives, as types alone, so that modules without a browser name them.
/** @import { ReplyJson } from "../../../reply/document.ts" */

/**
 * @typedef {{ readonly text: string } | { readonly command: string, readonly options: Readonly<Record<string, string | number | boolean>> }} Question
 * @typedef {ReplyJson & { readonly previews?: Readonly<Record<string, unknown>> }} Answer
 * @typedef {{ readonly name: string, readonly summary: string, readonly examples: readonly string[], readonly needs: readonly string[] }} CommandInfo
 * @typedef {{ readonly networks: readonly string[], readonly simulated: boolean, readonly previews: readonly string[], readonly previewNames: Readonly<Record<string, string>>, readonly signedIn: boolean, readonly alerts: boolean, readonly incident: boolean, readonly commands: readonly CommandInfo[] }} ConsoleInfo
 */
