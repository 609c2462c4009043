import { lazyRouteComponent } from '@tanstack/react-router';
import { listComplianceDays } from '@waymark/contract';
import { Suspense } from 'react';
import { z } from 'zod';
import { dayEnd } from '../../../lib/day.ts';
import { paths } from '../../../lib/paths.ts';
import { useRead } from '../../../lib/queries.ts';
import { useOrg, useSearchState } from '../../../lib/route.ts';
import { DayInput } from '../../../ui/DayInput.tsx';
import { Select } from '../../../ui/Fields.tsx';
import { Link } from '../../../ui/Link.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { NoRows, Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Empty, Loaded, Loading } from '../../../ui/States.tsx';
import { shareOf } from './share-of.ts';

const HeatMap = lazyRouteComponent(() => import('../../../pictures/HeatMap.tsx'), 'HeatMap');

const LENGTHS = ['30', '90', '180', '365'] as const;
const Search = z.object({
  days: z.enum(LENGTHS).default('90'),
  until: z.iso.date().optional(),
  page: z.coerce.number().int().min(1).default(1),
});

const PER_PAGE = 20;

/** The part of each day in which environments were compliant. */
export function ComplianceTab() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const days = useRead(listComplianceDays, {
    params: { org },
    query: { days: Number(search.days), until: dayEnd(search.until), page: search.page, per_page: PER_PAGE },
  });
  const goTo = (page: number) => change({ page });
  return (
    <>
      <NewNotice kinds={['environment']} loadedAt={days.dataUpdatedAt} onShow={() => void days.refetch()} />
      <div className="mb-3 flex flex-wrap items-center gap-2 no-print">
        <Select
          label="Period"
          hideLabel
          className="w-44"
          value={search.days}
          onChange={(length) => change({ days: length as (typeof LENGTHS)[number] })}
          choices={LENGTHS.map((length) => ({ id: length, label: `${length} days` }))}
        />
        <DayInput label="Until" value={search.until} clear="Until today" onChange={(until) => change({ until })} />
      </div>
      <Panel
        title={`Daily compliance by environment, ${search.days} days`}
        note="Dates are in UTC. Each environment counts from its first report. Time without reports counts as no data, never as compliant."
      >
        <Loaded of={days}>
          {(found) =>
            found.environments.length === 0 ? (
              <NoRows total={found.total_count} pages={pagesOf(found.total_count)} onPage={goTo}>
                <NoEnvironments org={org} />
              </NoRows>
            ) : (
              <>
                <p className="mb-3">{shareOf(found)}</p>
                <Suspense fallback={<Loading />}>
                  <HeatMap days={found} org={org} />
                </Suspense>
              </>
            )
          }
        </Loaded>
      </Panel>
      {days.data && days.data.total_count > PER_PAGE && (
        <Pager
          page={search.page}
          pages={pagesOf(days.data.total_count)}
          total={days.data.total_count}
          what="environments"
          onPage={goTo}
        />
      )}
      <p className="mt-3 text-[13px] text-quiet">
        For a printable report on one environment, with reasons, see{' '}
        <Link href={paths.audit(org, 'packages')} className="underline">
          packages and reports
        </Link>
        .
      </p>
    </>
  );
}

function pagesOf(total: number): number {
  return Math.ceil(total / PER_PAGE);
}

function NoEnvironments({ org }: { readonly org: string }) {
  return (
    <Empty title="No environments yet" command={`waymark env create production --type K8S --org ${org}`}>
      Daily compliance appears here after the first report.
    </Empty>
  );
}
