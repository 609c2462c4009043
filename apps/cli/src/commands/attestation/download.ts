import { basename } from 'node:path';
import { downloadEvidence } from '@waymark/contract';
import { findAttestation } from '../../resources/find-attestation.ts';
import { saveDownload } from '../../resources/save-download.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Saves the file attached to an attestation, under its original name unless --to names another. The download is ' +
    'verified against the recorded digest.',
  examples: [
    { say: 'Save to this directory', run: 'waymark attestation download 01a1e0ce-8657-7731-bb0d-93e1d875a1ef' },
    { say: 'View it', run: 'waymark attestation download 01a1e0ce-8657-7731-bb0d-93e1d875a1ef --to - | less' },
  ],
  build: (command) =>
    command
      .argument('<id>', 'id of the attestation')
      .option('--to <file>', 'file to write (- for standard output)')
      .option('--force', 'overwrite an existing file'),
  async run(session, [id], { to, force }) {
    const found = await findAttestation(session, id);
    if (found.evidence_archive_fingerprint === null) {
      throw new CliError('notFound', `Attestation '${id}' has no attachment`, {
        why: `It is '${found.attestation_name}' of ${found.flow_name}/${found.trail_name}`,
      });
    }
    const response = await session.client().download(downloadEvidence, {
      params: {
        org: session.need('org'),
        flow_name: found.flow_name,
        trail_name: found.trail_name,
        attestation_id: found.attestation_id,
      },
      signal: session.io.signal,
    });
    const saved = await saveDownload(session.io, response, {
      file: to ?? safeName(found.evidence_archive_path, found.attestation_id),
      sha256: found.evidence_archive_fingerprint,
      overwrite: force === true,
    });
    if (to === '-') return {};
    return { data: saved, text: `${saved.file} (${saved.bytes} bytes, sha256 ${saved.sha256})` };
  },
});

/** The sender chose the name: allow no path, no hidden file, no terminal control characters. */
function safeName(path: string | null, id: string): string {
  const name = basename((path ?? '').replaceAll('\\', '/'))
    .replace(/[\p{Cc}\p{Cf}:*?"<>|]/gu, '_')
    .replace(/^[.-]+/, '');
  return name === '' ? `attestation-${id}` : name;
}
