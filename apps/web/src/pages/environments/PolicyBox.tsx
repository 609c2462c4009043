import { listPolicies, searchNames } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { NameBox } from '../../ui/NameBox.tsx';
import { useAsked } from '../../ui/use-asked.ts';

const OFFERED = 20;

/** Selects a policy: suggests the first few, or those whose names contain the typed text. */
export function PolicyBox({
  value,
  onPick,
  leaveOut,
}: {
  readonly value: string | undefined;
  readonly onPick: (name: string) => void;
  readonly leaveOut: readonly string[];
}) {
  const org = useOrg();
  const [typed, onType] = useAsked(value);
  const asked = typed.trim();
  const all = useRead(listPolicies, { params: { org }, query: {} }, { enabled: asked === '' });
  const found = useRead(
    searchNames,
    { params: { org }, query: { q: asked, limit: OFFERED } },
    { enabled: asked !== '' },
  );
  // Until the response arrives the first ones stay: an empty list would claim that nothing matches, and lose the marked
  // option.
  const offered = (asked === '' ? undefined : found.data?.policies) ?? all.data ?? [];
  const names = offered.map(({ name }) => name);
  return (
    <NameBox
      label="Policy"
      what="other policies"
      placeholder="Filter by name"
      value={value}
      names={names.filter((name) => !leaveOut.includes(name)).slice(0, OFFERED)}
      onType={onType}
      onPick={onPick}
    />
  );
}
