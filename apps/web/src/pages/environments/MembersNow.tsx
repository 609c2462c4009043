import { type Environment, getEnvironment } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { useEnvironment } from './EnvironmentHead.tsx';
import { EnvironmentState } from './EnvironmentState.tsx';
import { reportCommand } from './report-command.ts';
import { TYPE_WORDS } from './type-words.ts';

const Search = z.object({ page: z.coerce.number().int().min(1).default(1) });
const PER_PAGE = 20;

/** A logical environment has nothing of its own: its state is that of its members. */
export function MembersNow({ environment }: { readonly environment: Environment }) {
  const org = useOrg();
  const [{ page }, change] = useSearchState(Search);
  const { dataUpdatedAt, refetch } = useEnvironment();
  const names = environment.included_environments;
  const pages = Math.max(1, Math.ceil(names.length / PER_PAGE));
  const shown = Math.min(page, pages);
  return (
    <>
      <NewNotice kinds={['environment']} loadedAt={dataUpdatedAt} onShow={() => void refetch()} />
      <Panel
        title="Members"
        note="A logical environment combines other environments and has the worst of their states."
        actions={<LinkButton href={paths.environmentSettings(org, environment.name)}>Edit members</LinkButton>}
        flush
      >
        <DataTable
          caption={`Members of ${environment.name}`}
          columns={columnsOf(org)}
          rows={names.slice((shown - 1) * PER_PAGE, shown * PER_PAGE)}
          rowKey={(name) => name}
          empty={
            <Empty title="No members yet" command={reportCommand('logical', environment.name, org)}>
              Add its members in the settings, or run:
            </Empty>
          }
        />
        <Pager
          page={shown}
          pages={pages}
          total={names.length}
          what={names.length === 1 ? 'member' : 'members'}
          onPage={(to) => change({ page: to })}
        />
      </Panel>
    </>
  );
}

function columnsOf(org: string): readonly Column<string>[] {
  return [
    {
      key: 'name',
      title: 'Name',
      wide: true,
      cell: (name) => (
        <Link href={paths.environment(org, name)} className="font-medium">
          {name}
        </Link>
      ),
    },
    { key: 'state', title: 'State', cell: (name) => <Of name={name} show={(of) => <EnvironmentState of={of} />} /> },
    {
      key: 'type',
      title: 'Type',
      cell: (name) => <Of name={name} show={({ type }) => TYPE_WORDS[type]} />,
      secondary: true,
    },
    {
      key: 'changed',
      title: 'Last change',
      cell: (name) => <Of name={name} show={({ last_changed_at: at }) => <Time at={at} none="never" />} />,
    },
    {
      key: 'reported',
      title: 'Last report',
      cell: (name) => <Of name={name} show={({ last_reported_at: at }) => <Time at={at} none="never" />} />,
    },
    {
      key: 'why',
      title: 'Reason',
      cell: (name) => (
        <Link href={paths.environmentWhy(org, name)} aria-label={`Why ${name}?`}>
          Why?
        </Link>
      ),
    },
  ];
}

/** All cells of a row share one query. */
function Of({ name, show }: { readonly name: string; readonly show: (environment: Environment) => React.ReactNode }) {
  const { data, error } = useRead(getEnvironment, { params: { org: useOrg(), env_name: name } }, { fresh: true });
  if (data) return show(data);
  return <span className="text-quiet">{error ? error.message : '…'}</span>;
}
