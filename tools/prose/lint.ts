import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { type Prose, stringsIn } from './strings.ts';

/**
 * Checks what people read, in documents and in the strings of screens, commands and messages: Vale for our rules, cspell
 * for spelling. Without files it checks everything.
 *
 *   node tools/prose/lint.ts VALE [FILE…]
 */

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENTS = [
  '*.md',
  'docs/**/*.md',
  'apps/*/README.md',
  'integrations/**/*.md',
  'deploy/**/*.md',
  '.github/*.md',
];
const PROGRAMS = ['apps/*/src/**/*.{ts,tsx}', 'packages/*/src/**/*.{ts,tsx}'];
const NOT_PROSE = ['**/node_modules/**', '**/*.test.{ts,tsx}'];

interface Fault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

interface ValeAlert {
  readonly Line: number;
  readonly Message: string;
  readonly Check: string;
}

/** Strings of a program as a text file, where the place of a string is its line. */
interface Extract {
  readonly path: string;
  readonly strings: readonly Prose[];
}

const filesOf = (patterns: readonly string[]) => globSync(patterns, { cwd: ROOT, exclude: NOT_PROSE }).toSorted();

function extract(files: readonly string[], into: string): Extract[] {
  return files.flatMap((file) => {
    const strings = stringsIn(file, readFileSync(join(ROOT, file), 'utf8'));
    if (strings.length === 0) return [];
    const path = join(into, `${file}.txt`);
    mkdirSync(dirname(path), { recursive: true });
    // An empty line in between makes each a paragraph of its own.
    writeFileSync(path, strings.map(({ text }) => `${text}\n\n`).join(''));
    return [{ path, strings }];
  });
}

function runTool(command: string, args: readonly string[]): string {
  const { stdout, stderr, status, error } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new Error(`cannot run ${command}: ${error.message}`);
  if (status !== 0 && status !== 1) throw new Error(`${command} ended with ${status}: ${stderr || stdout}`);
  return stdout;
}

function runVale(vale: string, paths: readonly string[]): Fault[] {
  const reply = JSON.parse(runTool(vale, ['--output=JSON', '--no-exit', ...paths])) as Record<string, ValeAlert[]>;
  if (!Array.isArray(Object.values(reply)[0] ?? [])) throw new Error(`Vale refuses: ${JSON.stringify(reply)}`);
  return Object.entries(reply).flatMap(([file, alerts]) =>
    alerts.map(({ Line, Message, Check }) => ({ file, line: Line, message: `${Message} (${Check})` })),
  );
}

function runCspell(paths: readonly string[], list: string): Fault[] {
  // Relative paths would be those beside the list.
  writeFileSync(list, paths.map((path) => resolve(ROOT, path)).join('\n'));
  const cspell = join(ROOT, 'node_modules/.bin/cspell');
  const options = ['--no-progress', '--no-summary', '--no-color', '--no-gitignore', '--no-must-find-files', '--quiet'];
  const printed = runTool(cspell, ['lint', ...options, '--file-list', list]);
  return [...printed.matchAll(/^(.+?):(\d+):\d+ - (.+)$/gm)].map(([, file = '', line, message = '']) => ({
    file,
    line: Number(line),
    message,
  }));
}

/** A fault in an extracted string is one of the program that it came from. */
function locate({ file, line, message }: Fault, extracts: readonly Extract[]): Fault {
  const found = extracts.find(({ path }) => path === join(ROOT, file) || path === file);
  const string = found?.strings[Math.floor((line - 1) / 2)];
  if (string) return { file: string.file, line: string.line, message };
  return { file: file.startsWith('/') ? relative(ROOT, file) : file, line, message };
}

function lint(vale: string, files: readonly string[]): Fault[] {
  const work = mkdtempSync(join(tmpdir(), 'waymark-prose-'));
  try {
    const isDocument = (file: string) => file.endsWith('.md');
    const documents = files.length > 0 ? files.filter(isDocument) : filesOf(DOCUMENTS);
    const programs = files.length > 0 ? files.filter((file) => !isDocument(file)) : filesOf(PROGRAMS);
    const extracts = extract(programs, work);
    const paths = [...documents, ...extracts.map(({ path }) => path)];
    const faults = [...runVale(vale, paths), ...runCspell(paths, join(work, 'files'))];
    return faults.map((fault) => locate(fault, extracts));
  } finally {
    rmSync(work, { recursive: true });
  }
}

const [vale, ...files] = process.argv.slice(2);
if (vale === undefined) throw new Error('usage: node tools/prose/lint.ts VALE [FILE…]');
const faults = lint(vale, files);
for (const { file, line, message } of faults) process.stdout.write(`${file}:${line}: ${message}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
