import { type PolicyProblem, parsePolicy } from '@waymark/policy';
import { parseTemplate } from '@waymark/template';

interface Sent {
  readonly kind: 'policy' | 'template';
  readonly text: string;
}

/** Problems in the YAML of a policy or a template; empty when it is usable. */
export function problemsInYaml({ kind, text }: Sent): readonly PolicyProblem[] {
  if (kind === 'policy') {
    const parsed = parsePolicy(text);
    return 'problems' in parsed ? parsed.problems : [];
  }
  const parsed = parseTemplate(text);
  return parsed.ok ? [] : parsed.problems;
}
