import { type Policy, parseStoredPolicy } from '@waymark/policy';
import { LRUCache } from 'lru-cache';

/** Usually some kilobytes each. */
const CACHE_SIZE = 500;

const cache = new LRUCache<string, Policy>({ max: CACHE_SIZE, memoMethod: parse });

/** Parses a stored policy, with a cache. It was valid when it was accepted. */
export function parseCached(policyYaml: string): Policy {
  return cache.memo(policyYaml);
}

function parse(policyYaml: string): Policy {
  const parsed = parseStoredPolicy(policyYaml);
  if ('problems' in parsed) throw new Error('a stored policy cannot be read any more');
  return parsed.policy;
}
