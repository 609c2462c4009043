import { defineCommand } from '../../run/command.ts';
import { verifyPackage } from '../verify/verify-package.ts';

export const command = defineCommand({
  description:
    "Every digest, every record and every attachment is checked, and what was changed, is missing or does not belong is named. Nobody is asked. The same as 'waymark verify --offline'.",
  examples: [{ say: 'A package that somebody sent you', run: 'waymark audit verify trail-shop-release-1.tgz' }],
  build: (command) =>
    command
      .argument('<package>', 'the .tgz, or the folder into which it was unpacked')
      .option('--offline', 'always so'),
  run: (session, [path]) => verifyPackage(session, path),
});
