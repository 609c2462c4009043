import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

const PAGES = [
  ['github-actions.md', 'github-actions.yml'],
  ['gitlab-ci.md', 'gitlab-ci.yml'],
  ['jenkins.md', 'Jenkinsfile'],
  ['azure-pipelines.md', 'azure-pipelines.yml'],
  ['circleci.md', 'circleci.yml'],
  ['bitbucket-pipelines.md', 'bitbucket-pipelines.yml'],
  ['buildkite.md', 'buildkite.yml'],
  ['teamcity.md', 'teamcity-settings.kts'],
  ['harness.md', 'harness.yml'],
] as const;

it.each(PAGES)('%s shows the example pipeline that the tests run', (page, example) => {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const pipeline = readFileSync(join(ROOT, 'integrations/examples', example), 'utf8');
  expect(text).toContain(`\n${pipeline}\`\`\`\n`);
});

it('every page of a CI system creates what the example pipelines need, as their README does', () => {
  const readme = readFileSync(join(ROOT, 'integrations/examples/README.md'), 'utf8');
  const [preparation = ''] = /cat > waymark\.yml <<'YAML'\n[\s\S]*?\nYAML\n/.exec(readme) ?? [];
  expect(preparation).toContain('kind: policy');
  for (const [page] of PAGES) {
    expect(readFileSync(join(ROOT, 'docs', page), 'utf8'), page).toContain(preparation);
  }
});
