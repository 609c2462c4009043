/** The parser reports either the position or the unexpected token. */
const PLACE = /\(line (\d+) column (\d+)\)/;
const TOKEN = /Unexpected token '(.+?)',/su;

const FORBIDDEN = '__proto__';

/** Why the parser refused a body. It accepts no keys that reach into JavaScript's prototypes. */
export function jsonFailure(text: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return `The body is not valid JSON${placeIn(String(error))}`;
  }
  const key = forbiddenKey(parsed);
  return key === undefined ? 'The body is not valid JSON' : `The body contains the key '${key}', which is not allowed`;
}

function placeIn(message: string): string {
  const [, line, column] = PLACE.exec(message) ?? [];
  if (line !== undefined) return `: see line ${line}, column ${column}`;
  if (message.includes('end of JSON')) return ': it ends too early';
  const [, token] = TOKEN.exec(message) ?? [];
  return token === undefined ? '' : `: unexpected '${token.toWellFormed()}'`;
}

function forbiddenKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, FORBIDDEN)) return FORBIDDEN;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'constructor' && isObject(inner) && Object.hasOwn(inner, 'prototype')) return 'constructor.prototype';
    const found = forbiddenKey(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
