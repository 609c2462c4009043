import { type PolicyProblem, parsePolicy } from '@waymark/policy';
import { parseTemplate } from '@waymark/template';

interface Sent {
  readonly kind: 'policy' | 'template';
  readonly text: string;
}

/** What is wrong with the YAML of a policy or a template; none when it can be used. */
export function problemsInYaml({ kind, text }: Sent): readonly PolicyProblem[] {
  if (kind === 'policy') {
    const parsed = parsePolicy(text);
    return 'problems' in parsed ? parsed.problems : [];
  }
  const parsed = parseTemplate(text);
  return parsed.ok ? [] : parsed.problems;
}
