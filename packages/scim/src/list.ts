import { refuse } from './error.ts';

export const MAX_RESULTS = 200;
const DEFAULT_RESULTS = 100;
const FURTHEST = 2_147_483_647;

export type Page = { startIndex: number; count: number };

/** Section 3.4.2.4 of RFC 7644: a value that is too small means the smallest and is not an error. */
export function readPage(query: { startIndex?: unknown; count?: unknown }): Page {
  const startIndex = readInteger('startIndex', query.startIndex, 1);
  const count = readInteger('count', query.count, DEFAULT_RESULTS);
  return { startIndex: Math.max(startIndex, 1), count: Math.min(Math.max(count, 0), MAX_RESULTS) };
}

function readInteger(field: string, value: unknown, fallback: number): number {
  if (value === undefined || value === '') return fallback;
  if (typeof value !== 'string' || !/^-?\d{1,15}$/.test(value))
    throw refuse('invalidValue', `${field} must be a whole number`);
  return Math.min(Number(value), FURTHEST);
}

export function listBody(
  page: Page,
  total: number,
  resources: readonly Record<string, unknown>[],
): Record<string, unknown> {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: total,
    startIndex: page.startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

/** Whole attributes only. Entra ID asks for groups without their members. */
export function project(
  body: Record<string, unknown>,
  query: { attributes?: unknown; excludedAttributes?: unknown },
): Record<string, unknown> {
  const wanted = readNames('attributes', query.attributes);
  const unwanted = readNames('excludedAttributes', query.excludedAttributes);
  const isIncluded = ([name]: [string, unknown]) => {
    const lower = name.toLowerCase();
    if (lower === 'id' || lower === 'schemas') return true;
    return (wanted.size === 0 || wanted.has(lower)) && !unwanted.has(lower);
  };
  return Object.fromEntries(Object.entries(body).filter(isIncluded));
}

function readNames(field: string, value: unknown): Set<string> {
  if (value === undefined) return new Set();
  if (typeof value !== 'string' || value.length > 2000)
    throw refuse('invalidValue', `${field} must be a list of names`);
  const names = value.split(',').map((name) => name.trim().toLowerCase());
  return new Set(
    names.filter((name) => name !== '').map((name) => name.replace(/^urn:.*:/s, '').replace(/\..*$/s, '')),
  );
}
