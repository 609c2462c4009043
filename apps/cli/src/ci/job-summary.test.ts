import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../run/io.ts';
import { jobSummary } from './job-summary.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waymark-summary-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const noRun: Io['run'] = () => ({ status: 127, stdout: '', stderr: '' });

describe('at GitHub', () => {
  const summarise = (markdown: string, key = 'trail') =>
    jobSummary('github', { GITHUB_STEP_SUMMARY: join(directory, 'summary') }, markdown, key, noRun);
  const summary = () => readFileSync(join(directory, 'summary'), 'utf8');

  it('is a block of the summary of the step, which is replaced and leaves the rest alone', () => {
    writeFileSync(join(directory, 'summary'), '# Tests');
    expect(summarise('one\n')).toEqual({ lines: [] });
    summarise('other', 'gate');
    summarise('two');
    expect(summary()).toBe(
      '# Tests\n<!-- waymark:trail -->\ntwo\n<!-- /waymark:trail -->\n<!-- waymark:gate -->\nother\n<!-- /waymark:gate -->\n',
    );
    const before = summary();
    summarise('two');
    expect(summary()).toBe(before);
  });

  it('cannot be ended by its own text', () => {
    summarise('a <!-- /waymark:trail --> b');
    summarise('c');
    expect(summary()).toBe('<!-- waymark:trail -->\nc\n<!-- /waymark:trail -->\n');
  });

  it('is cut at the end of a line where it exceeds the limit of GitHub', () => {
    writeFileSync(join(directory, 'summary'), `${'x'.repeat(500_000)}\n`);
    summarise(`\`\`\`\n${'ä'.repeat(99).concat('\n').repeat(5000)}\`\`\``);
    expect(statSync(join(directory, 'summary')).size).toBeLessThanOrEqual(1024 * 1024);
    expect(statSync(join(directory, 'summary')).size).toBeGreaterThan(1024 * 1024 - 1000);
    expect(summary()).toMatch(/ä\n```\n\n_This summary was truncated: .*_\n<!-- \/waymark:trail -->\n$/);
  });

  it('reports that nothing more fits', () => {
    writeFileSync(join(directory, 'summary'), 'x'.repeat(1024 * 1024 - 20));
    expect(summarise('one').problem).toBe('The step summary is full, so nothing was added to it');
    expect(statSync(join(directory, 'summary')).size).toBe(1024 * 1024 - 20);
  });

  it('is skipped without a file, and a write error does not fail the command', () => {
    expect(jobSummary('github', {}, 'one', 'trail', noRun)).toEqual({ lines: [] });
    expect(jobSummary('github', { GITHUB_STEP_SUMMARY: directory }, 'one', 'trail', noRun)).toEqual({
      lines: [],
      problem: "Couldn't write the job summary (EISDIR)",
    });
  });
});

describe('elsewhere', () => {
  it('is a file that Azure uploads, the same for the same key', () => {
    const env = { AGENT_TEMPDIRECTORY: directory };
    const path = join(directory, 'waymark-trail-1.md');
    jobSummary('azure', env, 'one', 'trail/1', noRun);
    expect(jobSummary('azure', env, 'two', 'trail/1', noRun)).toEqual({ lines: [`##vso[task.uploadsummary]${path}`] });
    expect(readFileSync(path, 'utf8')).toBe('two');
  });

  it('is a file of its own at Azure where the agent names no directory, and no link is followed', () => {
    const victim = join(directory, 'victim');
    writeFileSync(victim, 'kept');
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = directory;
    try {
      symlinkSync(victim, join(directory, 'waymark-attest-shop.md'));
      const [line = ''] = jobSummary('azure', {}, 'one', 'attest-shop', noRun).lines;
      const path = line.replace('##vso[task.uploadsummary]', '');
      expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['one', 0o600]);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    expect(jobSummary('azure', { AGENT_TEMPDIRECTORY: directory }, 'one', 'attest-shop', noRun).problem).toBe(
      "Couldn't write the job summary (ELOOP)",
    );
    expect(readFileSync(victim, 'utf8')).toBe('kept');
  });

  it('is an annotation of Buildkite, handed over by standard input', () => {
    const calls: unknown[] = [];
    const run: Io['run'] = (...call) => {
      calls.push(call);
      return { status: 0, stdout: '', stderr: '' };
    };
    expect(jobSummary('buildkite', {}, '# one', 'trail', run)).toEqual({ lines: [] });
    expect(calls).toEqual([
      ['buildkite-agent', ['annotate', '--context', 'trail', '--style', 'info'], { input: '# one' }],
    ]);
    expect(jobSummary('buildkite', {}, '# one', 'trail', noRun).problem).toBe(
      'buildkite-agent annotate exited with status 127',
    );
  });

  it('is nothing', () => {
    for (const provider of ['gitlab', 'jenkins', 'circleci', 'bitbucket', 'none'] as const) {
      expect(jobSummary(provider, {}, 'one', 'trail', noRun)).toEqual({ lines: [] });
    }
  });
});
