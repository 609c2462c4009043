import { listRepos } from '@waymark/contract';
import { useState } from 'react';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useSettled } from '../../lib/settled.ts';
import { NameBox } from '../../ui/NameBox.tsx';

const OFFERED = 20;
const TYPING_MS = 200;

/** One of the repositories: those whose names hold what is typed are offered. */
export function RepositoryBox({
  value,
  onPick,
}: {
  readonly value: string | undefined;
  readonly onPick: (name: string) => void;
}) {
  const org = useOrg();
  const [typed, setTyped] = useState('');
  const asked = useSettled(typed === value ? '' : typed, TYPING_MS);
  const { data } = useRead(listRepos, {
    params: { org },
    query: { per_page: OFFERED, ...(asked !== '' && { search: asked }) },
  });
  return (
    <NameBox
      label="Repository"
      what="repository"
      placeholder="all repositories"
      value={value}
      names={[...new Set(data?.repos.map(({ name }) => name) ?? [])]}
      onType={setTyped}
      onPick={onPick}
    />
  );
}
