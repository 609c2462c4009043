import type { Policy, PolicyVersion } from '@waymark/contract';
import { useState } from 'react';
import { TextDiff } from '../../editor/TextDiff.tsx';
import { paths } from '../../lib/paths.ts';
import { Button } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';

const PER_PAGE = 10;

export function PolicyVersions({
  org,
  policy,
  shown,
  onCompare,
}: {
  readonly org: string;
  readonly policy: Policy;
  readonly shown: number;
  readonly onCompare: (version: number, before: number) => void;
}) {
  const [page, setPage] = useState(1);
  const newestFirst = policy.versions.toReversed();
  const pages = Math.ceil(newestFirst.length / PER_PAGE);
  return (
    <Panel title="Version history" flush>
      <DataTable
        caption={`Versions of ${policy.name}, newest first`}
        columns={columnsOf(org, policy.name, shown, onCompare)}
        rows={newestFirst.slice((page - 1) * PER_PAGE, page * PER_PAGE)}
        rowKey={({ version }) => String(version)}
      />
      <Pager
        page={page}
        pages={pages}
        total={newestFirst.length}
        what={newestFirst.length === 1 ? 'version' : 'versions'}
        onPage={setPage}
      />
    </Panel>
  );
}

function columnsOf(
  org: string,
  name: string,
  shown: number,
  onCompare: (version: number, before: number) => void,
): readonly Column<PolicyVersion>[] {
  return [
    {
      key: 'version',
      title: 'Version',
      cell: ({ version }) => (
        <span className="inline-flex items-center gap-2 whitespace-nowrap">
          <Link href={paths.policy(org, name, version)} {...(version === shown && { 'aria-current': 'true' as const })}>
            {version}
          </Link>
          {version === shown && <Tag>shown</Tag>}
        </span>
      ),
    },
    {
      key: 'comment',
      title: 'Changes',
      wide: true,
      cell: ({ comment }) => (comment === '' ? <span className="text-quiet">no change note</span> : comment),
    },
    { key: 'by', title: 'By', cell: ({ created_by }) => created_by },
    { key: 'at', title: 'When', cell: ({ timestamp }) => <Time at={timestamp} /> },
    {
      key: 'compare',
      title: 'Compare',
      cell: ({ version }) =>
        version > 1 && (
          <Button
            variant="quiet"
            className="!py-0 text-accent"
            aria-label={`Compare version ${version} with ${version - 1}`}
            onPress={() => onCompare(version, version - 1)}
          >
            with {version - 1}
          </Button>
        ),
    },
  ];
}

export function VersionDiff({
  policy,
  before,
  after,
  onChoose,
  onClose,
}: {
  readonly policy: Policy;
  readonly before: number;
  readonly after: number;
  readonly onChoose: (before: number, after: number) => void;
  readonly onClose: () => void;
}) {
  const textOf = (wanted: number) => policy.versions.find(({ version }) => version === wanted)?.policy_yaml;
  const choices = policy.versions
    .toReversed()
    .map(({ version }) => ({ id: String(version), label: `Version ${version}` }));
  const one = textOf(before);
  const other = textOf(after);
  return (
    <Panel
      title={`From version ${before} to ${after}`}
      actions={
        <>
          <Select
            label="Compare version"
            hideLabel
            className="w-32"
            choices={choices}
            value={String(before)}
            onChange={(id) => onChoose(Number(id), after)}
          />
          <Select
            label="with version"
            hideLabel
            className="w-32"
            choices={choices}
            value={String(after)}
            onChange={(id) => onChoose(before, Number(id))}
          />
          <Button variant="quiet" onPress={onClose}>
            Close
          </Button>
        </>
      }
    >
      {one === undefined || other === undefined ? (
        <p className="text-quiet">Version {one === undefined ? before : after} of this policy does not exist.</p>
      ) : (
        <TextDiff label={`Version ${after} compared with version ${before}`} before={one} after={other} />
      )}
    </Panel>
  );
}
