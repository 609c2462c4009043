import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { dataDir } from '../services/endpoints.ts';
import { givenFile } from './client.ts';
import { eventLog } from './event-log.ts';
import { outsideReports } from './outside-reports.ts';
import { provenance } from './provenance.ts';
import type { Action, Command, Step } from './step.ts';

/** An environment in which a program ran, then a site beside it, and then the next version of the program alone. */
interface History {
  readonly env: string;
  readonly first: string;
  readonly second: string;
  /** A time at which snapshot 1 was the latest. */
  readonly between: Moment;
}

export function snapshots(run: string): Step[] {
  const history = {
    env: `${run}-live`,
    first: `first program of ${run}`,
    second: `second program of ${run}`,
    between: moment(),
  };
  const other = `${run}-other`;
  return [
    ...reporting(history),
    ...byExpression(history),
    ...listSteps(history),
    ...comparing(history, other),
    ...asserting(history),
    ...withoutSnapshots(run, history),
    ...eventLog(history.env),
    ...outsideReports(run),
    ...provenance(run),
  ];
}

function reporting({ env, first, second, between }: History): Step[] {
  const site = givenSite();
  const program = givenFile('program.txt', first);
  const next = givenFile('next-program.txt', second);
  const paths = givenFile(
    'paths.yml',
    `version: 1\nartifacts:\n  web:\n    path: ${program}\n  site:\n    path: ${site}\n    exclude: [log.txt]\n`,
  );
  const path = (file: string) => ['snapshot', 'path', env, '--path', file, '--name', 'web'];
  const reported = (count: number) => ({
    exit: 0 as const,
    prints: [`[${count}] artifacts were reported to environment ${env}`],
  });
  const latest = (index: number): Command => ({
    args: ['get', 'environment', env, '-o', 'json'],
    exit: 0,
    json: { latest_snapshot_index: index },
  });
  return [
    { args: ['create', 'environment', env, '--type', 'server'], exit: 0, prints: [`environment ${env} was created`] },
    { args: path(program), ...reported(1) },
    { args: path(program), ...reported(1) },
    latest(1),
    between.step,
    { args: ['snapshot', 'paths', env, '--paths-file', paths], ...reported(2) },
    { args: ['snapshot', 'paths', env, '--paths-file', paths], ...reported(2) },
    latest(2),
    { args: path(next), ...reported(1) },
    latest(3),
  ];
}

function byExpression({ env, first, second, between }: History): Step[] {
  const [old, current] = [hash('sha256', first), hash('sha256', second)];
  const get = (expression: string, ...flags: string[]) => ['get', 'snapshot', env + expression, ...flags];
  const isLatest = { index: 3, is_latest: true, next_snapshot_timestamp: null };
  const latest = ['', '#3', '~0', '@{now}'].map(
    (expression): Command => ({ args: get(expression, '-o', 'json'), exit: 0, json: isLatest }),
  );
  const refused = {
    '#4': `Snapshot 4 of '${env}' does not exist: it has 3 snapshots`,
    '#0': 'snapshots are numbered from 1',
    '#x': "snapshot_expression:has 'x' where a whole number",
    '~3': `'~3' is number 0, and '${env}' has 3 snapshots`,
    '@{1.hours.ago}': `There was no snapshot of '${env}' at `,
    '@{2.days.ago}': `There was no snapshot of '${env}' at `,
    '@{3.weeks.ago}': `There was no snapshot of '${env}' at `,
    '@{1.months.ago}': `There was no snapshot of '${env}' at `,
    '@{2020-02-14T12:00:00}': `There was no snapshot of '${env}' at 2020-02-14T12:00:00Z`,
    '@{0.hours.ago}': 'snapshot_expression:has 0 instead of a number of at least 1',
    '@{yesterday}': "snapshot_expression:has 'yesterday' where a time belongs",
  };
  return [
    { args: get(''), exit: 0, prints: tableOf(current), lacks: [new RegExp(old), /^\S+ +Name: site/m] },
    { args: get('#1'), exit: 0, prints: tableOf(old), lacks: [new RegExp(current)] },
    { args: get('~1'), exit: 0, prints: [...tableOf(old), /^N\/A +Name: site +N\/A /m] },
    ...latest,
    { args: () => get(`@{${inAMinute()}}`, '-o', 'json'), exit: 0, json: isLatest },
    { args: get('~1', '-o', 'json'), exit: 0, json: { index: 2, is_latest: false, type: 'server' } },
    { args: get('~2', '-o', 'json'), exit: 0, json: { index: 1, artifacts: [{ name: 'web', fingerprint: old }] } },
    {
      args: () => get(`@{${between.text()}}`, '-o', 'json'),
      exit: 0,
      json: { index: 1, artifacts: [{ name: 'web', fingerprint: old }] },
    },
    {
      args: get('#3', '-o', 'json'),
      exit: 0,
      json: { artifacts: [{ name: 'site', annotation: { type: 'exited', was: 1, now: 0 } }] },
    },
    ...Object.entries(refused).map(
      ([expression, message]): Command => ({ args: get(expression), exit: 1, prints: [message] }),
    ),
  ];
}

function tableOf(fingerprint: string): RegExp[] {
  return [
    /^COMMIT +ARTIFACT +FLOW +COMPLIANCE +RUNNING_SINCE +REPLICAS$/m,
    /^N\/A +Name: web +N\/A +NON-COMPLIANT +\S.* ago +1$/m,
    new RegExp(`^ +Fingerprint: ${fingerprint} *$`, 'm'),
  ];
}

function listSteps({ env }: History): Step[] {
  const list = (...flags: string[]) => ['list', 'snapshots', env, ...flags];
  const when = '\\w{3}, \\d\\d \\w{3} \\d{4} [\\d:]{8} UTC';
  const rows = (...indexes: number[]) =>
    new RegExp(`^SNAPSHOT.*\n${indexes.map((index) => `${index} .* false\n`).join('')}$`);
  return [
    {
      args: list(),
      exit: 0,
      prints: [
        /^SNAPSHOT +FROM +TO +DURATION +COMPLIANT$/m,
        new RegExp(`^3 +${when} +now +\\S.* false$`, 'm'),
        new RegExp(`^2 +${when} +${when} +\\S.* false$`, 'm'),
        rows(3, 2, 1),
      ],
    },
    { args: list('--interval', '1..2'), exit: 0, prints: [rows(2, 1)] },
    { args: list('--interval', '~1..NOW'), exit: 0, prints: [rows(3, 2)] },
    { args: list('--interval', '3..'), exit: 0, prints: [rows(3)] },
    { args: list('--interval', '2'), exit: 0, prints: [rows(2)] },
    { args: list('--interval', 'NOW'), exit: 0, prints: [rows(3)] },
    { args: list('--interval', '7..9'), exit: 0, prints: ['No environment snapshots were found.'] },
    { args: list('--reverse'), exit: 0, prints: [rows(1, 2, 3)] },
    { args: list('--page', '2', '--page-limit', '2'), exit: 0, prints: [rows(1)] },
    { args: list('--page', '9'), exit: 0, prints: ['No environment snapshots were found at page number 9.'] },
    {
      args: list('--page-limit', '2', '-o', 'json'),
      exit: 0,
      json: [
        { index: 3, to: 0, compliant: false, artifact_count: 1 },
        { index: 2, compliant: false, artifact_count: 2 },
      ],
    },
    { args: list('--interval', 'x..y'), exit: 1, prints: ["query.interval:has 'x'"] },
  ];
}

function comparing({ env, first, second }: History, other: string): Step[] {
  const [old, current] = [hash('sha256', first), hash('sha256', second)];
  const diff = (one: string, two: string, ...flags: string[]) => ['diff', 'snapshots', one, two, ...flags];
  const program = givenFile('same-program.txt', first);
  const fingerprintAfter = (heading: string, fingerprint: string) =>
    new RegExp(`^${heading}\n[^]*^ +Fingerprint: +${fingerprint}$`, 'm');
  return [
    {
      args: diff(`${env}~2`, env),
      exit: 0,
      prints: [
        fingerprintAfter(`Only present in ${env}~2 \\(snapshot: ${env}#1\\)`, old),
        fingerprintAfter(`Only present in ${env} \\(snapshot: ${env}#3\\)`, current),
        /^ +Name: +web$/m,
        /^ +Flow: +Unknown$/m,
        /^ +Started: +\S.* ago$/m,
        /^ +Instances: +1$/m,
      ],
    },
    {
      args: diff(`${env}#1`, `${env}#2`, '--show-unchanged'),
      exit: 0,
      prints: [
        new RegExp(`^Only present in ${env}#2\n[^]*^ +Name: +site$`, 'm'),
        fingerprintAfter('Not changed.*', old),
      ],
      lacks: [/scaled from/],
    },
    { args: diff(`${env}#1`, `${env}#2`), exit: 0, prints: [`Only present in ${env}#2`], lacks: [/Not changed/] },
    { args: diff(env, `${env}@{now}`), exit: 0, lacks: [/Only present/] },
    {
      args: ['snapshot', 'path', other, '--path', program, '--name', 'shop', '--auto-environment'],
      exit: 0,
      prints: [`environment ${other} was created`],
    },
    {
      args: diff(env, other, '-o', 'json'),
      exit: 0,
      json: {
        snappish1: { snapshot_id: `${env}#3`, artifacts: [{ name: 'web', fingerprint: current, instance_count: 1 }] },
        snappish2: { snapshot_id: `${other}#1`, artifacts: [{ name: 'shop', fingerprint: old, instance_count: 1 }] },
        changed: { artifacts: [] },
        'not-changed': { artifacts: [] },
      },
    },
    { args: diff(`${env}#9`, env), exit: 1, prints: [`Snapshot 9 of '${env}' does not exist: it has 3 snapshots`] },
    { args: diff(env, `${env}-nobody`), exit: 1, prints: [`Environment '${env}-nobody' does not exist in this org`] },
    { args: diff(env, '~1'), exit: 1, prints: ['query.snappish2:has no environment in front'] },
  ];
}

/** Nothing fails, but without a policy nothing is judged compliant either. */
function asserting({ env }: History): Step[] {
  return [
    ...['', '#1', '~1'].map(
      (expression): Command => ({
        args: ['assert', 'snapshot', env + expression],
        exit: 1,
        prints: ['NON-COMPLIANT'],
      }),
    ),
    { args: ['assert', 'snapshot', `${env}#9`], exit: 1, prints: [`Snapshot 9 of '${env}' does not exist`] },
  ];
}

function withoutSnapshots(run: string, { env }: History): Step[] {
  const [nobody, empty, logical] = [`${run}-nobody`, `${run}-empty`, `${run}-logical`];
  const noSnapshots = `is a logical environment and has no snapshots of its own; use those of its members: ${env}`;
  return [
    { args: ['create', 'environment', empty, '--type', 'server'], exit: 0, prints: ['was created'] },
    { args: ['get', 'snapshot', empty], exit: 1, prints: [`Environment '${empty}' has no snapshots yet`] },
    { args: ['assert', 'snapshot', empty], exit: 1, prints: [`Environment '${empty}' has no snapshots yet`] },
    { args: ['list', 'snapshots', empty], exit: 0, prints: ['No environment snapshots were found.'] },
    { args: ['log', 'environment', empty], exit: 0, prints: ['No environment events were found.'] },
    {
      args: ['create', 'environment', logical, '--type', 'logical', '--included-environments', env],
      exit: 0,
      prints: ['was created'],
    },
    { args: ['get', 'snapshot', logical], exit: 1, prints: [noSnapshots] },
    { args: ['list', 'snapshots', logical], exit: 1, prints: [noSnapshots] },
    { args: ['diff', 'snapshots', logical, env], exit: 1, prints: [noSnapshots] },
    { args: ['log', 'environment', logical], exit: 0, prints: [/^#3 +Artifact: web /m, /^#1 +Artifact: web /m] },
    ...['get snapshot', 'list snapshots', 'assert snapshot', 'log environment'].map(
      (command): Command => ({
        args: [...command.split(' '), nobody],
        exit: 1,
        prints: [`Environment '${nobody}' does not exist in this org`],
      }),
    ),
  ];
}

/** A directory with an excluded file. */
function givenSite(): string {
  const site = join(dataDir, 'interop', 'site');
  mkdirSync(site, { recursive: true });
  givenFile('site/index.html', '<h1>Shoes</h1>');
  givenFile('site/log.txt', String(Date.now()));
  return site;
}

interface Moment {
  /** Waits for the next second, as expressions have no smaller unit. */
  readonly step: Action;
  readonly text: () => string;
}

function moment(): Moment {
  let text = '';
  return {
    step: {
      does: 'waits for the next second',
      run: async () => {
        const end = Math.ceil(Date.now() / 1000) * 1000;
        text = inExpression(end);
        await setTimeout(end + 50 - Date.now());
        return [];
      },
    },
    text: () => text,
  };
}

function inAMinute(): string {
  return inExpression(Date.now() + 60_000);
}

function inExpression(time: number): string {
  return new Date(time).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}
