import type { Attestation } from '@waymark/contract';
import { Facts, Panel } from '../../ui/Panel.tsx';
import { SealMark } from './SealMark.tsx';
import { sealOf } from './seal.ts';

const EXPLANATIONS: Readonly<Record<Attestation['trust'], string>> = {
  claimed: 'Nothing proves its origin.',
  api_key: 'Sent with an API key of the org. Anyone with that key could have sent it.',
  workload_identity: 'Sent by a CI job that proved its identity.',
  signature: 'Its signature was verified with a key or identity that the org trusts.',
};

const KINDS = { user: '', service_account: 'service account ', workload: 'CI job of service account ' } as const;

function identityInWords({ kind, name, role }: NonNullable<Attestation['recorded_by']>): string {
  return `${KINDS[kind]}${name}, then ${role}`;
}

/** What vouches for the evidence, and what judged it. */
export function TrustPanel({ of }: { readonly of: Attestation }) {
  const { workload } = of;
  return (
    <Panel title="Trust" note={<SealMark seal={sealOf(of)} />}>
      <p className="mb-2">{EXPLANATIONS[of.trust]}</p>
      <Facts
        rows={[
          ['Recorded by', of.recorded_by && identityInWords(of.recorded_by)],
          ['Groups', of.recorded_by?.groups?.join(', ')],
          ['Issuer', workload?.issuer],
          ['Subject', workload && <code key="subject">{workload.subject}</code>],
          ...Object.entries(workload?.claims ?? {}).map(([name, value]) => [name, value] as const),
          ['Content', of.content_sha256 && <code key="content">{`sha256:${of.content_sha256}`}</code>],
          [
            'Judged by',
            Object.entries(of.judged_by)
              .filter(([name]) => name !== 'type_id')
              .map(([, version]) => version)
              .join(', '),
          ],
        ]}
      />
    </Panel>
  );
}
