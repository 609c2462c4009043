/** One side of a comparison: a snapshot of an environment, as the address names it. */
export interface Side {
  readonly env: string;
  readonly expression: string;
}

export interface Range {
  readonly before: Side;
  readonly after: Side;
}

const NAME = '[a-zA-Z0-9][a-zA-Z0-9.\\-_]*';
const EXPRESSION = '#?-?\\d+|~\\d+|@\\{[^{}]+\\}';
const OWN = new RegExp(`^(?:${EXPRESSION})$`);
/** `env@7` and `env@@{now}`, or as the API writes it: `env#7`, `env~1`, `env@{now}`. */
const OTHER = new RegExp(`^(${NAME})(?:@(${EXPRESSION})|(#-?\\d+|~\\d+|@\\{[^{}]+\\}))$`);

function readSide(text: string, env: string): Side | undefined {
  if (OWN.test(text)) return { env, expression: text };
  const [, name, marked, plain] = OTHER.exec(text) ?? [];
  const expression = marked ?? plain;
  return name === undefined || expression === undefined ? undefined : { env: name, expression };
}

/** `A..B` or `env@A..env2@B`. Names may contain dots, so the first split with two valid sides counts. */
export function readRange(text: string, env: string): Range | undefined {
  for (let at = text.indexOf('..'); at !== -1; at = text.indexOf('..', at + 1)) {
    const before = readSide(text.slice(0, at), env);
    const after = readSide(text.slice(at + 2), env);
    if (before && after) return { before, after };
  }
  return undefined;
}

/** In its shortest form on the page of an environment. */
export function writeSide({ env, expression }: Side, pageEnv: string): string {
  return env === pageEnv ? expression : `${env}@${expression}`;
}

/** As the API takes it. */
export function snappishOf({ env, expression }: Side): string {
  return /^-?\d/.test(expression) ? `${env}#${expression}` : `${env}${expression}`;
}

const AGO = /^@\{(\d+)\.(hour|day|week|month)s?\.ago\}$/;

/** An expression in words. */
export function momentWords(expression: string): string {
  if (expression === '@{now}') return 'now';
  const [, count, unit = ''] = AGO.exec(expression) ?? [];
  if (count !== undefined) return count === '1' ? `1 ${unit} ago` : `${count} ${unit}s ago`;
  if (/^#?\d+$/.test(expression)) return `#${expression.replace('#', '')}`;
  return expression.startsWith('~') ? `${expression.slice(1)} before the latest` : expression;
}

/** The API's name of a snapshot, such as `prod#7`; the number follows the last `#`. */
export function indexIn(snapshotId: string | null): number | undefined {
  const [, index] = /#(\d+)$/.exec(snapshotId ?? '') ?? [];
  return index === undefined ? undefined : Number(index);
}
