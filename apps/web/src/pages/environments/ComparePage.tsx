import { diffSnapshots, getEnvironment, listSnapshotArtifacts } from '@waymark/contract';
import { serviceUrl } from '../../lib/base-path.ts';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { CopyButton } from '../../ui/Copy.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Failure, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { CompareForm } from './CompareForm.tsx';
import { CompareGroups } from './CompareGroups.tsx';
import { indexIn, momentWords, type Range, readRange, type Side, snappishOf, writeSide } from './compare-range.ts';
import { SnapshotVerdict } from './SnapshotVerdict.tsx';
import { changesIn, policyChanges } from './snapshot-changes.ts';

const YESTERDAY_TILL_NOW = '@{1.day.ago}..@{now}';

export function ComparePage() {
  const org = useOrg();
  const env = useParam('env');
  const text = useParam('range');
  const range = readRange(text, env);
  const offered = range ?? readRange(YESTERDAY_TILL_NOW, env);
  return (
    <>
      <PageHead
        title={range ? titleOf(range, env) : 'Compare snapshots'}
        crumbs={[
          { href: paths.environments(org), label: 'Environments' },
          { href: paths.environment(org, env), label: env },
          { href: paths.snapshots(org, env), label: 'Snapshots' },
        ]}
        {...(range && { actions: <Permalink env={env} range={range} /> })}
      />
      <div className="space-y-4">
        {offered && (
          <Panel title="Snapshots to compare" className="no-print">
            <CompareForm key={text} env={env} range={offered} />
          </Panel>
        )}
        {range ? (
          <Compared key={text} range={range} />
        ) : (
          <Notice kind="unsure" title="The URL does not name two snapshots">
            Use <code>170..171</code>, <code>{YESTERDAY_TILL_NOW}</code> or, for two environments,{' '}
            <code>staging@190..production@171</code>, or choose above.
          </Notice>
        )}
      </div>
    </>
  );
}

function titleOf({ before, after }: Range, env: string): string {
  const [was, is] = [momentWords(before.expression), momentWords(after.expression)];
  return before.env === env && after.env === env
    ? `${env}: ${was} compared with ${is}`
    : `${before.env} ${was} compared with ${after.env} ${is}`;
}

function useDiff(range: Range) {
  return useRead(
    diffSnapshots,
    { params: { org: useOrg() }, query: { snappish1: snappishOf(range.before), snappish2: snappishOf(range.after) } },
    { fresh: true },
  );
}

/** Both sides by number, however the address names them. */
function Permalink({ env, range }: { readonly env: string; readonly range: Range }) {
  const org = useOrg();
  const { data } = useDiff(range);
  const first = indexIn(data?.snappish1.snapshot_id ?? null);
  const second = indexIn(data?.snappish2.snapshot_id ?? null);
  if (first === undefined || second === undefined) return null;
  const side = ({ env: name }: Side, index: number) => writeSide({ env: name, expression: String(index) }, env);
  const href = paths.compare(org, env, side(range.before, first), side(range.after, second));
  return <CopyButton text={`${serviceUrl()}${href}`} what="permalink" label="Copy permalink" />;
}

function useSide({ env, expression }: Side) {
  return useRead(
    listSnapshotArtifacts,
    { params: { org: useOrg(), env_name: env, snapshot_expression: expression }, query: { per_page: 1 } },
    { fresh: true },
  );
}

function Compared({ range }: { readonly range: Range }) {
  const diff = useDiff(range);
  return (
    <>
      <div className="grid gap-4 md:grid-cols-2">
        <SidePanel title="First" side={range.before} />
        <SidePanel title="Second" side={range.after} />
      </div>
      <Loaded of={diff}>
        {(answer) => {
          const changes = changesIn(answer);
          return (
            <>
              <p className="text-[15px]">
                {changes.changed.length} changed, {changes.added.length} added, {changes.removed.length} removed,{' '}
                {changes.sameCount} unchanged.
              </p>
              <Policies range={range} />
              <CompareGroups changes={changes} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function SidePanel({ title, side }: { readonly title: string; readonly side: Side }) {
  const org = useOrg();
  const { data, error } = useSide(side);
  const { data: environment } = useRead(getEnvironment, { params: { org, env_name: side.env } }, { fresh: true });
  const isStale = Boolean(data?.snapshot.is_latest && environment?.stale);
  return (
    <Panel title={`${title}: ${side.env} ${data ? `#${data.snapshot.index}` : side.expression}`}>
      {error && <Failure error={error} />}
      {data && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <SnapshotVerdict compliance={data.snapshot.compliance} isStale={isStale} />
          <span>
            <Time at={data.snapshot.timestamp} as="exact" /> –{' '}
            {data.snapshot.next_snapshot_timestamp === null ? (
              'now'
            ) : (
              <Time at={data.snapshot.next_snapshot_timestamp} as="exact" />
            )}
          </span>
          <Link href={paths.snapshot(org, side.env, data.snapshot.index)}>Snapshot #{data.snapshot.index}</Link>
          <Link href={paths.environmentWhy(org, side.env, data.snapshot.index)}>Why?</Link>
        </div>
      )}
    </Panel>
  );
}

function Policies({ range }: { readonly range: Range }) {
  const before = useSide(range.before).data?.snapshot;
  const after = useSide(range.after).data?.snapshot;
  if (!before || !after) return null;
  const changes = policyChanges(before.applied_policies, after.applied_policies);
  if (changes.length === 0) return null;
  return (
    <Notice kind="info" title="Evaluated by different policies">
      <ul>
        {changes.map((change) => (
          <li key={change}>{change}</li>
        ))}
      </ul>
    </Notice>
  );
}
