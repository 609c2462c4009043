import { getVerificationSummary } from '@waymark/contract';
import { identifyArtifact, REFERENCE_FORMS } from '../../evidence/artifact-reference.ts';
import { collect } from '../../evidence/attest-flags.ts';
import { printOrSave } from '../../resources/print-or-save.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Prints the verdict on an artifact in an environment as the service signs it now: a SLSA Verification Summary ' +
    'Attestation in a DSSE envelope. A gate can decide from it while the service is away, with ' +
    "'waymark assert artifact --offline', and other tools can verify it.",
  examples: [
    { say: 'Save it beside the artifact', run: 'waymark vsa get dist/app.tgz --env prod --to app.vsa.json' },
    {
      say: 'Decide from it later, without the service',
      run: 'waymark assert artifact dist/app.tgz --env prod --offline app.vsa.json --keys waymark.pem --max-age 1h',
    },
  ],
  build: (command) =>
    command
      .argument('<reference>', REFERENCE_FORMS)
      .requiredOption('--env <name>', 'environment that the verdict is about')
      .option('--exclude <pattern>', 'pattern to exclude from a directory; can be repeated', collect, [] as string[])
      .option('--to <file>', 'file to write (default: standard output)')
      .option('--force', 'overwrite an existing file'),
  async run(session, [reference], { env, exclude, to, force }) {
    const { fingerprint } = await identifyArtifact(session, reference, { exclude });
    const signed = await session.client().call(getVerificationSummary, {
      params: { org: session.need('org'), fingerprint },
      query: { environment_name: env },
      signal: session.io.signal,
    });
    const content = `${JSON.stringify(signed)}\n`;
    return { data: signed, text: printOrSave(session, content, { to, force }).trimEnd() };
  },
});
