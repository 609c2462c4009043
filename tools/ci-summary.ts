import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MESSAGE_LINES_MAX = 12;

/** The parts of the report of Vitest's JSON reporter in use. */
interface Report {
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

interface Summary {
  readonly passed: number;
  readonly failed: number;
}

/** Always has a failure when the run failed, even without a report or a failed test. */
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

/** Repeated at the end: the output of a failed test is thousands of lines above. */
export function describeFailures(report: Report | undefined): string[] {
  return (report?.testResults ?? []).flatMap((file) => {
    const where = relative('.', file.name);
    const outside = failedOutsideItsTests(file) ? [`failed: ${where}\n${beginning(file.message)}`] : [];
    const tests = file.assertionResults.filter(isFailed);
    return [
      ...outside,
      ...tests.map(
        ({ fullName, failureMessages }) => `failed: ${where}: ${fullName}\n${beginning(failureMessages.join('\n'))}`,
      ),
    ];
  });
}

function beginning(message: string): string {
  return message.split('\n').slice(0, MESSAGE_LINES_MAX).join('\n');
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
  const report = readReport(path);
  for (const failure of describeFailures(report)) console.error(failure);
  const { passed, failed } = summarise(report, Number(exitStatus));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
