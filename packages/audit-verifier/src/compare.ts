import type { Findings } from './findings.ts';
import { isSame, type Json } from './json.ts';

const MAX_SHOWN = 80;

/** Names each member of a record that is not what follows from the journal entries. */
export function compareRecord(
  path: string,
  actual: Json,
  expected: Json,
  findings: Findings,
  ignored: ReadonlySet<string> = new Set(),
): void {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    if (ignored.has(key)) continue;
    const has = Object.hasOwn(actual, key);
    const should = Object.hasOwn(expected, key);
    if (has && should && isSame(actual[key], expected[key])) continue;
    if (!should) findings.add(path, `has the member ${shown(key)}, which was not recorded`);
    else if (!has) findings.add(path, `has no ${key}; recorded was ${shown(expected[key])}`);
    else findings.add(path, `${key} is ${shown(actual[key])}; recorded was ${shown(expected[key])}`);
  }
}

/** Returns a value as it can be quoted in a message. */
export function shown(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'nothing';
  } catch {
    text = 'a value that cannot be shown';
  }
  const cut = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return cut.toWellFormed().replaceAll(/\p{Cc}/gu, '\u{FFFD}');
}
