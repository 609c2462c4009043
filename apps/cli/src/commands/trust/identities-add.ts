import { addTrustedIdentity } from '@waymark/contract';
import { collect, given } from '../../resources/options.ts';
import { readInput } from '../../resources/read-input.ts';
import { noteDryRun, writing } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'From now on, the org accepts statements signed with a Sigstore certificate issued to this identity.',
  examples: [
    {
      say: 'A GitHub workflow',
      run:
        'waymark trust identities add release --issuer https://token.actions.githubusercontent.com ' +
        '--subject https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main',
    },
    {
      say: 'The workflow of any tag',
      run:
        'waymark trust identities add tags --issuer https://token.actions.githubusercontent.com ' +
        "--subject 'https://github.com/acme/web/.github/workflows/release.yml@refs/tags/*' --pattern",
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the identity')
      .requiredOption('--issuer <url>', 'OIDC issuer in the certificate')
      .requiredOption('--subject <text>', 'email address or URI in the certificate')
      .option('--pattern', 'the subject is a pattern: * is any text within one part, ** any text')
      .option('--trusted-root <file>', 'trusted_root.json of a private Sigstore')
      .option('--flow <name>', 'trust it in this flow only; can be repeated', collect),
  async run(session, [name], { issuer, subject, trustedRoot, flow: flows, pattern }) {
    const trusted_root =
      trustedRoot === undefined ? undefined : readRoot(trustedRoot, await readInput(session, trustedRoot));
    const identity = await session.client().call(addTrustedIdentity, {
      params: { org: session.need('org') },
      body: given({ name, issuer, subject, trusted_root, flows, matching: pattern ? ('pattern' as const) : undefined }),
      ...writing(session),
    });
    noteDryRun(session);
    return { data: identity, text: `Identity '${identity.name}' is trusted: ${identity.subject}` };
  },
});

function readRoot(file: string, text: string): Record<string, unknown> {
  try {
    const root: unknown = JSON.parse(text);
    if (typeof root === 'object' && root !== null && !Array.isArray(root)) return root as Record<string, unknown>;
  } catch {
    // Reported below, with the expected form.
  }
  throw usageError(
    `${file} is not a JSON object`,
    "Use the trusted_root.json that 'cosign trusted-root create' writes",
  );
}
