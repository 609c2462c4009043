import { refuse, ScimError } from './error.ts';
import { type Comparison, parseFilter } from './filter.ts';

/** Names are in lower case. */
export type PatchPath = { attribute: string; where: Comparison[] | null; sub: string | null };

const MAX_PATH_LENGTH = 2000;
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;
const PATH = /^([a-z$][\w$-]*)(?:\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*)\])?(?:\.([a-z$][\w$-]*))?$/i;

export const WHOLE_RESOURCE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group)$/i;

/** Null for an attribute of an extension: none is stored. */
export function parsePath(text: string): PatchPath | null {
  if (text.length > MAX_PATH_LENGTH)
    throw refuse('invalidPath', `A path can have at most ${MAX_PATH_LENGTH} characters`);
  const local = text.trim().replace(CORE, '');
  if (/^urn:(?!ietf:params:scim:schemas:core:)/i.test(local)) return null;
  const parts = PATH.exec(local);
  if (!parts) throw refuse('invalidPath', 'The path is not understood');
  const [, attribute = '', where, sub] = parts;
  return {
    attribute: attribute.toLowerCase(),
    where: where === undefined ? null : parseWhere(where),
    sub: sub?.toLowerCase() ?? null,
  };
}

function parseWhere(text: string): Comparison[] {
  try {
    return parseFilter(text, 'or');
  } catch (error) {
    throw error instanceof ScimError ? refuse('invalidPath', error.message) : error;
  }
}
