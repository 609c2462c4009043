import { type Policy, parseStoredPolicy } from '@waymark/policy';
import { LRUCache } from 'lru-cache';

/** Of some kilobytes each, as a rule. */
const KEPT = 500;

const kept = new LRUCache<string, Policy>({ max: KEPT, memoMethod: parse });

/** What a stored policy says. It was valid when it was accepted. */
export function parseKept(policyYaml: string): Policy {
  return kept.memo(policyYaml);
}

function parse(policyYaml: string): Policy {
  const parsed = parseStoredPolicy(policyYaml);
  if ('problems' in parsed) throw new Error('a stored policy cannot be read any more');
  return parsed.policy;
}
