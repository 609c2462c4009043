import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SECTIONS } from '../docs/.vitepress/sections.ts';

const ROOT = join(import.meta.dirname, '..');

/** Which test runs the `sh` blocks of a document. It names the document, or the module that writes it. */
const RUN_BY: Readonly<Record<string, string>> = {
  'docs/first-verdict.md': 'apps/cli/test/walks.test.ts',
  'docs/first-policy.md': 'apps/cli/test/walks.test.ts',
  'docs/cli-tutorial.md': 'apps/cli/test/walks.test.ts',
  'docs/gated-deployment.md': 'apps/cli/test/walks.test.ts',
  'docs/tutorial.md': 'apps/cli/test/walks.test.ts',
  'docs/notifications.md': 'apps/server/test/guards/notifications-page.test.ts',
  'docs/migrating.md': 'apps/cli/test/import.test.ts',
  'docs/policies.md': 'apps/server/test/guards/policies-walk.test.ts',
  'docs/workload-identity.md': 'apps/server/test/guards/workload-identity-page.test.ts',
  'docs/install.md': 'tools/install/install.test.ts',
  'docs/reporters.md': 'apps/cli/src/reporters/report-file.test.ts',
  'integrations/examples/README.md': 'apps/cli/test/pipelines.test.ts',
};

/** Pages made of the commands themselves: a test reads each example with the parser that the command has. */
const READ_BY: Readonly<Record<string, string>> = {
  'docs/cli.md': 'apps/cli/test/catalog.test.ts',
  'tools/cli-reference/cli.md': 'apps/cli/test/catalog.test.ts',
};

/** Documents with `console` blocks, which no test runs, and what tests them instead. */
const SHOWN: Readonly<Record<string, string>> = {
  'README.md': 'extras.test.ts starts the demo profile with the compose file of the repository',
  'CONTRIBUTING.md': 'the release workflow compares the files, released-api.test.ts and dry-run.test.ts run the rest',
  'AGENTS.md': 'commands of the repository, each of which continuous integration runs',
  'apps/cli/README.md': 'release.test.ts installs the package, pipelines.test.ts runs the lines of a pipeline',
  'docs/air-gapped.md': 'air-gapped.test.ts installs without a network; images and packages were carried over by hand',
  'docs/audit-log-streaming.md': 'activity.api.test.ts, feed.api.test.ts and tail.test.ts read the same entries',
  'docs/auditors.md': 'audit-package.api.test.ts exports packages and checks them with the same tools',
  'docs/azure-pipelines.md': 'pipelines.test.ts runs the lines of the pipeline, and ci-pages.test.ts compares it',
  'docs/back-up.md':
    'restored-dump.test.ts restores a dump into another cluster, and extras.test.ts backs up by Compose',
  'docs/bitbucket-pipelines.md':
    'pipelines.test.ts runs the pipeline, identity-pipelines.test.ts the rules and the pipeline',
  'docs/buildkite.md': 'pipelines.test.ts runs the lines of the pipeline, and ci-pages.test.ts compares it',
  'docs/change-control.md': 'change.test.ts asks, approves, refuses and withdraws as two people',
  'docs/ci.md': 'identity-pipelines.test.ts runs the same lines in the pipeline for Bitbucket',
  'docs/circleci.md': 'pipelines.test.ts runs the pipeline, identity-pipelines.test.ts the rules and the pipeline',
  'docs/client.md': 'build-library.test.ts installs the packages',
  'docs/event-bus.md': 'event-bus.test.ts consumes events across kills and a wiped stream, with the same client',
  'docs/first-verdict.md': 'continuous integration starts the demo for the public client',
  'docs/github-actions.md': 'pipelines.test.ts runs the lines of the pipeline, and ci-pages.test.ts compares it',
  'docs/gitlab-ci.md': 'pipelines.test.ts runs the lines of the pipeline, and ci-pages.test.ts compares it',
  'docs/harness.md': 'pipelines.test.ts runs the lines of the pipeline, and ci-pages.test.ts compares it',
  'docs/install.md': 'systemd does not run in tests: install.test.ts starts the command of the unit',
  'docs/jenkins.md': 'pipelines.test.ts runs the lines of the pipeline, and ci-pages.test.ts compares it',
  'docs/kubernetes.md':
    'install.test.ts installs the charts into a real Kubernetes, waymark-chart.test.ts renders them',
  'docs/move-an-org.md': 'org-copy.test.ts copies an org into another cluster and compares ledgers, pages and verdicts',
  'docs/observability.md': 'status.test.ts asks for the same as JSON, and extras.test.ts starts Prometheus by Compose',
  'docs/operations.md': 'waymark-server.test.ts starts each part with these variables',
  'docs/policies.md': 'replay.test.ts runs the command',
  'docs/releases.md': 'dry-run.test.ts signs and verifies with the same commands and a key of its own',
  'docs/reverse-proxy.md': 'tls-servers.test.ts, trusted-proxies.test.ts and base-path.test.ts use these settings',
  'docs/retention.md':
    'retention.api.test.ts, legal-hold.api.test.ts and erasure.api.test.ts send the same, and erase.test.ts runs the command',
  'docs/signed-verdicts.md': 'vsa.test.ts runs the commands, and summary.api.test.ts verifies with OpenSSL',
  'docs/single-sign-on.md':
    'sso.api.test.ts, scim-setup.api.test.ts, departure.api.test.ts and sso.test.ts do the same',
  'docs/teamcity.md': 'pipelines.test.ts runs the lines of the pipeline, and ci-pages.test.ts compares it',
  'docs/verify-the-ledger.md':
    'the tests of `waymark ledger` run these commands, and verify-token.test.ts runs `openssl ts -verify`',
  'docs/verify.md': 'attack.test.ts runs both verifiers over good and tampered packages',
  'docs/witnesses.md': 'witness-killed.test.ts generates the key and starts the witness with these settings',
  'docs/reporters.md': 'tests of each reporter run it against a server that speaks the protocol of its source',
  'packages/transparency/README.md': 'build-library.test.ts installs the package',
  'packages/time-stamps/README.md':
    'build-library.test.ts compiles the example, and verify-token.test.ts verifies tokens',
};

const documents = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const holds = (kind: string) =>
  documents.filter(({ text }) => text.includes(`\n\`\`\`${kind}\n`)).map(({ path }) => path);

it('runs every command of every document, or says what tests it instead', () => {
  expect(holds('sh').toSorted()).toEqual(Object.keys({ ...RUN_BY, ...READ_BY }).toSorted());
  for (const [document, test] of Object.entries(RUN_BY)) {
    const name = document.split('/').at(-1) ?? '';
    expect(readFileSync(join(ROOT, test), 'utf8'), `${test} does not name ${document}`).toContain(name);
  }
  expect(holds('console').toSorted()).toEqual(Object.keys(SHOWN).toSorted());
});

const pages = documents.filter(({ path }) => path.startsWith('docs/') && !path.startsWith('docs/adr/'));
/** What the reader will be able to do or know, and nothing before it but a title and a comment. */
const OPENING =
  /^# [^\n]+\n\n(?:<!--[^\n]*-->\n\n)?(?:On this page you |After reading this page you know |This page (?:shows|lists|defines|tells you) |In [\w-]+ minutes you will )/;
const NEXT_STEP = /\n\nNext: [^\n]+(?:\n[^\n]+)*\n$/;

it('each page opens with what the reader will be able to do or know', () => {
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.filter(({ text }) => !OPENING.test(text)).map(({ path }) => path)).toEqual([]);
  expect(OPENING.test('# Settings\n\nAll settings come from the environment.\n')).toBe(false);
});

it('each page ends with the next step, which is a link', () => {
  const last = (text: string) => NEXT_STEP.exec(text)?.[0] ?? '';
  expect(pages.filter(({ text }) => !last(text).includes('](')).map(({ path }) => path)).toEqual([]);
});

it('the start page lists the pages of the site in the same sections and order', () => {
  const [, ...sections] =
    readFileSync(join(ROOT, 'docs/index.md'), 'utf8').split('\n\nNext: ')[0]?.split('\n## ') ?? [];
  const listed = sections.map((section) => ({
    title: section.split('\n')[0],
    pages: [...section.matchAll(/\]\(((?!\.\.)[^)]+)\.md\)/g)].map(([, page]) => page),
  }));
  expect(listed).toEqual(SECTIONS);
});
