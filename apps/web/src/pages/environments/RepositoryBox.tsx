import { listRepos } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { NameBox } from '../../ui/NameBox.tsx';
import { useAsked } from '../../ui/use-asked.ts';

const OFFERED = 20;

/** Selects a repository: suggests those whose names contain the typed text. */
export function RepositoryBox({
  value,
  onPick,
}: {
  readonly value: string | undefined;
  readonly onPick: (name: string) => void;
}) {
  const org = useOrg();
  const [asked, onType] = useAsked(value);
  const { data } = useRead(listRepos, {
    params: { org },
    query: { per_page: OFFERED, ...(asked !== '' && { search: asked }) },
  });
  return (
    <NameBox
      label="Repository"
      what="repositories"
      placeholder="All repositories"
      value={value}
      names={[...new Set(data?.repos.map(({ name }) => name) ?? [])]}
      onType={onType}
      onPick={onPick}
    />
  );
}
