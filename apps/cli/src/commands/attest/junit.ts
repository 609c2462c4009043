import { attestJunit } from '@waymark/contract';
import { attestSettings, withAttestFlags } from '../../evidence/attest-flags.ts';
import { isGzip, onlyJunit, readReports } from '../../evidence/read-reports.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { hasTestThatRan, warnWithoutTests } from '../../evidence/tests-that-ran.ts';
import type { NamedFile } from '../../evidence/tgz.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

export const command = defineCommand({
  description:
    'The service reads the reports and judges them: compliant if tests ran without failures or errors. Several files ' +
    "are sent as one archive and counted together. Reports in which no test ran are recorded as 'no tests', which is " +
    'non-compliant; with --require-tests they are an error, and nothing is recorded. Directories are searched ' +
    'recursively, except .git and node_modules; patterns skip names that begin with a dot.',
  examples: [
    { say: 'All reports in a directory', run: 'waymark attest junit build/test-results --name unit-tests' },
    {
      say: 'About an artifact that is attested later',
      run: "waymark attest junit 'reports/**/TEST-*.xml' --name unit-tests --artifact web",
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('<path...>', 'files, directories, or patterns, or - for standard input')).option(
      '--require-tests',
      'fail, and record nothing, if no test ran',
    ),
  async run(session, [paths], { requireTests, ...flags }) {
    const found = await readReports(session, paths, '**/*.xml', 'JUnit report');
    const report = { files: onlyJunit(session, paths, found), ending: '.xml' };
    checkTests(session, report.files, { name: flags.name ?? 'junit', requireTests: requireTests === true });
    return attestOne(session, attestJunit, { flags, report, kind: 'junit' });
  },
});

function checkTests(
  session: Session,
  files: readonly NamedFile[],
  { name, requireTests }: { name: string; requireTests: boolean },
): void {
  if (isGzip(files[0]?.content)) {
    if (!requireTests) return;
    throw usageError('--require-tests cannot read an archive', 'Use the report files instead');
  }
  if (hasTestThatRan(files)) return;
  if (requireTests)
    throw usageError('The reports contain no test that ran', 'Check that the tests started; nothing was sent');
  warnWithoutTests(session, name);
}
