import type { Attestation } from '@waymark/contract';
import { Download } from 'lucide-react';
import { LinkButton } from '../../ui/Button.tsx';
import { Facts, Panel } from '../../ui/Panel.tsx';
import { downloads } from './addresses.ts';

export function AttachmentPanel({ of }: { readonly of: Attestation }) {
  const { evidence_archive_path: name, evidence_archive_fingerprint: sha, evidence_archive_size: size } = of;
  return (
    <Panel
      title="Files"
      actions={
        <>
          {sha !== null && (
            <LinkButton href={downloads.evidence(of)} download>
              <Download size={14} aria-hidden /> Download attachment
            </LinkButton>
          )}
          <LinkButton href={downloads.attestationPackage(of)} download>
            <Download size={14} aria-hidden /> Audit package
          </LinkButton>
        </>
      }
    >
      {sha === null ? (
        <p className="text-quiet">{of.erased ? 'Erased with the content, if there were any.' : 'No attachments.'}</p>
      ) : (
        <Facts
          rows={[
            ['Name', name],
            ['Size', size === null ? null : bytes(size)],
            ['SHA-256', <code key="sha">{sha}</code>],
          ]}
        />
      )}
    </Panel>
  );
}

function bytes(size: number): string {
  if (size < 1024) return `${size} bytes`;
  return size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KiB` : `${(size / 1024 / 1024).toFixed(1)} MiB`;
}
