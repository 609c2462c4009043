import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProviderId } from '@waymark/ci-context';
import type { Io } from '../run/io.ts';
import { azureData } from './escape.ts';

/** GitHub refuses a larger step summary, and Buildkite a larger annotation. */
const MAX_BYTES = 1024 * 1024;
const CUT = '\n\n_This summary was truncated: it exceeds the size limit of the CI system._\n';

export interface SummaryOutcome {
  /** Written to standard output unchanged. */
  readonly lines: readonly string[];
  /** Why there is no summary. Never fails a command. */
  readonly problem?: string;
}

const NOTHING: SummaryOutcome = { lines: [] };

/** Shows Markdown on the page of the build. The same key replaces the earlier text. */
export function jobSummary(
  provider: ProviderId,
  env: Io['env'],
  markdown: string,
  key: string,
  run: Io['run'],
): SummaryOutcome {
  const name = key.replace(/[^\w.-]/g, '-');
  try {
    switch (provider) {
      case 'github':
      case 'gitea':
        return writeToStep(env['GITHUB_STEP_SUMMARY'], markdown, name);
      case 'azure':
        return uploadToAzure(env['AGENT_TEMPDIRECTORY'], markdown, name);
      case 'buildkite':
        return annotate(markdown, name, run);
      default:
        return NOTHING;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return { lines: [], problem: `Couldn't write the job summary${code}` };
  }
}

function writeToStep(path: string | undefined, markdown: string, name: string): SummaryOutcome {
  if (!path) return NOTHING;
  const begin = `<!-- waymark:${name} -->`;
  const end = `<!-- /waymark:${name} -->`;
  const { before, after } = around(existsSync(path) ? readFileSync(path, 'utf8') : '', begin, end);
  const room = MAX_BYTES - Buffer.byteLength(`${before}${begin}\n\n${end}\n${after}`);
  if (room < Buffer.byteLength(CUT)) {
    return { lines: [], problem: 'The step summary is full, so nothing was added to it' };
  }
  // A comment in the text must not be mistaken for the end of the block.
  const body = fitted(markdown.replaceAll('<!--', '&lt;!--').trimEnd(), room);
  writeFileSync(path, `${before}${begin}\n${body}\n${end}\n${after}`);
  return NOTHING;
}

function around(text: string, begin: string, end: string): { before: string; after: string } {
  const from = text.indexOf(begin);
  const to = from === -1 ? -1 : text.indexOf(end, from);
  if (to !== -1) return { before: text.slice(0, from), after: text.slice(to + end.length).replace(/^\n/, '') };
  return { before: text === '' || text.endsWith('\n') ? text : `${text}\n`, after: '' };
}

function fitted(markdown: string, maxBytes: number): string {
  if (Buffer.byteLength(markdown) <= maxBytes) return markdown;
  // Room to close a code block that the cut leaves open.
  const bytes = Buffer.from(markdown).subarray(0, Math.max(0, maxBytes - Buffer.byteLength(CUT) - 4));
  const lastLine = bytes.lastIndexOf(10);
  const wholeLines = (lastLine === -1 ? bytes.subarray(0, 0) : bytes.subarray(0, lastLine)).toString('utf8');
  const isOpen = (wholeLines.match(/^```/gm) ?? []).length % 2 === 1;
  return `${wholeLines}${isOpen ? '\n```' : ''}${CUT}`.trimEnd();
}

/** The agent reads the file when it reads the line, and shows it under the name of the file. */
function uploadToAzure(directory: string | undefined, markdown: string, name: string): SummaryOutcome {
  // Others may write to the machine's temporary directory and place a link there.
  const path = join(directory || mkdtempSync(join(tmpdir(), 'waymark-')), `waymark-${name}.md`);
  const file = openSync(path, REPLACE, 0o600);
  try {
    writeFileSync(file, fitted(markdown, MAX_BYTES));
  } finally {
    closeSync(file);
  }
  return { lines: [`##vso[task.uploadsummary]${azureData(path)}`] };
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
const REPLACE = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;

function annotate(markdown: string, name: string, run: Io['run']): SummaryOutcome {
  const { status } = run('buildkite-agent', ['annotate', '--context', name, '--style', 'info'], {
    input: fitted(markdown, MAX_BYTES),
  });
  return status === 0 ? NOTHING : { lines: [], problem: `buildkite-agent annotate exited with status ${status}` };
}
