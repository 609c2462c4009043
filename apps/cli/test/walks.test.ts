import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled } from '../../../tools/services/compiled.ts';
import { givenEnvironment } from '../../server/test/given/environments.ts';
import { givenArtifact, givenFlow } from '../../server/test/given/evidence.ts';
import { givenAttached, givenPolicy, REQUIRES_PROVENANCE } from '../../server/test/given/policies.ts';
import { givenReport } from '../../server/test/given/reports.ts';
import { givenVerdictWorker } from '../../server/test/given/worker.ts';
import { complaintsAbout, readCommands } from '../../server/test/guards/pages/shell.ts';
import { startApi } from '../../server/test/harness.ts';
import { addressOf } from './given-cli.ts';
import { ROOT } from './given-package.ts';
import { PATH_WITH_WAYMARK } from './given-process.ts';
import { A } from './given-world.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const api = await startApi({ statementKeys: [privateKey] });
const home = mkdtempSync(join(tmpdir(), 'waymark-walks-'));
afterAll(() => rmSync(home, { recursive: true }));

/** The demo's org has a history, as has every org in which a second walk is tried. */
beforeAll(async () => {
  await givenFlow(api, 'payments');
  await givenArtifact(api, 'payments', 'a');
  await givenPolicy(api, 'baseline', REQUIRES_PROVENANCE);
  await givenEnvironment(api, 'production', 'server');
  await givenEnvironment(api, 'staging', 'server');
  await givenAttached(api, 'production', ['baseline']);
  await givenReport(api, 'production', [['payments', A]]);
});

describe('each walk works as written, in an org with a history, after all walks before it', () => {
  it.each(['first-verdict.md', 'first-policy.md', 'cli-tutorial.md', 'gated-deployment.md', 'tutorial.md'])(
    '%s',
    async (document) => {
      const [setting, ...commands] = await readCommands(document);
      expect(setting?.text).toMatch(/^export .*WAYMARK_(TOKEN|KEY)=/m);
      expect(commands.length).toBeGreaterThan(4);

      // Of the walks, only this one waits for a re-evaluation.
      if (document === 'first-policy.md') await givenVerdictWorker(api);
      const host = await addressOf(api);
      const env = {
        PATH: PATH_WITH_WAYMARK,
        HOME: home,
        GIT_CEILING_DIRECTORIES: tmpdir(),
        WAYMARK_HOST: host,
        WAYMARK_ORG: api.org.name,
        WAYMARK_TOKEN: api.org.keys.admin,
        WAYMARK: `${host}/api/v2`,
        WAYMARK_KEY: api.org.keys.admin,
        TZ: 'UTC',
        ...compiled,
      };
      expect(await complaintsAbout(commands, env)).toEqual([]);
    },
    900_000,
  );
});

it('the first tutorial reaches a passing gate of the reader in ten commands', () => {
  const page = readFileSync(join(ROOT, 'docs/first-verdict.md'), 'utf8').replace(/<<'YAML'[\s\S]*?\nYAML\n/g, '\n');
  const blocks = [...page.matchAll(/^```(?:console|sh)\n([\s\S]*?)^```/gm)].map(([, lines = '']) => lines.trim());
  const commands = blocks.join('\n').split('\n');
  const gates = commands.flatMap((command, i) => (command.startsWith('waymark assert') ? [i + 1] : []));
  // The first gate fails and names what is missing.
  expect(gates[1]).toBeLessThanOrEqual(10);
});
