import { type KeyScope, type ScopeKind, scopeNames } from '@waymark/contract';
import type { Choice } from '../../../ui/Fields.tsx';

export const scopeChoices: readonly Choice[] = [
  { id: '', label: 'All permissions of the role' },
  { id: 'evidence', label: 'Evidence: report artifacts and attestations' },
  { id: 'snapshot', label: 'Snapshots: report what runs in environments' },
  { id: 'read', label: 'Read only' },
];

/** The scope from the form. Names are separated by commas or spaces; no names means all. */
export function scopeFrom(kind: string, names: string): KeyScope | null {
  const given = names.split(/[\s,]+/).filter((name) => name !== '');
  const only = given.length > 0 ? given : null;
  if (kind === 'evidence') return { kind, flows: only };
  if (kind === 'snapshot') return { kind, environments: only };
  return kind === 'read' ? { kind } : null;
}

const WORDS: Readonly<Record<ScopeKind, string>> = { evidence: 'evidence', snapshot: 'snapshots', read: 'read only' };

/** What a key is limited to, in a few words. */
export function scopeWords(scope: KeyScope): string {
  const names = scopeNames(scope);
  return names ? `${WORDS[scope.kind]}: ${names.join(', ')}` : WORDS[scope.kind];
}
