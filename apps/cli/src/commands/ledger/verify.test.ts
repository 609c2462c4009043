import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatLedgerProof } from '@waymark/transparency';
import { expect, it } from 'vitest';
import { givenProof } from '../../../../../packages/transparency/test/given-proof.ts';
import { givenCli } from '../../../test/given-cli.ts';

const cli = givenCli();
const { proof, policy } = await givenProof();
writeFileSync(join(cli.cwd, 'trust.txt'), policy);

async function verify(file: string, content: string, ...more: string[]) {
  writeFileSync(join(cli.cwd, file), content);
  return cli.run(['ledger', 'verify', file, '--policy', 'trust.txt', ...more]);
}

it('a proof is verified without a service, and each step is named', async () => {
  const { code, stdout, stderr } = await verify('good.tlog-proof', formatLedgerProof(proof));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('✓ good.tlog-proof proves that this was recorded');
  expect(stdout).toContain('Ada Lovelace');
  expect(stdout).toContain("Cosigned by 'one'");
});

it('programs read what was recorded', async () => {
  const { stdout } = await verify(
    'good.tlog-proof',
    formatLedgerProof(proof),
    '--jq',
    '.entry.payload | fromjson | .name',
  );
  expect(stdout).toBe('wéb\n');
});

it('a changed payload proves nothing, and the step that fails is named', async () => {
  const changed = formatLedgerProof({ ...proof, entry: { ...proof.entry, payload: '{"name":"another"}' } });
  const { code, stdout } = await verify('changed.tlog-proof', changed);
  expect(code).toBe(3);
  expect(stdout).toContain('✕ changed.tlog-proof proves nothing');
  expect(stdout).toContain('✕ The content is not what was recorded');
});

it('a proof without its cosignatures does not satisfy a policy that requires them', async () => {
  const alone = formatLedgerProof(proof).replace(/— witness.*\n/g, '');
  const { code, stdout } = await verify('alone.tlog-proof', alone);
  expect(code).toBe(3);
  expect(stdout).toContain("not the quorum 'both'");
});

it('another file is a wrong use, and not a failed verification', async () => {
  expect(await verify('note.txt', 'hello')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('note.txt is not a proof of an entry'),
  });
  expect(await cli.run(['ledger', 'verify', 'none', '--policy', 'trust.txt'])).toMatchObject({ code: 2 });
  expect(await cli.run(['ledger', 'verify', 'good.tlog-proof'])).toMatchObject({ code: 2 });
});
