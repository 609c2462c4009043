import * as z from 'zod';
import type { Scan } from './finding.ts';
import { isObject } from './json-document.ts';
import { listOf, shaped } from './shape.ts';

/** The file also contains the secret and its line, which are not read. */
const Leak = z.object({
  RuleID: z.string(),
  Description: z.string().nullish(),
  File: z.string().nullish(),
  StartLine: z.number().nullish(),
});

export function isGitleaks(document: unknown): document is unknown[] {
  if (!Array.isArray(document)) return false;
  const first: unknown = document[0];
  return isObject(first) && 'RuleID' in first && ('Secret' in first || 'Match' in first || 'Fingerprint' in first);
}

/** Reads the JSON of Gitleaks, which has no severities: each leak is an error. */
export function readGitleaks(name: string, document: unknown[]): Scan {
  const leaks = shaped(name, listOf(Leak), document);
  return {
    tools: [{ name: 'Gitleaks', version: '' }],
    findings: leaks.map((leak) => ({
      id: leak.RuleID,
      level: 'error',
      severity: 'high',
      message: leak.Description ?? '',
      location: leak.File ? [leak.File, leak.StartLine].filter((part) => part != null).join(':') : null,
    })),
  };
}
