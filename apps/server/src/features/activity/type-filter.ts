import { invalidField } from '../../platform/errors.ts';
import { SUMMARIES } from './summaries.ts';

/** Requested types of entries, by full name; those with a version only in that version. */
export interface TypeFilter {
  readonly types: readonly string[];
  readonly versioned: readonly { readonly type: string; readonly version: number }[];
}

/** From `policy`, `policy.versioned` and `policy.versioned.v1`. */
export function parseTypes(asked: readonly string[]): TypeFilter {
  const types: string[] = [];
  const versioned: { type: string; version: number }[] = [];
  for (const text of asked) {
    const [first = '', second, version] = text.split('.');
    const found = [...SUMMARIES.keys()].filter((type) => isMeant(type, first, second));
    if (found.length === 0) throw invalidField('query.type', `'${text}' is not an event type or the first word of one`);
    if (version === undefined) types.push(...found);
    else versioned.push({ type: `${first}.${second}`, version: Number(version.slice(1)) });
  }
  return { types, versioned };
}

function isMeant(type: string, first: string, second: string | undefined): boolean {
  return second === undefined ? type.startsWith(`${first}.`) : type === `${first}.${second}`;
}
