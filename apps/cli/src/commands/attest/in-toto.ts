import { attestInToto } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { statementSubjects } from '../../evidence/in-toto.ts';
import { readReports } from '../../evidence/read-reports.ts';
import { attestOne, refuseAttachments } from '../../evidence/record-attestation.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Takes a DSSE envelope or a Sigstore bundle. Compliant if a key or an identity that the org trusts has signed ' +
    'it. The attestation is about the artifact that the statement names; if it names several, add --artifact.',
  examples: [
    { say: 'Provenance of an artifact', run: 'waymark attest in-toto provenance.sigstore.json --name provenance' },
    {
      say: 'A statement about several artifacts',
      run: 'waymark attest in-toto provenance.dsse.json --name provenance --artifact ./app.tgz',
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('<file>', 'file with the envelope or bundle, or - for standard input')),
  async run(session, [path], flags) {
    refuseAttachments(flags, 'A signed statement cannot have attachments');
    const files = await readReports(session, [path], '*.json', 'signed statement');
    const artifact = flags.artifact ?? onlySubject(files[0]?.content ?? new Uint8Array());
    const report = { files, ending: '.json' };
    return attestOne(session, attestInToto, { flags: { ...flags, artifact }, report, kind: 'in-toto' });
  },
});

function onlySubject(content: Uint8Array): string {
  const subjects = statementSubjects(content);
  const [subject] = subjects;
  if (subject !== undefined && subjects.length === 1) return `sha256:${subject}`;
  throw usageError(
    subjects.length === 0
      ? 'The file is not a signed statement about a subject with a SHA-256 digest'
      : `The statement is about ${subjects.length} artifacts`,
    'Add --artifact sha256:DIGEST or ./PATH',
  );
}
