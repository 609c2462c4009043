import { readFileSync } from 'node:fs';

/** What is read of the file that Vitest's JSON reporter writes. */
interface Report {
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

interface Summary {
  readonly passed: number;
  readonly failed: number;
}

/** Never without a failure when the run failed, even if no report was written or no test is to blame. */
export function summarise(report: Report | undefined, exitStatus: number): Summary {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const failures = tests.filter(isFailed).length + files.filter(failedOutsideItsTests).length;
  const broken = report === undefined || exitStatus !== 0;
  return {
    passed: tests.filter((test) => test.status === 'passed').length,
    failed: broken ? Math.max(failures, 1) : failures,
  };
}

/** It did not load, or a hook threw. */
function failedOutsideItsTests(file: FileResult): boolean {
  return isFailed(file) && !file.assertionResults.some(isFailed);
}

function isFailed({ status }: { readonly status: string }): boolean {
  return status === 'failed';
}

function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const [path = '', exitStatus] = process.argv.slice(2);
  const { passed, failed } = summarise(readReport(path), Number(exitStatus));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
