/** The lines that only one of two trust policies has. Comments and URLs decide nothing about trust. */
interface PolicyChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function policyChanges(before: string, after: string): PolicyChanges {
  const [old, current] = [linesOf(before), linesOf(after)];
  return { added: [...current.difference(old)], removed: [...old.difference(current)] };
}

export function isSamePolicy(one: string, other: string): boolean {
  const { added, removed } = policyChanges(one, other);
  return added.length === 0 && removed.length === 0;
}

function linesOf(policy: string): Set<string> {
  const lines = policy.split('\n').map((line) => line.trim().replaceAll(/[ \t]+/g, ' '));
  return new Set(lines.filter((line) => line !== '' && !line.startsWith('#')).map(withoutUrl));
}

function withoutUrl(line: string): string {
  const parts = line.split(' ');
  if (parts[0] === 'log') return parts.slice(0, 2).join(' ');
  return parts[0] === 'witness' ? parts.slice(0, 3).join(' ') : line;
}
