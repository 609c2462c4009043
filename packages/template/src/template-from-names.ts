import type { Problem } from '@waymark/positioned-yaml';
import { quoted } from '@waymark/positioned-yaml';
import type { ParsedTemplate } from './parse-template.ts';
import { AttestationName } from './template.ts';

const THE_ARTIFACT = 'artifact';

/**
 * The template of the deprecated list of names: `artifact` is the artifact itself, and every other name is evidence of
 * any type about it. Problems count each name as a line.
 */
export function templateFromNames(names: readonly string[]): ParsedTemplate {
  const problems = problemsOf(names);
  if (problems.length > 0) return { ok: false, problems };

  const attestations = names.filter((name) => name !== THE_ARTIFACT).map((name) => ({ name, type: '*' as const }));
  const artifacts = names.length > 0 ? [{ name: THE_ARTIFACT, attestations }] : [];
  return { ok: true, template: { version: 1, trail: { attestations: [], artifacts } } };
}

function problemsOf(names: readonly string[]): Problem[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    const message = seen.has(name)
      ? `The name ${quoted(name)} is in the list twice; keep one.`
      : AttestationName.safeParse(name).error?.issues[0]?.message;
    seen.add(name);
    return message === undefined ? [] : [{ path: String(index), line: index + 1, column: 1, message }];
  });
}
