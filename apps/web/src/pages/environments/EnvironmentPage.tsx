import { type Environment, listSnapshotArtifacts } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { useFlows } from '../flows/FlowBox.tsx';
import { ArtifactSearch } from './ArtifactFilters.tsx';
import { ArtifactPanel, artifactQuery } from './ArtifactPanel.tsx';
import { EnvironmentHead, useEnvironment } from './EnvironmentHead.tsx';
import { MembersNow } from './MembersNow.tsx';
import { reportCommand } from './report-command.ts';

/** What runs now. */
export function EnvironmentPage() {
  const { data: environment, error } = useEnvironment();
  return (
    <>
      <EnvironmentHead />
      {environment ? <Now key={environment.id} environment={environment} /> : !error && <Loading />}
    </>
  );
}

function Now({ environment }: { readonly environment: Environment }) {
  const org = useOrg();
  const { name, type } = environment;
  const { dataUpdatedAt, refetch } = useEnvironment();
  if (type === 'logical') return <MembersNow environment={environment} />;
  if (environment.latest_snapshot_index === 0)
    return (
      <>
        <NewNotice
          kinds={['environment']}
          subjectId={environment.id}
          loadedAt={dataUpdatedAt}
          onShow={() => void refetch()}
        />
        <Panel>
          <Empty title="Waiting for the first report" command={reportCommand(type, name, org)}>
            The first report creates the first snapshot. Run this on a schedule, where it can reach {name}:
          </Empty>
        </Panel>
      </>
    );
  return <Running environment={environment} />;
}

function Running({ environment }: { readonly environment: Environment }) {
  const org = useOrg();
  const { id, name, stale, stale_since } = environment;
  const [search, change] = useSearchState(ArtifactSearch);
  // Requested beside the artifacts, for their filter.
  useFlows();
  const artifacts = useRead(listSnapshotArtifacts, {
    params: { org, env_name: name, snapshot_expression: '-1' },
    query: artifactQuery(search),
  });
  return (
    <div className="space-y-4">
      <NewNotice
        kinds={['environment']}
        subjectId={id}
        loadedAt={artifacts.dataUpdatedAt}
        onShow={() => void artifacts.refetch()}
      />
      {stale && <StaleNotice environment={environment} />}
      <Loaded of={artifacts}>
        {(page) => (
          <>
            <p className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 text-[13px] text-quiet">
              <span>
                Snapshot #{page.snapshot.index}, unchanged since <Time at={page.snapshot.timestamp} as="exact" />
                <span className="print:hidden">
                  {' ('}
                  <Time at={page.snapshot.timestamp} />)
                </span>
              </span>
              <span className="ml-auto flex flex-wrap gap-2">
                <LinkButton href={paths.compare(org, name, '@{1.day.ago}', '@{now}')}>
                  Compare with yesterday
                </LinkButton>
                <LinkButton href={paths.snapshot(org, name, page.snapshot.index)}>Open snapshot</LinkButton>
              </span>
            </p>
            <ArtifactPanel
              of={page}
              title={stale ? 'Artifacts in the last report' : 'Running artifacts'}
              where={{ env: name, isStale: stale, staleSince: stale_since }}
              search={search}
              onChange={change}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}

function StaleNotice({ environment }: { readonly environment: Environment }) {
  const org = useOrg();
  const { name, stale_since, last_reported_at, type } = environment;
  return (
    <Notice kind="unsure" title="Report overdue">
      <p>
        A report has been overdue since <Time at={stale_since} as="exact" /> (<Time at={stale_since} />
        ); the last one arrived <Time at={last_reported_at} />. This page shows that report; the running artifacts are
        unknown.
      </p>
      <p className="mt-1 text-[13px]">
        Check that this still runs on schedule: <code>{reportCommand(type, name, org)}</code>
      </p>
    </Notice>
  );
}
