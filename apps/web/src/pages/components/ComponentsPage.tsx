import { whereComponent } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { CursorPager } from '../../ui/Pager.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Coverage } from './Coverage.tsx';
import { WhereForm } from './WhereForm.tsx';
import { WhereTable } from './WhereTable.tsx';

const Search = z.object({
  component: z.string().optional(),
  range: z.string().optional(),
  after: z.string().optional(),
});

const PER_PAGE = 50;

/** Which environments run a component, by range of versions. */
export function ComponentsPage() {
  const org = useOrg();
  const [{ component = '', range, after }, change] = useSearchState(Search);
  return (
    <>
      <PageHead
        title="Components"
        note="What runs a component now, according to the SBOMs of what runs."
        actions={<LinkButton href={paths.componentDiff(org)}>Compare two artifacts</LinkButton>}
      />
      <WhereForm
        key={`${component} ${range}`}
        component={component}
        range={range ?? ''}
        onAsk={(asked) => change({ ...asked, after: undefined })}
      />
      {component === '' ? (
        <Panel>
          <Empty
            title="No component selected"
            command={`waymark component where pkg:npm/lodash --range '<4.17.21' --org ${org}`}
          >
            Enter a package URL to find the environments that run it. On the command line:
          </Empty>
        </Panel>
      ) : (
        <Answer component={component} range={range} after={after} onMove={(next) => change({ after: next })} />
      )}
    </>
  );
}

interface AnswerProps {
  readonly component: string;
  readonly range: string | undefined;
  readonly after: string | undefined;
  readonly onMove: (after: string | undefined) => void;
}

function Answer({ component, range, after, onMove }: AnswerProps) {
  const org = useOrg();
  const answer = useRead(
    whereComponent,
    { params: { org }, query: { component, range, after, per_page: PER_PAGE } },
    { fresh: true },
  );
  const meant = range === undefined ? component : `${component} ${range}`;
  return (
    <div className="space-y-4">
      <NewNotice kinds={['environment']} loadedAt={answer.dataUpdatedAt} onShow={() => void answer.refetch()} />
      <Loaded of={answer}>
        {({ data, coverage, version_order, pagination }) => (
          <>
            {coverage && <Coverage of={coverage} />}
            {version_order === 'exact' && range !== undefined && (
              <Notice kind="unsure" title="The order of these versions is not known">
                Waymark compares versions of this ecosystem only for equality. Check each version in the list.
              </Notice>
            )}
            <Panel flush title="Running now" note={meant}>
              {data.length === 0 && pagination.next !== null ? (
                <Notice kind="info">None on this page. Go to the next page.</Notice>
              ) : (
                <WhereTable
                  rows={data}
                  empty={
                    <Empty title="No SBOM of a running artifact contains this component">
                      Check the spelling of the package URL, or remove the range.
                    </Empty>
                  }
                />
              )}
              <CursorPager after={after} next={pagination.next} onMove={onMove} />
            </Panel>
          </>
        )}
      </Loaded>
    </div>
  );
}
