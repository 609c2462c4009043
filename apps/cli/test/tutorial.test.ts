import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { todays } from '../../../tools/test-size.ts';
import { complaintsAbout, readCommands } from '../../server/test/guards/pages/shell.ts';
import { startApi } from '../../server/test/harness.ts';
import { addressOf } from './given-cli.ts';
import { waymarkOnPath } from './given-process.ts';

const home = mkdtempSync(join(tmpdir(), 'waymark-tutorial-'));
afterAll(() => rmSync(home, { recursive: true }));

it.each(todays(['cli-tutorial.md', 'gated-deployment.md'], 2))(
  '%s works as written, from an empty org',
  async (document) => {
    const api = await startApi();
    const [setting, ...commands] = await readCommands(document);
    expect(setting?.text).toContain('export WAYMARK_TOKEN=');
    expect(commands.length).toBeGreaterThan(5);

    const env = {
      PATH: waymarkOnPath(home),
      HOME: home,
      GIT_CEILING_DIRECTORIES: tmpdir(),
      WAYMARK_HOST: await addressOf(api),
      WAYMARK_ORG: api.org.name,
      WAYMARK_TOKEN: api.org.keys.admin,
      TZ: 'UTC',
    };
    expect(await complaintsAbout(commands, env)).toEqual([]);
  },
  180_000,
);
