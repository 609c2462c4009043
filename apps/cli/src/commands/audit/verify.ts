import { defineCommand } from '../../run/command.ts';
import { verifyPackage } from '../verify/verify-package.ts';

export const command = defineCommand({
  description:
    'Checks every digest, record, and attachment, and lists what was changed, is missing, or does not belong. Makes ' +
    "no network requests. Same as 'waymark verify --offline'.",
  examples: [{ say: 'A package that you received', run: 'waymark audit verify trail-shop-release-1.tgz' }],
  build: (command) =>
    command.argument('<package>', 'the .tgz, or the directory it was unpacked into').option('--offline', 'always on'),
  run: (session, [path]) => verifyPackage(session, path),
});
