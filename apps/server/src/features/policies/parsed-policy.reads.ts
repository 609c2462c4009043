import { type Policy, parseStoredPolicy } from '@waymark/policy';
import { createBoundedMap } from '../../platform/bounded-map.ts';

/** Of some kilobytes each, as a rule. */
const KEPT = 500;

const kept = createBoundedMap<Policy>(KEPT);

/** What a stored policy says. It was valid when it was accepted. */
export function parseKept(policyYaml: string): Policy {
  const known = kept.get(policyYaml);
  if (known) return known;
  const parsed = parseStoredPolicy(policyYaml);
  if ('problems' in parsed) throw new Error('a stored policy cannot be read any more');
  kept.set(policyYaml, parsed.policy);
  return parsed.policy;
}
