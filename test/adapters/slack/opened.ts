import { until } from "../../support/fake-discord/until.ts";
import { fieldOf } from "../../support/fake-slack/form-state.ts";
import { labelsOf, type Person } from "../../support/fake-slack/person.ts";
import type { View } from "../../support/fake-slack/state.ts";
import type { Stage } from "./stage.ts";

/** A form with headings opened, one by one, until it has these fields; left out, all of them. */
export async function opened(
  { fake }: Pick<Stage, "fake">,
  ann: Person,
  begun: View,
  fields?: readonly string[],
): Promise<View> {
  let form = begun;
  for (;;) {
    const [heading] = labelsOf(form.blocks);
    if (heading === undefined || fields?.every((name) => fieldOf(form, name) !== undefined) === true) return form;
    ann.pressInForm(form, heading);
    const shown = (): View => fake.state.views.get(begun.id)!;
    await until(() => !labelsOf(shown().blocks).includes(heading), "the options under the heading");
    form = shown();
  }
}
