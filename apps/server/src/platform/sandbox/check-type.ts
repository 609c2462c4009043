import { embedded, embeddingProblemOf, jq, problemOf } from './rule.ts';
import { compileSchema } from './schema.ts';

/** How evidence of a customer's own type is judged. */
export interface TypeDefinition {
  /** JSON text of a JSON Schema. */
  readonly schema: string | null;
  /** Each in jq, and each must yield exactly one `true`. */
  readonly rules: readonly string[];
  readonly summary: readonly { readonly name: string; readonly expression: string }[];
}

export type TypeCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly field: string; readonly problem: string };

/** Whether the schema and all expressions compile and stay within what is allowed. Nothing is run. */
export function checkType({ schema, rules, summary }: TypeDefinition): TypeCheck {
  const compiled = schema === null ? undefined : compileSchema(schema);
  if (compiled?.ok === false) return { ok: false, field: 'type_schema', problem: compiled.problem };
  const expressions = [
    ...rules.map((text, i) => ({ field: `evaluator.rules.${i}`, text })),
    ...summary.map(({ expression: text }, i) => ({ field: `summary.${i}.expression`, text })),
  ];
  return (
    firstFault(expressions, problemOf) ??
    (combine(expressions.map(({ text }) => text)) ? undefined : firstFault(expressions, embeddingProblemOf)) ?? {
      ok: true,
    }
  );
}

function firstFault(
  expressions: readonly { field: string; text: string }[],
  fault: (text: string) => string | undefined,
): TypeCheck | undefined {
  for (const { field, text } of expressions) {
    const problem = fault(text);
    if (problem !== undefined) return { ok: false, field, problem };
  }
  return undefined;
}

/** Compiles all of them in one call; only when that fails is the faulty one searched for. */
function combine(expressions: readonly string[]): boolean {
  return expressions.length === 0 || jq.raw('', expressions.map(embedded).join(',')).exitCode === 0;
}
