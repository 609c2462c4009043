import ajvPackage from 'ajv/package.json' with { type: 'json' };
import type { TypeDefinition } from './check-type.ts';
import { embedded, jq, problemOf } from './rule.ts';
import { compileSchema } from './schema.ts';

export interface RuleResult {
  readonly rule: string;
  readonly passed: boolean;
  /** Why it did not pass. */
  readonly because: string | null;
}

export type CustomJudgement =
  | { readonly kind: 'schema_failed'; readonly problems: string[] }
  | {
      readonly kind: 'judged';
      readonly results: RuleResult[];
      readonly summary: { readonly name: string; readonly value: unknown }[];
      /** The engines that judged, with versions. */
      readonly engine: string;
    };

const SHOWN_LENGTH = 100;
const VALUE_MAX_LENGTH = 4096;
const DOES_NOT_COMPILE = 3;

/** Judges data by a type's schema and rules. The expressions were checked when the type was saved. */
export function judgeCustom({ data, ...type }: TypeDefinition & { readonly data: unknown }): CustomJudgement {
  const schema = type.schema === null ? undefined : compileSchema(type.schema);
  const problems = schema?.ok === false ? [`the schema ${schema.problem}`] : (schema?.problemsOf(data) ?? []);
  if (problems.length > 0) return { kind: 'schema_failed', problems };

  const rules = type.rules.map(verdictOf);
  const values = type.summary.map(({ expression }) => firstValueOf(expression));
  // A newer jq may refuse what an older one accepted; one expression must not spoil the others.
  const outputs = run([...rules, ...values], data) ?? run([...rules, ...values].map(replaceBroken), data);
  if (outputs?.length !== rules.length + values.length) throw new Error('jq did not answer every expression');
  return {
    kind: 'judged',
    results: type.rules.map((rule, i) => {
      const because = outputs[i] as string | null;
      return { rule, passed: because === null, because };
    }),
    summary: type.summary.map(({ name }, i) => ({ name, value: outputs[rules.length + i] })),
    engine: `${jq.version} ajv-${ajvPackage.version}`,
  };
}

interface Part {
  readonly expression: string;
  readonly program: string;
  /** Replaces an expression that does not compile. */
  readonly otherwise: (problem: string) => unknown;
}

/** Null for a rule that passed, else the reason. */
function verdictOf(expression: string): Part {
  const shown = `tojson | .[0:${SHOWN_LENGTH}]`;
  const program = `try (
    [limit(2; ${embedded(expression)})]
    | if . == [true] then null
      elif length == 0 then "it yields nothing"
      elif length > 1 then "it yields more than one value"
      else "it yields " + (.[0] | ${shown}) end
  ) catch ("it fails: " + (if type == "string" then .[0:300] else (${shown}) end))`;
  return { expression, program, otherwise: (problem) => `it ${problem}` };
}

/** The first value, or null if there is none; one that is too long to show is truncated text. */
function firstValueOf(expression: string): Part {
  const program = `try (
    first((${embedded(expression)}, null)) as $value
    | $value | tojson | if length > ${VALUE_MAX_LENGTH} then .[0:${VALUE_MAX_LENGTH}] + "…" else $value end
  ) catch null`;
  return { expression, program, otherwise: () => null };
}

function replaceBroken(part: Part): Part {
  const problem = problemOf(part.expression);
  return problem === undefined ? part : { ...part, program: JSON.stringify(part.otherwise(problem)) };
}

/** All parts in one call, as jq compiles its own library anew for each call: 3 ms (2026-11). */
function run(parts: readonly Part[], data: unknown): unknown[] | undefined {
  if (parts.length === 0) return [];
  const program = `[${parts.map((part) => embedded(part.program)).join(',')}]`;
  const { stdout, stderr, exitCode } = jq.raw(JSON.stringify(data ?? null), program, ['--compact-output']);
  if (exitCode === DOES_NOT_COMPILE) return undefined;
  if (exitCode !== 0) throw new Error(`jq ended with ${exitCode}: ${stderr.slice(0, 300)}`);
  return JSON.parse(stdout) as unknown[];
}
