import type { PredicateFields, VerificationResult } from './fields.ts';
import { known, listIn, textOf, textsIn } from './members.ts';

const LEVELS_SHOWN = 50;
const RESULTS: readonly VerificationResult[] = ['PASSED', 'WARNED', 'FAILED'];

/** A SLSA verification summary; version 0.x has other names. */
export function readVerificationSummary(predicate: unknown): PredicateFields {
  const level = textOf(predicate, 'policy_level');
  return known({
    verifier: textOf(predicate, 'verifier', 'id'),
    result: resultOf(textOf(predicate, 'verificationResult') ?? textOf(predicate, 'verification_result')),
    policyUri: textOf(predicate, 'policy', 'uri'),
    resourceUri: textOf(predicate, 'resourceUri') ?? textOf(predicate, 'resource_uri'),
    verifiedLevels: filled([...textsIn(predicate, LEVELS_SHOWN, 'verifiedLevels'), ...(level ? [level] : [])]),
  });
}

/** A simple verification result lists what was verified; one that lists nothing verified nothing. */
export function readSimpleVerification(predicate: unknown): PredicateFields {
  const properties = filled(textsIn(predicate, LEVELS_SHOWN, 'properties'));
  return known({
    verifier: textOf(predicate, 'verifier', 'id'),
    result: properties && ('PASSED' as const),
    properties,
  });
}

export function readTestResult(predicate: unknown): PredicateFields {
  const count = (member: string) => listIn(predicate, member).length;
  return known({
    result: resultOf(textOf(predicate, 'result')),
    tests: { passed: count('passedTests'), warned: count('warnedTests'), failed: count('failedTests') },
  });
}

/** In any case, so that no failure is missed; a word of no such meaning is no result. */
function resultOf(text: string | undefined): VerificationResult | undefined {
  return RESULTS.find((result) => result === text?.trim().toUpperCase());
}

function filled(texts: string[]): string[] | undefined {
  return texts.length === 0 ? undefined : texts;
}
