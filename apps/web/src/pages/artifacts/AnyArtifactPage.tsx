import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '@waymark/client';
import { searchSha } from '@waymark/contract';
import { useEffect } from 'react';
import type { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Empty, Loaded, Loading } from '../../ui/States.tsx';
import { leftOutWords } from '../trace/trace-subject.ts';

type Found = z.output<(typeof searchSha)['reply']>['artifacts'][number];

/** By digits alone: one match is shown at once, of several the reader chooses one. */
export function AnyArtifactPage() {
  const org = useOrg();
  const digits = useParam('fingerprint').replace(/^sha256:/, '');
  const isDigits = /^[a-fA-F0-9]{5,64}$/.test(digits);
  const answer = useRead(searchSha, { params: { org, sha: digits } }, { enabled: isDigits, fresh: true });
  const isMissing = answer.error instanceof ApiError && answer.error.status === 404;
  const [only, ...others] = answer.data?.artifacts ?? [];
  const leftOut = answer.data && leftOutWords(answer.data.resolved_to);
  if (only && others.length === 0 && leftOut === undefined) return <ToArtifact org={org} artifact={only} />;
  return (
    <>
      <PageHead title={`Artifact ${digits.slice(0, 12)}`} note="Matching artifacts of all flows." />
      {leftOut !== undefined && (
        <div className="mb-4">
          <Notice kind="info">{leftOut}</Notice>
        </div>
      )}
      <Panel flush>
        {!isDigits || isMissing ? (
          <Unknown org={org} digits={digits} isDigits={isDigits} />
        ) : (
          <Loaded of={answer}>
            {({ artifacts }) => (
              <DataTable
                caption="Artifacts matching these digits"
                columns={columnsOf(org)}
                rows={artifacts}
                rowKey={({ flow, fingerprint }) => `${flow} ${fingerprint}`}
                empty={<Unknown org={org} digits={digits} isDigits />}
              />
            )}
          </Loaded>
        )}
      </Panel>
    </>
  );
}

function ToArtifact({ org, artifact }: { readonly org: string; readonly artifact: Found }) {
  const navigate = useNavigate();
  const href = paths.artifact(org, artifact.flow, artifact.fingerprint);
  useEffect(() => void navigate({ href, replace: true }), [navigate, href]);
  return <Loading />;
}

function columnsOf(org: string): readonly Column<Found>[] {
  return [
    {
      key: 'name',
      title: 'Artifact',
      wide: true,
      cell: ({ name, flow, fingerprint }) => (
        <Link href={paths.artifact(org, flow, fingerprint)} className="font-medium">
          {name}
        </Link>
      ),
    },
    {
      key: 'fingerprint',
      title: 'Fingerprint',
      cell: ({ fingerprint }) => <Digits text={fingerprint} what="fingerprint" length={12} />,
    },
    { key: 'flow', title: 'Flow', cell: ({ flow }) => <Link href={paths.flow(org, flow)}>{flow}</Link> },
    {
      key: 'state',
      title: 'Trail verdict',
      cell: ({ compliance_state }) =>
        compliance_state === 'INCOMPLETE' ? (
          <StateBadge state="non-compliant" word="Incomplete" />
        ) : (
          <StateBadge state={stateOf(compliance_state)} />
        ),
    },
    {
      key: 'runs',
      title: 'Running in',
      cell: ({ running_in }) =>
        running_in.length === 0 ? <span className="text-quiet">nowhere</span> : running_in.join(', '),
    },
  ];
}

function Unknown({
  org,
  digits,
  isDigits,
}: {
  readonly org: string;
  readonly digits: string;
  readonly isDigits: boolean;
}) {
  if (!isDigits)
    return (
      <Empty title="Not a valid fingerprint">
        Enter 5 to 64 hexadecimal digits, or{' '}
        <Link className="underline" href={paths.trace(org, digits)}>
          search by name or ticket
        </Link>
        .
      </Empty>
    );
  return (
    <Empty
      title="Artifact not found in any flow"
      command={`waymark attest artifact ./build/app --name app --flow my-flow --trail my-trail --org ${org}`}
    >
      It may be running, but it has no provenance: its origin was never reported. Report it from the pipeline that
      builds it:
    </Empty>
  );
}
