import { createSlackPreview } from "../../../src/adapters/slack/preview.ts";
import { draw } from "../../../src/adapters/web/public/preview/preview-slack.js";
import { pictures } from "../../support/pictures.ts";

pictures(createSlackPreview(), draw);
