import type { Expression } from './expression.ts';
import { readExpression } from './parse-expression.ts';
import { lengthProblem, type Refused, refused, shown } from './refused.ts';

interface Snappish {
  readonly env: string;
  readonly expression: Expression;
}

export type ParsedSnappish = ({ readonly ok: true } & Snappish) | Refused;

const FORMS = 'ENV, ENV#N, ENV~N, ENV@{2026-11-01T12:00:00}, ENV@{3.days.ago} or ENV@{now}';

const ENV = /^[a-zA-Z0-9][a-zA-Z0-9.\-_]*$/;
const SEPARATOR = /[#~@]/;

/** An environment with an expression. Without one its latest snapshot is meant. */
export function parseSnappish(text: string): ParsedSnappish {
  const snappish = lengthProblem(text) ?? readSnappish(text);
  return typeof snappish === 'string' ? refused(snappish, FORMS) : { ok: true, ...snappish };
}

function readSnappish(text: string): Snappish | string {
  const end = text.search(SEPARATOR);
  const env = end === -1 ? text : text.slice(0, end);
  if (env === '') return 'has no environment in front';
  if (!ENV.test(env)) {
    return `has ${shown(env)} where an environment belongs: letters, digits, and . - _ after a letter or digit`;
  }
  if (end === -1) return { env, expression: { kind: 'index', index: -1 } };
  if (SEPARATOR.test(text.slice(end + 1))) return 'has more than one of #, ~ and @';
  const expression = readExpression(text.slice(end));
  return typeof expression === 'string' ? expression : { env, expression };
}
