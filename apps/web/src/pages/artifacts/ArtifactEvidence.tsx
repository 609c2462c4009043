import { lazyRouteComponent } from '@tanstack/react-router';
import type { Artifact } from '@waymark/contract';
import { Suspense } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Link } from '../../ui/Link.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Empty, Loading } from '../../ui/States.tsx';

const EvidenceChain = lazyRouteComponent(() => import('../../pictures/EvidenceChain.tsx'), 'EvidenceChain');

type Slot = Artifact['compliance_status']['attestations_statuses'][number];

/** From the ticket to where it runs, and what its flow asks for. */
export function ArtifactEvidence({ artifact }: { readonly artifact: Artifact }) {
  const org = useOrg();
  const { flow_name, trail_name, fingerprint, compliance_status } = artifact;
  const slots = compliance_status.attestations_statuses;
  return (
    <>
      <Suspense fallback={<Loading />}>
        <EvidenceChain org={org} flow={flow_name} trail={trail_name} fingerprint={fingerprint} />
      </Suspense>
      <Panel
        flush
        title="Evidence about it"
        note={`${slots.filter(({ is_compliant }) => is_compliant).length} of ${slots.length} fine`}
        actions={<LinkButton href={paths.artifactWhy(org, flow_name, fingerprint)}>Why?</LinkButton>}
      >
        <DataTable
          caption="Evidence about the artifact"
          columns={columnsOf(org, artifact)}
          rows={slots}
          rowKey={({ attestation_name, attestation_type, attestation_id }) =>
            `${attestation_name} ${attestation_type} ${attestation_id}`
          }
          empty={
            <Empty
              title="Nothing is asked for, and nothing was attested"
              command={`waymark attest generic --name review --compliant --artifact sha256:${fingerprint} --flow ${flow_name} --trail ${trail_name} --org ${org}`}
            >
              The template of the flow has no requirement for this artifact. Evidence can be added all the same:
            </Empty>
          }
        />
      </Panel>
    </>
  );
}

function columnsOf(org: string, { flow_name, trail_name }: Artifact): readonly Column<Slot>[] {
  return [
    {
      key: 'name',
      title: 'Attestation',
      wide: true,
      cell: ({ attestation_name, attestation_id, unexpected }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          {attestation_id === null ? (
            attestation_name
          ) : (
            <Link href={paths.trail(org, flow_name, trail_name, attestation_id)} className="font-medium">
              {attestation_name}
            </Link>
          )}
          {unexpected && <Tag title="The template does not ask for it">not asked for</Tag>}
        </span>
      ),
    },
    {
      key: 'type',
      title: 'Type',
      cell: ({ attestation_type }) => (attestation_type === '*' ? 'any' : attestation_type),
    },
    {
      key: 'state',
      title: 'State',
      cell: ({ status, is_compliant }) =>
        status === 'MISSING' ? (
          <StateBadge state="non-compliant" word="Missing" />
        ) : (
          <StateBadge state={stateOf(is_compliant)} />
        ),
    },
  ];
}
