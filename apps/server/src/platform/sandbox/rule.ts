import { loadJq } from 'jq-wasm';

export const jq = await loadJq();

/** Functions that would make a verdict depend on more than the data, or do more than return one. */
const FORBIDDEN = new Set([
  'now',
  'localtime',
  'strflocaltime',
  'env',
  'input',
  'input_line_number',
  'input_filename',
  'debug',
  'stderr',
  'halt',
  'halt_error',
  'modulemeta',
  'get_search_list',
  'get_jq_origin',
  'get_prog_origin',
]);

/** The environment that jq gets here, as compiled code shows it for `$ENV`. */
const ENVIRONMENT = jq.raw('null', '$ENV', ['--compact-output']).stdout.trim();

/** Why an expression may not be used as a rule or in a summary. */
export function problemOf(expression: string): string | undefined {
  // Without input nothing runs. The dump of the compiled code names only what is really called.
  const { stdout, stderr, exitCode } = jq.raw('', expression, ['--debug-dump-disasm']);
  if (exitCode !== 0) return `does not compile: ${complaint(stderr)}`;
  if (stdout.includes(ENVIRONMENT)) return 'uses $ENV, which is not allowed';
  for (const [, builtin = ''] of stdout.matchAll(/^\s*\d+ CALL_BUILTIN (\w+)/gm)) {
    if (FORBIDDEN.has(builtin)) return `uses ${builtin}, which is not allowed`;
  }
  return undefined;
}

/** Why an expression that compiles alone cannot be part of a larger one: it is a module. */
export function embeddingProblemOf(expression: string): string | undefined {
  const { stderr, exitCode } = jq.raw('', embedded(expression));
  return exitCode === 0 ? undefined : `cannot be combined with others: ${complaint(stderr)}`;
}

/** The line breaks end a trailing comment. */
export function embedded(expression: string): string {
  return `(\n${expression}\n)`;
}

function complaint(stderr: string): string {
  const [first = 'no reason is given'] = stderr.split('\n');
  const text = first
    .replace(/^jq: error: /, '')
    .replace(' at <top-level>', '')
    .replace(/:$/, '');
  return text.startsWith('module not found') ? 'import and include are not allowed' : text.slice(0, 300);
}
