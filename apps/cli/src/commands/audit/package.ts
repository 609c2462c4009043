import { getArtifactPackage, getAttestationPackage, getEnvironmentPackage, getTrailPackage } from '@waymark/contract';
import { artifactOf, isArtifactForm, subjectOf } from '../../explain/subject.ts';
import { findAttestation } from '../../resources/find-attestation.ts';
import { timesOf } from '../../resources/options.ts';
import { flowOf } from '../../resources/references.ts';
import { saveDownload } from '../../resources/save-download.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

const ATTESTATION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const command = defineCommand({
  description:
    'Downloads a .tgz with a readable page, the records, the attachments, and the proof that they are in the ledger. ' +
    "Anyone can verify it with 'waymark verify', without access to the service. The file appears under its final name only when " +
    'the download is complete.',
  examples: [
    { say: 'A trail with all its evidence', run: 'waymark audit package shop/release-1' },
    { say: 'An artifact, into a file of your choice', run: 'waymark audit package 8f05d73 --to evidence.tgz' },
    { say: 'An environment over a period', run: 'waymark audit package prod --since 90d' },
  ],
  settings: ['flow', 'trail'],
  build: (command) =>
    command
      .argument(
        '[what]',
        'FLOW/TRAIL, a fingerprint or its first 5 digits, a path, oci://IMAGE, an environment, or the id of an attestation (default: the trail of the build)',
      )
      .option('--since <time>', 'of an environment: start of the period (default: 30 days before its end)')
      .option('--until <time>', 'of an environment: end of the period (default: now)')
      .option('--to <file>', 'file to write (- for standard output)')
      .option('--force', 'overwrite an existing file'),
  async run(session, [what], { to, force, since, until }) {
    const { response, name } = await requested(session, what, timesOf(session, { since, until }));
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

async function requested(
  session: Session,
  what: string | undefined,
  span: ReturnType<typeof timesOf>,
): Promise<Requested> {
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
  if (subject.kind === 'environment') {
    if (subject.snapshot !== undefined)
      throw usageError('The package of an environment is about a period', 'Use its name with --since and --until');
    const params = { org, env_name: subject.env_name };
    const response = await client.download(getEnvironmentPackage, { params, query: span, signal });
    return { response, name: `environment-${subject.env_name}.tgz` };
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
  return subjectOf(session, what);
}
