import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  createControl,
  putEnvironment,
  putExperimentalFeatures,
  putFlow,
  putPolicy,
  reportServer,
  scimCreateUser,
} from '@waymark/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { installSchemathesis } from '../../../../tools/schemathesis/install.ts';
import { isFull } from '../../../../tools/test-size.ts';
import { fingerprint, givenArtifact } from '../given/evidence.ts';
import { givenNotification } from '../given/notifications.ts';
import { entraUser, givenScim } from '../given/scim.ts';
import { startApi, type TestOrg } from '../harness.ts';

/** Of one operation, besides the examples and the edges of each field. */
const MAX_EXAMPLES = 10;
const TIMEOUT_MS = 30 * 60_000;

/** Each of these would end the run for all others: the stream has no end, the rest removes what was given. */
const EXCLUDED = [
  'streamEvents',
  'archiveFlow',
  'renameFlow',
  'archiveEnvironment',
  'renameEnvironment',
  'leaveOrganization',
  'revokeUserKey',
  'rotateUserKey',
];

/**
 * Whether a request is refused or accepted is checked elsewhere: names and times decide that, which no schema can
 * express.
 */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
];

describe.runIf(isFull)('the API, by its description', async () => {
  if (!isFull) return;
  const programs = await installSchemathesis();
  const directory = await mkdtemp(join(tmpdir(), 'waymark-schemathesis-'));
  afterAll(() => rm(directory, { recursive: true }));
  const api = await startApi();
  const address = await api.app.http.listen({ host: '127.0.0.1', port: 0 });
  const openapi = `${address}/api/v2/openapi.json`;

  await api.call(putFlow, { body: { name: 'given' } });
  await givenArtifact(api, 'given', 'a', { trail_name: 'given', repo_info: { name: 'given/repo' } });
  await api.call(putExperimentalFeatures, { body: { experimental_features_enabled: true } });
  await api.call(createControl, { body: { identifier: 'given', name: 'given' } });
  await api.call(putEnvironment, { body: { name: 'given', type: 'server' } });
  await api.call(reportServer, {
    params: { env_name: 'given' },
    body: { artifacts: [{ digests: { app: fingerprint('a') }, creationTimestamp: 1 }] },
  });
  const policy_yaml =
    '_schema: https://example.test/schemas/policy/environment/v1\nartifacts:\n  provenance:\n    required: true\n';
  await api.call(putPolicy, { params: { name: 'given' }, body: { policy_yaml } as never });
  const { number } = await givenNotification(api, 'given', ['given']);

  async function run(command: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(join(programs, command), args, { cwd: directory });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    return { code: child.exitCode, output: out + err };
  }

  async function judge(org: TestOrg, key: string, names: Record<string, string>, args: readonly string[]) {
    const parameters = Object.entries({ org: org.name, ...names }).map(
      ([name, value]) => `"path.${name}" = "${value}"`,
    );
    const config = join(directory, `${org.name}.toml`);
    await writeFile(config, `[parameters]\n${parameters.join('\n')}\n`);
    return run('schemathesis', [
      ...['--config-file', config, 'run', openapi, '--url', `${address}/api/v2`],
      ...['--header', `Authorization: Bearer ${key}`],
      ...['--checks', CHECKS.join()],
      ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(MAX_EXAMPLES)],
      ...['--request-timeout', '30', '--seed', '22'],
      // More than one, and CPython's parser of its own source fails now and then ("AST constructor recursion depth mismatch").
      ...['--workers', '1'],
      ...['--suppress-health-check', 'all', '--generation-database', 'none', '--warnings', 'off', '--no-color'],
      ...args,
    ]);
  }

  it('is described in a form that strict validators take', async () => {
    const script =
      'import json,sys,urllib.request as u,openapi_spec_validator as v; v.validate(json.load(u.urlopen(sys.argv[1])))';
    expect(await run('python', ['-c', script, openapi])).toEqual({ code: 0, output: '' });
  });

  it(
    'never fails, and answers as it is described',
    async () => {
      const names = {
        ...{ flow_name: 'given', trail_name: 'given', env_name: 'given', fingerprint: fingerprint('a') },
        ...{ number: String(number), identifier: 'given' },
      };
      const exclusions = EXCLUDED.flatMap((id) => ['--exclude-operation-id', id]);
      const { code, output } = await judge(api.org, api.org.keys.admin, names, [
        ...exclusions,
        ...['--exclude-path-regex', '^/scim/'],
      ]);
      console.log(output.slice(output.lastIndexOf('SUMMARY')));
      expect(code, output).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'does so for an identity provider as well',
    async () => {
      const org = await api.givenOrg('provisioned');
      const scim = await givenScim(api, org);
      await scim.send(scimCreateUser, { body: entraUser('given@example.test') });
      const { code, output } = await judge(org, scim.key, {}, ['--include-path-regex', '^/scim/']);
      console.log(output.slice(output.lastIndexOf('SUMMARY')));
      expect(code, output).toBe(0);
    },
    TIMEOUT_MS,
  );
});
