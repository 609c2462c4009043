import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { REPORT_MAX_BYTES } from '@waymark/contract';
import { CliError, usageError } from '../run/cli-error.ts';
import { isReportType, plainText, type Report, type ReportType, reportShapes } from './report.ts';

export interface ReportFileOptions {
  readonly cwd: string;
  readonly stdin: () => Promise<Buffer>;
  /** The type of the environment. Otherwise the file's own `type` counts. */
  readonly type?: ReportType;
}

/** Reads a report made elsewhere, from a file or, for `-`, from standard input. */
export async function readReportFile(path: string, { cwd, stdin, type }: ReportFileOptions): Promise<Report> {
  const what = path === '-' ? 'standard input' : path;
  const bytes = path === '-' ? await stdin() : await readFile(resolve(cwd, path));
  if (bytes.length > REPORT_MAX_BYTES) {
    throw usageError(`The report in ${what} has ${bytes.length} bytes; the limit is ${REPORT_MAX_BYTES}`);
  }
  const body = jsonIn(bytes, what);
  const own = (body as { type?: unknown } | null)?.type;
  const kind = type ?? own;
  if (!isReportType(kind)) {
    throw usageError(
      `The report in ${what} has no type`,
      `Set its type to one of ${Object.keys(reportShapes).join(', ')}`,
    );
  }
  if (own != null && own !== kind) {
    throw usageError(`The report in ${what} has the type "${plainText(String(own), 40)}", not "${kind}"`);
  }
  return checked(kind, body, what);
}

function jsonIn(bytes: Buffer, what: string): unknown {
  if (bytes.toString().trim() === '') throw usageError(`No report in ${what}: it is empty`);
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw new CliError('usage', `The report in ${what} is not JSON`, { why: (cause as Error).message, cause });
  }
}

const FAULTS_SHOWN = 5;

/** Checked here as well, since a spooled report is refused when nobody watches. */
function checked(type: ReportType, body: unknown, what: string): Report {
  const result = reportShapes[type].safeParse(body);
  if (result.success) return { ...result.data, type } as Report;
  const { issues } = result.error;
  const shown = issues
    .slice(0, FAULTS_SHOWN)
    .map(({ path, message }) => `${path.join('.') || 'the report'}: ${message}`);
  const more = issues.length > FAULTS_SHOWN ? `, and ${issues.length - FAULTS_SHOWN} more` : '';
  throw new CliError('usage', `The report in ${what} does not match type ${type}`, {
    why: plainText(shown.join('; ') + more, 1000),
  });
}
