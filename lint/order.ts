// The rule order/no-later-use: a function uses no variable of its own before the statement that gives it its value, not
// even in a closure. A callback can run while the function still waits.
import type { RuleTester } from "oxlint/plugins-dev";

type Rule = Parameters<RuleTester["run"]>[1];
type Node = { readonly type: string; readonly parent?: unknown };

/** Variables of modules are left out: their statements run before anybody calls. */
const noLaterUse: Rule = {
  create(context) {
    return {
      "Program:exit"() {
        for (const scope of context.sourceCode.scopeManager.scopes) {
          const { variableScope } = scope;
          if (variableScope.type !== "function") continue;
          for (const variable of scope.variables) {
            const [definition] = variable.defs;
            if (definition?.type !== "Variable" && definition?.type !== "ClassName") continue;
            // One that is declared without a value has it from its only assignment on. In a loop it is no such value, but
            // what the loop has found so far.
            const writes = variable.references.filter((one) => one.isWrite());
            const [only] = writes.filter(
              (one) => one.from.variableScope === variableScope && !isInLoop(one.identifier),
            );
            const given = writes.length === 1 && only !== undefined ? only.identifier : definition.name;
            for (const one of variable.references) {
              if (!one.isRead() || one.identifier.range[1] > given.range[0]) continue;
              context.report({
                node: one.identifier,
                message: `${variable.name} has its value only later in this function: build it first, or hand it on.`,
              });
            }
          }
        }
      },
    };
  },
};

function isInLoop(node: Node): boolean {
  for (let at: Node | undefined = node; at !== undefined; at = at.parent as Node | undefined) {
    if (/^(?:For|While|DoWhile)/u.test(at.type)) return true;
    if (/Function/u.test(at.type)) return false;
  }
  return false;
}

export default { meta: { name: "order" }, rules: { "no-later-use": noLaterUse } };
