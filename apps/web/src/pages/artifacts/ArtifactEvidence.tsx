import { lazyRouteComponent } from '@tanstack/react-router';
import type { Artifact } from '@waymark/contract';
import { Suspense } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Empty, Loading } from '../../ui/States.tsx';
import { ErasedTag } from '../attestations/ErasedTag.tsx';
import { useErased } from '../attestations/use-erased.ts';
import { type Check, checkOf, tallyOf, tallyWords } from '../trails/checklist.ts';

const EvidenceChain = lazyRouteComponent(() => import('../../pictures/EvidenceChain.tsx'), 'EvidenceChain');

/** From the ticket to where it runs, and what its flow requires. */
export function ArtifactEvidence({ artifact }: { readonly artifact: Artifact }) {
  const org = useOrg();
  const { flow_name, trail_name, fingerprint, compliance_status } = artifact;
  const checks = compliance_status.attestations_statuses.map((slot) => checkOf(slot, undefined));
  const erased = useErased(org);
  return (
    <>
      <Suspense fallback={<Loading />}>
        <EvidenceChain org={org} flow={flow_name} trail={trail_name} fingerprint={fingerprint} />
      </Suspense>
      <Panel
        flush
        title="Evidence"
        note={tallyWords(tallyOf([{ checks }]), 'the template requires none')}
        actions={<LinkButton href={paths.artifactWhy(org, flow_name, fingerprint)}>Why?</LinkButton>}
      >
        <DataTable
          caption="Evidence about the artifact"
          columns={columnsOf(org, artifact, erased)}
          rows={checks}
          rowKey={({ key }) => key}
          empty={
            <Empty
              title="No evidence yet"
              command={`waymark attest generic --name review --compliant --artifact sha256:${fingerprint} --flow ${flow_name} --trail ${trail_name} --org ${org}`}
            >
              The flow’s template requires no evidence for this artifact. You can still add some:
            </Empty>
          }
        />
      </Panel>
    </>
  );
}

function columnsOf(
  org: string,
  { flow_name, trail_name }: Artifact,
  erased: ReturnType<typeof useErased>,
): readonly Column<Check>[] {
  return [
    {
      key: 'name',
      title: 'Attestation',
      wide: true,
      cell: ({ name, attestationId, isRequired }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          {attestationId === null ? (
            name
          ) : (
            <Link href={paths.trail(org, flow_name, trail_name, attestationId)} className="font-medium">
              {name}
            </Link>
          )}
          {!isRequired && <Tag title="Not required by the template">not required</Tag>}
          <ErasedTag of={erased.get(attestationId ?? '')} />
        </span>
      ),
    },
    {
      key: 'type',
      title: 'Type',
      cell: ({ type }) => (type === '*' ? 'any' : type),
    },
    {
      key: 'state',
      title: 'State',
      cell: ({ state, word }) => <StateBadge state={state} word={word} />,
    },
  ];
}
