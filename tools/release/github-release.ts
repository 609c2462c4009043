import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { version } from '../../apps/cli/src/run/version.ts';
import { NOTES } from './build-release.ts';
import { runProgram } from './run-program.ts';
import { PROVENANCE_BUNDLE, SUMS, SUMS_BUNDLE } from './verify-release.ts';

/**
 * Makes the release on GitHub: its notes, and every file that SHA256SUMS lists, with signatures and provenance.
 *
 *   node tools/release/github-release.ts DIST
 */

const out = resolve(process.argv[2] ?? 'dist');
const listed = readFileSync(join(out, SUMS), 'utf8').trim().split('\n');
const files = [...listed.map((line) => line.slice(line.indexOf('  ') + 2)), SUMS, SUMS_BUNDLE, PROVENANCE_BUNDLE];
const stage = version.includes('-') ? ['--prerelease'] : [];
runProgram('gh', [
  ...['release', 'create', `v${version}`, '--verify-tag', '--notes-file', join(out, NOTES), ...stage],
  ...files.map((name) => join(out, name)),
]);
