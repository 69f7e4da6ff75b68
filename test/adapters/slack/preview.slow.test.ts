import { createSlackPreview } from "../../../src/adapters/slack/preview.ts";
import { draw } from "../../../src/adapters/slack/page/page.js";
import { pictures } from "../../support/pictures.ts";

pictures(createSlackPreview(), draw);
