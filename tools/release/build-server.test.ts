import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { buildServer } from './build-server.ts';

it('judges in the sandbox of the bundle, with everything that a rule needs', async () => {
  const out = mkdtempSync(join(tmpdir(), 'server-'));
  await buildServer(out);
  const worker = new Worker(join(out, 'sandbox-worker.js'), { env: {}, execArgv: [] });
  onTestFinished(async () => void (await worker.terminate()));
  const answers: unknown[] = [];
  worker.on('message', (message) => answers.push(message));
  worker.on('error', (error) => answers.push(error));
  await expect.poll(() => answers).toEqual([{ kind: 'ready' }]);

  const type = { schema: null, rules: ['.coverage >= 80'], summary: [] };
  worker.postMessage({ name: 'judgeCustom', input: { ...type, data: { coverage: 90 } } });
  await expect.poll(() => answers.length).toBe(2);
  expect(answers[1]).toMatchObject({ kind: 'done', value: { kind: 'judged', results: [{ passed: true }] } });
});
