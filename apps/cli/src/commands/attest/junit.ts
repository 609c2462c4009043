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
    'The service reads the reports and judges: compliant when tests ran without failures and errors. Several files are ' +
    'sent as one archive and counted together. Reports without a test that ran are recorded as no tests, which is not ' +
    'compliant; with --require-tests they are an error, and not recorded. In a directory, files are looked for in all folders but .git and ' +
    'node_modules; patterns pass over names that begin with a dot.',
  examples: [
    { say: 'All reports of a directory', run: 'waymark attest junit build/test-results --name unit-tests' },
    {
      say: 'About an artifact that is attested later',
      run: "waymark attest junit 'reports/**/TEST-*.xml' --name unit-tests --artifact web",
    },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('<path...>', 'files, directories or patterns; - is standard input')).option(
      '--require-tests',
      'an error, and nothing is recorded, when no test ran',
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
    throw usageError('--require-tests does not look into an archive', 'Give the reports themselves');
  }
  if (hasTestThatRan(files)) return;
  if (requireTests) throw usageError('No test ran, by what the reports say', 'Did the tests start? Nothing was sent');
  warnWithoutTests(session, name);
}
