import { TIME_STAMP_HELP } from '../../ledger/time-stamp-roots.ts';
import { POLICY_HELP } from '../../ledger/trust-policy.ts';
import { defineCommand } from '../../run/command.ts';
import { verifyPackageFile } from '../verify/verify-package.ts';

export const command = defineCommand({
  description:
    'Checks every digest, record, and attachment, verifies the proofs with a trust policy, and computes the verdicts ' +
    "again. Lists what differs. Makes no network requests. Same as 'waymark verify --offline'.",
  examples: [
    { say: 'A package that you received', run: 'waymark audit verify trail-shop-release-1.tgz --policy trust.txt' },
  ],
  build: (command) =>
    command
      .argument('<package>', 'the .tgz, or the directory it was unpacked into')
      .option('--policy <file>', POLICY_HELP)
      .option('--time-stamp-roots <file>', TIME_STAMP_HELP)
      .option('--offline', 'always on'),
  run: (session, [path], { policy, timeStampRoots }) => verifyPackageFile(session, path, { policy, timeStampRoots }),
});
