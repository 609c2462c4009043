import { ApiError } from '@waymark/client';
import { Button } from '../../src/ui/Button.tsx';
import { type Column, DataTable } from '../../src/ui/DataTable.tsx';
import { NewNotice } from '../../src/ui/NewNotice.tsx';
import { PageHead } from '../../src/ui/PageHead.tsx';
import { CursorPager, NoRows, Pager } from '../../src/ui/Pager.tsx';
import { Facts, Notice, Panel, Tag } from '../../src/ui/Panel.tsx';
import { StateBadge } from '../../src/ui/StateBadge.tsx';
import { Empty, Failure, Loaded, Loading } from '../../src/ui/States.tsx';
import { Tabs } from '../../src/ui/Tabs.tsx';
import { Time } from '../../src/ui/Time.tsx';
import { STATES } from '../given.ts';
import { DAY, HOUR, NOW, type Story } from '../story.ts';

const nothing = () => undefined;
const KINDS = ['info', 'good', 'bad', 'unsure', 'waived'] as const;
const STATUSES = [403, 404, 429, 500, 503];
const TABS = [
  { href: '/acme', label: 'Now', isAlone: true },
  { href: '/acme/snapshots', label: 'Snapshots', count: 1_200 },
  { href: '/acme/settings', label: 'Settings', group: 'Own' },
];

interface Row {
  readonly name: string;
  readonly state: (typeof STATES)[number];
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'name', title: 'Name', sort: 'name', wide: true, cell: ({ name }) => name },
  { key: 'state', title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { key: 'changed', title: 'Last change', sort: 'changed', cell: () => <Time at={NOW - HOUR} /> },
  { key: 'count', title: 'Policies', align: 'right', secondary: true, cell: () => 2 },
];
const ROWS = STATES.map((state) => ({ name: state, state }));

export const layoutStories: readonly Story[] = [
  {
    of: 'PageHead',
    show: () => (
      <PageHead
        title="production"
        crumbs={[{ href: '/acme/environments', label: 'Environments' }]}
        state={<StateBadge state="non-compliant" size="large" />}
        note="Kubernetes"
        actions={<Button>Why?</Button>}
        tabs={TABS}
      />
    ),
  },
  { of: 'Tabs', show: () => <Tabs label="Tabs" tabs={TABS} /> },
  {
    of: 'Panel',
    show: () => (
      <div className="space-y-3">
        <Panel title="Attached policies" note="2" actions={<Button>Attach policy</Button>}>
          <Facts
            rows={[
              ['Owner', 'ada'],
              ['Tags', <Tag key="tags">team: payments</Tag>],
              ['Left out', null],
            ]}
          />
        </Panel>
        {KINDS.map((kind) => (
          <Notice key={kind} kind={kind} title={`Notice: ${kind}`} actions={<Button>Try again</Button>}>
            What happened, and what to do next.
          </Notice>
        ))}
      </div>
    ),
  },
  {
    of: 'DataTable',
    show: () => (
      <div className="space-y-3">
        <DataTable
          caption="Environments of the kit"
          columns={COLUMNS}
          rows={ROWS}
          rowKey={({ name }) => name}
          sort={{ by: 'name', direction: 'asc' }}
          onSort={nothing}
        />
        <DataTable caption="Empty" columns={COLUMNS} rows={[]} rowKey={({ name }) => name} />
      </div>
    ),
  },
  {
    of: 'Pager',
    show: () => (
      <div className="space-y-3">
        <Pager page={1} pages={1} total={3} what="environments" onPage={nothing} />
        <Pager page={2} pages={40} total={1_980} what="environments" onPage={nothing} />
        <CursorPager after={undefined} next="c1" onMove={nothing} />
        <CursorPager after="c1" next={null} onMove={nothing} />
        <NoRows total={3} pages={1} onPage={nothing}>
          nothing
        </NoRows>
      </div>
    ),
  },
  {
    of: 'States',
    show: () => (
      <div className="grid gap-4 sm:grid-cols-2">
        <Empty title="No environments yet" command="waymark env create production --type K8S --org acme">
          An environment is where your software runs.
        </Empty>
        <Empty title="No environments match these filters">
          <Button>Clear filters</Button>
        </Empty>
        {STATUSES.map((status) => (
          <Failure
            key={status}
            error={new ApiError(status, `Failed with ${status}`, null, 'request-7')}
            retry={nothing}
          />
        ))}
        <Loaded of={{ data: 'Older data', error: new Error('The service cannot be reached'), refetch: nothing }}>
          {(text) => <p>{text}</p>}
        </Loaded>
        <Loading />
      </div>
    ),
  },
  {
    of: 'Time',
    show: () => (
      <div className="flex flex-wrap gap-4">
        <Time at={NOW - 5} />
        <Time at={NOW - 3 * DAY} />
        <Time at={NOW - 3 * DAY} as="exact" />
        <Time at={NOW - 3 * DAY} as="short" />
        <Time at={null} />
        <Time at={null} none="never" />
      </div>
    ),
  },
  { of: 'NewNotice', show: () => <NewNotice kinds={['environment']} loadedAt={NOW} onShow={nothing} /> },
];
