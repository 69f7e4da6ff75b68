// Discord's limits. One overflow rejects the whole message, so the renderer stays below each of them.

/** https://docs.discord.com/developers/resources/message#create-message */
export const CONTENT_LENGTH = 2000;

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
export const EMBED_TITLE_LENGTH = 256;
export const EMBED_DESCRIPTION_LENGTH = 4096;
/** Undocumented; the limit in Discord's own clients and libraries. */
export const EMBED_URL_LENGTH = 2048;
// All embeds of a message may have 6000 characters, which a single one never reaches.

/** https://docs.discord.com/developers/components/reference#action-row */
const MAX_ROWS = 5;
export const BUTTONS_PER_ROW = 5;
export const MAX_BUTTONS = MAX_ROWS * BUTTONS_PER_ROW;
/** https://docs.discord.com/developers/components/reference#button */
export const BUTTON_LABEL_LENGTH = 80;
export const BUTTON_URL_LENGTH = 512;
/** https://docs.discord.com/developers/components/reference#anatomy-of-a-component-custom-id */
export const CUSTOM_ID_LENGTH = 100;

/** https://docs.discord.com/developers/components/reference#string-select */
export const MAX_SELECT_OPTIONS = 25;
export const SELECT_LABEL_LENGTH = 100;
export const SELECT_PLACEHOLDER_LENGTH = 150;

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-modal */
export const MODAL_TITLE_LENGTH = 45;
export const MAX_MODAL_FIELDS = 5;
/** https://docs.discord.com/developers/components/reference#radio-group: two to ten. */
export const MAX_RADIO_OPTIONS = 10;
/** https://docs.discord.com/developers/components/reference#label */
export const LABEL_LENGTH = 45;
export const LABEL_DESCRIPTION_LENGTH = 100;
/** https://docs.discord.com/developers/components/reference#text-input */
export const TEXT_INPUT_LENGTH = 4000;
export const TEXT_INPUT_PLACEHOLDER_LENGTH = 100;

/** Of a message with Components V2, nested ones included: https://docs.discord.com/developers/components/using-message-components */
export const MAX_COMPONENTS = 40;
/** The same page: all texts of a message together. */
export const COMPONENTS_TEXT_LENGTH = 4000;
/** Not a limit of Discord's: the length of an answer above its button Details. */
export const FOLDED_LENGTH = 1200;

/** https://docs.discord.com/developers/resources/message#attachment-object */
export const ALT_TEXT_LENGTH = 1024;
/** https://docs.discord.com/developers/resources/message#create-message-limitations */
export const MAX_FILES = 10;
/** https://docs.discord.com/developers/reference#uploading-files: the limit of one file, unless the interaction states another. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/**
 * The limit of all files together: a request takes 25 MiB
 * (https://docs.discord.com/developers/resources/message#create-message-limitations), less the message itself and the
 * multipart frame.
 */
export const MAX_TOTAL_FILE_BYTES = 25 * 1024 * 1024 - 64 * 1024;

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object */
export const MAX_COMMANDS = 100;
export const MAX_COMMAND_OPTIONS = 25;
export const MAX_OPTION_CHOICES = 25;
export const DESCRIPTION_LENGTH = 100;
export const CHOICE_LENGTH = 100;
/** Over all names, descriptions and values of one command. */
export const COMMAND_LENGTH = 8000;
/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-naming */
export const COMMAND_NAME = /^[-_\p{Ll}\p{Lo}\p{N}]{1,32}$/u;
/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-structure */
export const TEXT_OPTION_LENGTH = 6000;

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-callback: the first answer within 3 s. */
export const ACKNOWLEDGE_TIMEOUT_MILLIS = 3000;
/** The same page: follow-ups for as long as the interaction's token lives. */
export const TOKEN_LIFETIME_MILLIS = 15 * 60 * 1000;
/** A longer answer comes as a direct message; the rest of the token's lifetime is for the upload of the others. */
export const ANSWER_WITHIN_MILLIS = TOKEN_LIFETIME_MILLIS - 120_000;

/** https://docs.discord.com/developers/resources/message#create-message: 25 characters. */
export const NONCE_LENGTH = 25;
/** The same page: with `enforce_nonce` a nonce is unique "in the past few minutes", hence for two minutes at least. */
export const NONCE_LIFETIME_MILLIS = 120_000;

/** Characters of a code block on one line of an upright phone, counted in Discord's own apps. */
export const PHONE_COLUMNS = 32;
/** Characters of plain text on one line of the same phone, counted in the same apps. */
export const PHONE_LINE = 38;
