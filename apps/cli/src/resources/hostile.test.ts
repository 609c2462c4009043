import { beginTrail, createControl, putEnvironment, putFlow } from '@waymark/contract';
import { expect, it } from 'vitest';
import { startApi } from '../../../server/test/harness.ts';
import { givenSignedIn } from '../../test/given-cli.ts';

const api = await startApi();
const cli = await givenSignedIn(api);

const ESCAPES = 'red \u001b[31m alert \u0007 \u009b2J \u202egnp.exe\r\nnext\u2028line';

it('shows untrusted text as one line without terminal control characters', async () => {
  await api.call(putFlow, { body: { name: 'shop', description: ESCAPES } });
  await api.call(beginTrail, { params: { flow_name: 'shop' }, body: { name: 't', description: ESCAPES } });
  await api.call(putEnvironment, { body: { name: 'prod', type: 'server', description: ESCAPES } });
  await api.call(createControl, {
    body: { identifier: 'C-1', name: ESCAPES, links: { [`a${ESCAPES}`]: 'https://x' } },
  });

  for (const line of [
    'flow list',
    'flow get shop',
    'trail list',
    'trail get shop/t',
    'env get prod',
    'env list -o wide',
    'control get C-1',
    'control list -o wide',
  ]) {
    const { code, stdout } = await cli.run(line.split(' '));

    expect(code).toBe(0);
    expect(stdout).toContain('alert');
    expect(stdout.replaceAll('\n', ' ')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(stdout.split('\n').filter((text) => text.includes('alert'))).not.toContainEqual(
      expect.stringMatching(/^next/),
    );
  }
});

it('writes a text unchanged to files, and to terminals without control characters', async () => {
  await api.call(putFlow, { body: { name: 'odd', template: 'version: 1 # \u202e\u200b\n' } });

  expect((await cli.run(['flow', 'template', 'odd'])).stdout).toBe('version: 1 # \u202e\u200b\n');
  expect((await cli.run(['flow', 'template', 'odd'], { isTty: true })).stdout).toBe('version: 1 # \uFFFD\uFFFD\n');
});
