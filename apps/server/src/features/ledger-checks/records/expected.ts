import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { shown } from '../difference.ts';

/** A row as PostgreSQL writes it in JSON: bytes as `\x…`, times with all their digits. */
export type Row = Readonly<Record<string, unknown>>;

/** What a column must contain, if that is not one value. */
export interface Rule {
  readonly fits: (actual: unknown, facts: RecordFacts) => boolean;
  readonly says: string;
}

/** Names by which entries refer to rows. */
export interface RecordFacts {
  /** All names that a flow or an environment ever had. */
  readonly namesOf: (id: string) => ReadonlySet<string>;
  readonly trailOf: (id: string) => { readonly name: string; readonly flow_id: string } | undefined;
}

export type Expected = Rule | Date | string | number | boolean | null | readonly unknown[];

function isRule(expected: Expected): expected is Rule {
  return typeof expected === 'object' && expected !== null && 'fits' in expected;
}

export function fits(actual: unknown, expected: Expected, facts: RecordFacts): boolean {
  if (isRule(expected)) return expected.fits(actual, facts);
  if (expected instanceof Date) return isTime(actual, expected);
  return canonicalize(actual) === canonicalize(expected);
}

export function says(expected: Expected): string {
  if (isRule(expected)) return expected.says;
  return expected instanceof Date ? expected.toISOString() : shown(expected);
}

/** The clock is read for a row and again for its entry, and a lock may be waited for in between. */
const TOLERANCE_MS = 300_000;

/** A time that is that of the entry. The exact one is in the entry. */
function isTime(actual: unknown, expected: Date): boolean {
  return typeof actual === 'string' && Math.abs(Date.parse(actual) - expected.getTime()) <= TOLERANCE_MS;
}

/** A time that is written to the row and to the entry alike. Both have milliseconds. */
export function exactly(at: Date): Rule {
  return {
    fits(actual) {
      if (typeof actual !== 'string') return false;
      const [, fraction = ''] = /\.(\d+)/.exec(actual) ?? [];
      return fraction.length <= 3 && Date.parse(actual) === at.getTime();
    },
    says: at.toISOString(),
  };
}

/** Text that is this JSON, in whatever order its keys were sent. */
export function jsonText(value: unknown): Rule {
  const wanted = canonicalize(value);
  return {
    fits: (actual) => typeof actual === 'string' && canonicalize(parsed(actual)) === wanted,
    says: shown(wanted),
  };
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Text with this SHA-256. */
export function textOf(sha256: string): Rule {
  return {
    fits: (actual) => typeof actual === 'string' && hash('sha256', actual) === sha256,
    says: `a text with the SHA-256 ${sha256}`,
  };
}

/** The id of a flow or an environment that had this name. */
export function named(name: string): Rule {
  return {
    fits: (actual, facts) => typeof actual === 'string' && facts.namesOf(actual).has(name),
    says: `the id of '${name}'`,
  };
}

/** The id of a trail with this name, in a flow that had that name. */
export function trailNamed(flow: string, trail: string): Rule {
  return {
    fits(actual, facts) {
      const found = typeof actual === 'string' ? facts.trailOf(actual) : undefined;
      return found?.name === trail && facts.namesOf(found.flow_id).has(flow);
    },
    says: `the id of trail '${flow}/${trail}'`,
  };
}

/** A time that the payload has in seconds. */
export function seconds(value: number | null | undefined): Expected {
  return value === null || value === undefined ? null : exactly(new Date(Math.round(value * 1000)));
}

export function orNull<T extends Expected>(value: T | undefined): T | null {
  return value ?? null;
}
