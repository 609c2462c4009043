import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { installOasdiff, oasdiff } from '../services/install.ts';
import { isFull } from '../test-size.ts';
import { DESCRIPTION, releasedApi, releasedApiCanary } from './released-api.ts';

const DESCRIBED = join(import.meta.dirname, '../..', DESCRIPTION);

/** Compiling the program takes minutes, and `pnpm check` has the same canary as soon as there is a release. */
it.runIf(isFull)('a description that lost a field of a reply does not pass for the released one', () => {
  installOasdiff();
  const folder = mkdtempSync(join(tmpdir(), 'waymark-api-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [canary] = releasedApiCanary().canaries;
  const changed = join(folder, 'changed.json');
  writeFileSync(changed, canary?.text ?? '');
  const compare = (after: string) =>
    spawnSync(oasdiff.path, [...releasedApi.args.slice(0, -2), DESCRIBED, after], { encoding: 'utf8' });

  expect(compare(DESCRIBED)).toMatchObject({ status: 0 });
  const { status, stdout } = compare(changed);
  expect(status).toBe(1);
  for (const part of canary?.mustSay ?? []) expect(stdout).toContain(part);
});
