import { listPolicies, searchNames } from '@waymark/contract';
import { useState } from 'react';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useSettled } from '../../lib/settled.ts';
import { NameBox } from '../../ui/NameBox.tsx';

const OFFERED = 20;
const TYPING_MS = 200;

/** One of the policies: the first few, or those whose names hold what is typed. */
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
  const [typed, setTyped] = useState('');
  const asked = useSettled(typed === value ? '' : typed.trim(), TYPING_MS);
  const all = useRead(listPolicies, { params: { org }, query: {} }, { enabled: asked === '' });
  const found = useRead(
    searchNames,
    { params: { org }, query: { q: asked, limit: OFFERED } },
    { enabled: asked !== '' },
  );
  const names = (asked === '' ? all.data : found.data?.policies)?.map(({ name }) => name) ?? [];
  return (
    <NameBox
      label="Policy"
      what="other policy"
      placeholder="part of its name"
      value={value}
      names={names.filter((name) => !leaveOut.includes(name)).slice(0, OFFERED)}
      onType={setTyped}
      onPick={onPick}
    />
  );
}
