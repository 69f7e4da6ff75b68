import type { Milliseconds } from "../../units/time.ts";

// Slack's limits. Exceeding one rejects the whole message, so the renderer stays below each of them.

/** https://docs.slack.dev/reference/block-kit/blocks: blocks in a message. */
export const MAX_BLOCKS = 50;
/** https://docs.slack.dev/reference/block-kit/blocks/section-block */
export const SECTION_LENGTH = 3000;
/** https://docs.slack.dev/reference/block-kit/blocks/header-block: plain text only. */
export const HEADER_LENGTH = 150;
/** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
export const BUTTON_LABEL_LENGTH = 75;
export const BUTTON_VALUE_LENGTH = 2000;
export const BUTTON_URL_LENGTH = 3000;
/** https://docs.slack.dev/reference/block-kit/block-elements/overflow-menu-element names no minimum any more; it was 2. */
export const OVERFLOW_OPTIONS = { min: 2, max: 5 };
/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
export const CONFIRM_TEXT_LENGTH = 300;
export const CONFIRM_BUTTON_LENGTH = 30;
/**
 * https://docs.slack.dev/reference/block-kit/blocks/table-block: one a message, with 10,000 characters, and no empty cell.
 * https://docs.slack.dev/reference/block-kit/blocks/data-table-block: 201 rows and 20,000 characters; in its first
 * versions 101 rows. One message takes no more than MESSAGE_LENGTH anyway.
 */
export const MAX_TABLE_ROWS = 100;
export const MAX_TABLE_COLUMNS = 20;

/**
 * All blocks of one chat.postMessage together fail with `msg_blocks_too_long` at about 13,000 characters, an
 * undocumented limit; with the notes about files and asker, messages stay below 10,000.
 */
export const MESSAGE_LENGTH = 8_700;
/** https://docs.slack.dev/reference/methods/chat.postMessage#truncating advises 4,000. */
export const TEXT_LENGTH = 3_000;

/** https://docs.slack.dev/reference/block-kit/composition-objects/option-object says 150 of the value, @slack/types says 75. */
export const OPTION_TEXT_LENGTH = 75;
export const OPTION_VALUE_LENGTH = 75;
export const MAX_OPTIONS = 100;
/** https://docs.slack.dev/reference/views/modal-views */
export const MODAL_TITLE_LENGTH = 24;
export const PRIVATE_METADATA_LENGTH = 3000;
/** https://docs.slack.dev/reference/block-kit/blocks/input-block */
export const INPUT_HINT_LENGTH = 2000;
/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
export const PLACEHOLDER_LENGTH = 150;
export const INPUT_TEXT_LENGTH = 3000;
/** https://docs.slack.dev/reference/views/home-tab-views: blocks in a view. */
export const MAX_VIEW_BLOCKS = 100;
/** https://docs.slack.dev/reference/methods/views.publish: Tier 4, which is more than 100 a minute of a workspace. */
export const HOME_PUBLISH_PAUSE_MILLIS: Milliseconds = 650;

/** https://docs.slack.dev/reference/app-manifest */
export const MANIFEST_DESCRIPTION_LENGTH = 140;
export const MANIFEST_LONG_DESCRIPTION_LENGTHS = { min: 175, max: 4000 };
export const USAGE_HINT_LENGTH = 1000;

/** https://docs.slack.dev/messaging/working-with-files#upload: 1 GB a file; Slack shows ten files of one upload together. */
export const MAX_FILE_BYTES = 1_000_000_000;
export const MAX_FILES = 10;

/** https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response */
export const ACKNOWLEDGE_TIMEOUT_MILLIS: Milliseconds = 3000;
/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses: five uses within 30 minutes. */
export const RESPONSE_URL_USES = 5;
export const RESPONSE_URL_LIFETIME_MILLIS: Milliseconds = 30 * 60 * 1000;
/** A later answer goes by direct message. The five minutes that are left serve to upload the files of an answer in time. */
export const ANSWER_WITHIN_MILLIS: Milliseconds = RESPONSE_URL_LIFETIME_MILLIS - 300_000;
/** https://docs.slack.dev/interactivity/handling-user-interaction#modal_responses: a form must be opened within this time. */
export const TRIGGER_LIFETIME_MILLIS: Milliseconds = 3000;
/** Two uses are reserved for the result and for an error. */
export const RESPONSE_URL_PROGRESS_USES = 3;
/** https://docs.slack.dev/apis/web-api/rate-limits: about one message a second and channel. */
export const CHANNEL_INTERVAL_MILLIS: Milliseconds = 1000;
