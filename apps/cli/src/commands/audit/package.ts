import { getArtifactPackage, getAttestationPackage, getTrailPackage } from '@waymark/contract';
import { artifactOf, isArtifactForm, subjectOf } from '../../explain/subject.ts';
import { findAttestation } from '../../resources/find-attestation.ts';
import { flowOf } from '../../resources/references.ts';
import { saveDownload } from '../../resources/save-download.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

const ATTESTATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const command = defineCommand({
  description:
    'Downloads a .tgz with a readable page, the records, the attachments, and a digest of every file. Anyone can ' +
    "check it with 'waymark audit verify', or with just sha256sum. The file appears under its final name only when " +
    'the download is complete.',
  examples: [
    { say: 'A trail with all its evidence', run: 'waymark audit package shop/release-1' },
    { say: 'An artifact, into a file of your choice', run: 'waymark audit package 8f05d73 --to evidence.tgz' },
  ],
  settings: ['flow', 'trail'],
  build: (command) =>
    command
      .argument(
        '[what]',
        'FLOW/TRAIL, a fingerprint or its first 5 digits, a path, oci://IMAGE, or the id of an attestation (default: the trail of the build)',
      )
      .option('--to <file>', 'file to write (- for standard output)')
      .option('--force', 'overwrite an existing file'),
  async run(session, [what], { to, force }) {
    const { response, name } = await requested(session, what);
    const file = to ?? name;
    const saved = await saveDownload(session.io, response, { file, sha256: null, overwrite: force === true });
    if (file === '-') return { data: saved, text: '' };
    return { data: saved, text: `${file} (${saved.bytes} bytes, SHA-256 ${saved.sha256})` };
  },
});

interface Requested {
  readonly response: Response;
  /** Made here, so that no response chooses where a file is written. */
  readonly name: string;
}

async function requested(session: Session, what: string | undefined): Promise<Requested> {
  const org = session.need('org');
  const { signal } = session.io;
  const client = session.client();
  if (what !== undefined && ATTESTATION_ID.test(what)) {
    const { flow_name, trail_name, attestation_id } = await findAttestation(session, what);
    const params = { org, flow_name, trail_name, attestation_id };
    return {
      response: await client.download(getAttestationPackage, { params, signal }),
      name: `attestation-${attestation_id}.tgz`,
    };
  }
  const subject = await subjectIn(session, what);
  if (subject.kind === 'trail') {
    const { flow_name, trail_name } = subject;
    const params = { org, flow_name, trail_name };
    return {
      response: await client.download(getTrailPackage, { params, signal }),
      name: `trail-${flow_name}-${trail_name}.tgz`,
    };
  }
  const { fingerprint } = subject;
  const flow_name = await flowOf(session, fingerprint);
  return {
    response: await client.download(getArtifactPackage, { params: { org, flow_name, fingerprint }, signal }),
    name: `artifact-${flow_name}-${fingerprint.slice(0, 12)}.tgz`,
  };
}

async function subjectIn(session: Session, what: string | undefined) {
  if (what !== undefined && (isArtifactForm(what) || /^[0-9a-f]{5,64}$/i.test(what))) {
    return { kind: 'artifact' as const, fingerprint: await artifactOf(session, what) };
  }
  const subject = await subjectOf(session, what);
  if (subject.kind !== 'environment') return subject;
  throw usageError(
    `Cannot create an audit package of '${what}'`,
    `Use FLOW/TRAIL, an artifact, or the id of an attestation; for an environment use 'waymark log ${subject.env_name} -o csv'`,
  );
}
