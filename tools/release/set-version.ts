import { setVersion } from './versions.ts';

/**
 * Writes the version of the next release into every file that names it.
 *
 *   node tools/release/set-version.ts 1.2.3
 */

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error('node tools/release/set-version.ts 1.2.3');
for (const file of setVersion(version)) process.stdout.write(`${file}\n`);
