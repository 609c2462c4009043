import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import type { ProviderId } from '@waymark/ci-context';
import { Document, parseDocument } from 'yaml';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { type Detected, detectCi, detectRepository, flowNameFor } from './detect.ts';
import { leftToDo, type Values } from './left-to-do.ts';
import { pipelineNames } from './pipelines.ts';

const PROJECT_FILE = '.waymark.yml';

export const command = defineCommand({
  description:
    'Writes .waymark.yml, which every command reads, and prints a pipeline for the CI system of this repository, ' +
    'with the commands that give its jobs access. Works without the service, and lists the remaining steps.',
  examples: [
    { say: 'In the root of a repository', run: 'waymark init --host https://waymark.example.com --org acme' },
    { say: 'Also write the pipeline file', run: 'waymark init --ci github --write' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .addOption(new Option('--ci <system>', 'CI system, if it is not detected').choices(pipelineNames))
      .option('--write', 'write the pipeline to a file instead of printing it')
      .option('--force', 'overwrite existing files'),
  async run(session, _, { ci, write, force }) {
    const { host, org } = session.settings;
    const values: Values = { host, org, flow: session.settings.flow ?? flowNameFor(session) };
    const detected = detectCi(session, ci as ProviderId | undefined);
    const isForced = force === true;
    const lines = detected?.pipeline.lines({ host: host ?? 'https://WAYMARK', org: org ?? 'ORG', flow: values.flow });
    const written = write === true && detected ? detected.pipeline.file : undefined;
    refuseOthers(session, [PROJECT_FILE, written], isForced);
    writeProject(session, values);
    if (written !== undefined && lines !== undefined) writeInto(session, written, lines);
    const trust = detected?.pipeline.trust(detectRepository(session), values.flow) ?? [];
    const left = await leftToDo(session, values);
    return {
      data: {
        file: join(session.io.cwd, PROJECT_FILE),
        ...values,
        ci: detected?.provider ?? null,
        pipeline_file: written ?? null,
        pipeline: lines ?? null,
        trust,
        left,
      },
      text: textOf({ values, detected, lines, written, trust, left }),
    };
  },
});

/** Checked before anything is written. */
function refuseOthers({ io }: Session, files: readonly (string | undefined)[], isForced: boolean): void {
  if (isForced) return;
  const there = files.find((file) => file !== undefined && textIn(join(io.cwd, file)) !== undefined);
  if (there === undefined) return;
  throw new CliError('conflict', `${there} already exists`, {
    fix: 'Edit it, or overwrite it with --force; other keys in .waymark.yml are kept',
  });
}

function writeProject({ io }: Session, { host, org, flow }: Values): void {
  const path = join(io.cwd, PROJECT_FILE);
  const before = textIn(path);
  const document = before === undefined ? new Document({ version: 1 }) : parseDocument(before);
  for (const [key, value] of Object.entries({ host, org, flow })) if (value !== undefined) document.set(key, value);
  writeFileSync(path, document.toString());
}

function writeInto({ io }: Session, file: string, text: string): void {
  const path = join(io.cwd, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function textOf(done: {
  values: Values;
  detected: Detected | undefined;
  lines: string | undefined;
  written: string | undefined;
  trust: readonly string[];
  left: readonly string[];
}): string {
  const { values, detected, lines, written, trust, left } = done;
  const pipeline = !detected
    ? ['No CI system detected; add --ci to get a pipeline']
    : written === undefined
      ? [`Pipeline for ${detected.pipeline.name} (detected from ${detected.by}):`, '', indent(lines ?? '')]
      : [`Wrote ${written}, for ${detected.pipeline.name}`];
  return [
    `Wrote ${PROJECT_FILE}: flow ${values.flow}${values.org === undefined ? '' : ` in ${values.org}`}`,
    ...pipeline,
    ...(trust.length > 0 ? ['', 'To give its jobs access, run once as an admin:', indent(trust.join('\n'))] : []),
    ...(left.length > 0 ? ['', 'Next steps:', indent(left.join('\n'))] : []),
  ].join('\n');
}

function indent(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '  ');
}
