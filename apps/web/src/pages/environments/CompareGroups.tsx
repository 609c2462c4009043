import type { DiffArtifact } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link, OutsideLink } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { nameAndVersion } from './artifact-name.ts';
import { commitDiff } from './commit-diff.ts';
import { type Change, type Changes, changeWords } from './snapshot-changes.ts';

const SHOWN = 100;

/** What is only on one side, only on the other, and on both but different. */
export function CompareGroups({ changes }: { readonly changes: Changes }) {
  const org = useOrg();
  const { added, removed, changed, sameCount } = changes;
  return (
    <div className="space-y-4">
      <Group title="Changed" note="In both snapshots, with differences" rows={changed} columns={changedColumns(org)} />
      <Group title="Added" note="In the second snapshot only" rows={added} columns={singleColumns(org)} />
      <Group title="Removed" note="In the first snapshot only" rows={removed} columns={singleColumns(org)} />
      <Panel title={`Unchanged: ${sameCount.toLocaleString('en')}`} note={sameWords(sameCount)} flush>
        {null}
      </Panel>
    </div>
  );
}

function sameWords(count: number): string {
  if (count === 0) return 'Nothing is the same in both snapshots.';
  return 'The same in both snapshots.';
}

function Group<Row extends Change | DiffArtifact>({
  title,
  note,
  rows,
  columns,
}: {
  readonly title: string;
  readonly note: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
}) {
  const [all, setAll] = useState(false);
  const count = rows.length.toLocaleString('en');
  if (rows.length === 0)
    return (
      <Panel title={`${title}: 0`} note={`Nothing was ${title.toLowerCase()}.`} flush>
        {null}
      </Panel>
    );
  return (
    <Panel title={`${title}: ${count}`} note={note} flush>
      <DataTable
        caption={title}
        columns={columns}
        rows={all ? rows : rows.slice(0, SHOWN)}
        rowKey={(row) => ('before' in row ? `${keyOf(row.before)} ${keyOf(row.after)}` : keyOf(row))}
      />
      {!all && rows.length > SHOWN && (
        <div className="border-t border-line px-4 py-2">
          <Button onPress={() => setAll(true)}>Show all {count}</Button>
        </div>
      )}
    </Panel>
  );
}

const keyOf = ({ fingerprint, name }: DiffArtifact) => `${fingerprint} ${name}`;

function singleColumns(org: string): readonly Column<DiffArtifact>[] {
  return [
    { key: 'name', title: 'Artifact', wide: true, cell: (artifact) => <Named artifact={artifact} /> },
    {
      key: 'flow',
      title: 'Flow',
      cell: ({ flow }) =>
        flow === '' ? (
          <span className="text-quiet">no provenance</span>
        ) : (
          <Link href={paths.flow(org, flow)}>{flow}</Link>
        ),
    },
    { key: 'commit', title: 'Commit', cell: ({ commit_url }) => <CommitLink url={commit_url} /> },
    {
      key: 'instances',
      title: 'Instances',
      align: 'right',
      cell: ({ instance_count, s1_instance_count, s2_instance_count }) =>
        instance_count ?? s2_instance_count ?? s1_instance_count ?? '–',
    },
    {
      key: 'since',
      title: 'Newest instance',
      cell: ({ most_recent_timestamp }) => <Time at={most_recent_timestamp} />,
    },
  ];
}

function changedColumns(org: string): readonly Column<Change>[] {
  return [
    {
      key: 'name',
      title: 'Artifact',
      cell: ({ name }) => <span className="block font-medium [overflow-wrap:anywhere] sm:min-w-56">{name}</span>,
    },
    { key: 'what', title: 'Change', wide: true, cell: (change) => <WhatChanged change={change} /> },
    {
      key: 'commits',
      title: 'Commits',
      cell: ({ before, after, isReplaced }) => {
        const diff = isReplaced ? commitDiff(before.commit_url, after.commit_url) : '';
        return diff === '' ? (
          <span className="text-quiet">–</span>
        ) : (
          <span className="whitespace-nowrap">
            <OutsideLink href={diff}>Show commits</OutsideLink>
          </span>
        );
      },
    },
    {
      key: 'components',
      title: 'Components',
      cell: ({ before, after, isReplaced }) =>
        isReplaced && before.fingerprint !== '' && after.fingerprint !== '' ? (
          <Link className="whitespace-nowrap" href={paths.componentDiff(org, before.fingerprint, after.fingerprint)}>
            Compare
          </Link>
        ) : (
          <span className="text-quiet">–</span>
        ),
    },
    { key: 'since', title: 'Newest instance', cell: ({ after }) => <Time at={after.most_recent_timestamp} /> },
  ];
}

function WhatChanged({ change }: { readonly change: Change }) {
  if (!change.isReplaced) return changeWords(change);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <Build artifact={change.after} />
      <span className="text-quiet">instead of</span>
      <Build artifact={change.before} />
    </span>
  );
}

/** A build by its version, or by its digits. */
function Build({ artifact: { name, fingerprint, flow } }: { readonly artifact: DiffArtifact }) {
  const org = useOrg();
  const { version } = nameAndVersion(name);
  if (fingerprint === '') return <span>{version || 'an unidentified artifact'}</span>;
  const href = flow === '' ? paths.anyArtifact(org, fingerprint) : paths.artifact(org, flow, fingerprint);
  return (
    <Link href={href} title={fingerprint}>
      {version === '' ? <code>{fingerprint.slice(0, 7)}</code> : version}
    </Link>
  );
}

function Named({ artifact: { name, fingerprint, flow } }: { readonly artifact: DiffArtifact }) {
  const org = useOrg();
  if (fingerprint === '')
    return (
      <>
        <span className="font-medium">{name}</span> <span className="text-quiet">not identified</span>
      </>
    );
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Link
        className="font-medium"
        href={flow === '' ? paths.anyArtifact(org, fingerprint) : paths.artifact(org, flow, fingerprint)}
      >
        {name}
      </Link>
      <span className="text-[12.5px] text-quiet">
        <Digits text={fingerprint} what="fingerprint" />
      </span>
    </span>
  );
}

function CommitLink({ url }: { readonly url: string }) {
  const [, sha] = /\/([0-9a-f]{7,64})\/?(?:[?#].*)?$/.exec(url) ?? [];
  if (url === '') return <span className="text-quiet">–</span>;
  return <OutsideLink href={url}>{sha === undefined ? 'show' : <code>{sha.slice(0, 7)}</code>}</OutsideLink>;
}
