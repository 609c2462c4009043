import { sql } from 'kysely';
import { isFull } from '../../../../tools/test-size.ts';
import { createUser } from '../../src/features/memberships/sign-up.service.ts';
import { givenOrg, type Org } from '../faults/installation.ts';
import { holdRows } from '../given/held-rows.ts';
import { type Attack, flood, headOf, holdSockets } from './attack.ts';
import type { LoopRequest } from './open-loop.ts';
import type { Stage } from './stage.ts';

const MiB = 1024 * 1024;

const get = (path: string, key?: string): LoopRequest => ({ method: 'GET', path, ...(key && { key }) });
const send = (method: string, path: string, key: string, body: unknown): LoopRequest => ({
  method,
  path: `/api/v2${path}`,
  key,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** As many as an attacker has, or a few where the code only has to run. */
const many = (count: number): number => (isFull ? count : Math.ceil(count / 10));

/** All of them created by one person. */
async function moreOrgs({ installation: { ctx } }: Stage, count: number, prefix: string): Promise<Org[]> {
  const { id } = await createUser(ctx, { login: prefix, email: null, displayName: null });
  const orgs: Org[] = [];
  for (let i = 0; i < count; i++) orgs.push(await givenOrg(ctx, `${prefix}-${i}`, id));
  return orgs;
}

const strangers: readonly Attack[] = [
  {
    name: 'strangers read /openapi.json over and over',
    start: async (stage) => flood(stage, many(400), [get('/api/v2/openapi.json')]),
  },
  { name: 'strangers read /docs over and over', start: async (stage) => flood(stage, many(400), [get('/docs')]) },
  {
    name: 'strangers guess keys',
    start: async (stage) => {
      const key = `${stage.attacker.key.slice(0, -6)}aaaaaa`;
      return flood(stage, many(400), [get('/api/v2/flows/attacker', key), get('/api/v2/flows/attacker', 'nonsense')]);
    },
  },
  {
    name: 'strangers open connections and say nothing',
    start: (stage) => holdSockets(stage, many(2_000), () => ''),
  },
  {
    name: 'strangers send headers that never end',
    start: (stage) => holdSockets(stage, many(1_000), () => 'GET / HTTP/1.1\r\nHost: waymark\r\nX-A: ', 500),
  },
  {
    name: 'strangers ask to sign in',
    start: async (stage) => flood(stage, many(200), [get('/sign-in')]),
  },
];

const bodies: readonly Attack[] = [
  {
    name: '1,200 slow bodies',
    start: (stage) => {
      const { key } = stage.attacker;
      return holdSockets(stage, many(1_200), () => `${headOf('PUT', '/flows/attacker', key, MiB)}{`, 1_000);
    },
  },
  {
    name: 'large reports of seven orgs that are announced and never come',
    start: async (stage) => {
      const orgs = await moreOrgs(stage, 7, 'announcing');
      return holdSockets(stage, many(84), (i) => {
        const org = orgs[i % orgs.length] as Org;
        return `${headOf('PUT', `/environments/${org.name}/prod/report/server`, org.key, 8 * MiB)}{`;
      });
    },
  },
  {
    name: 'a megabyte of unknown fields',
    start: async (stage) => {
      const body = JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`field-${i}`, 1])));
      return flood(stage, 10, [send('PUT', '/flows/attacker', stage.attacker.key, body)]);
    },
  },
  {
    name: 'YAML of 64 KiB',
    start: async (stage) => {
      const { key } = stage.attacker;
      const template = `version: 1\ntrail:\n  attestations:\n${'    - name: a\n      type: generic\n'.repeat(1_900)}`;
      return flood(stage, 20, [
        send('POST', '/policies/attacker/validate', key, { policy_yaml: '? a\n'.repeat(16_000) }),
        send('PUT', '/flows/attacker', key, { name: 'yaml', template }),
      ]);
    },
  },
];

const floods: readonly Attack[] = [
  {
    name: 'one key reads as often as it may',
    start: async (stage) => flood(stage, many(600), [get('/api/v2/flows/attacker', stage.attacker.key)]),
  },
  {
    name: 'one key writes as often as it may',
    start: async (stage) =>
      flood(stage, many(600), [
        send('PUT', '/flows/attacker', stage.attacker.key, { name: 'flow-{n}', description: 'x' }),
      ]),
  },
  {
    name: 'one key attests as often as it may',
    start: async (stage) => {
      const attestation = { attestation_name: 'a', is_compliant: true };
      const path = '/attestations/attacker/web/trail/build-1/generic';
      return flood(stage, many(600), [send('POST', path, stage.attacker.key, attestation)]);
    },
  },
  {
    name: 'twenty orgs of one person write',
    start: async (stage) => {
      const orgs = await moreOrgs(stage, 20, 'writing');
      return flood(
        stage,
        many(400),
        orgs.map(({ name, key }) => send('PUT', `/flows/${name}`, key, { name: 'flow-{n}' })),
      );
    },
  },
  {
    name: '600 event streams, and news for all of them',
    start: async (stage) => {
      const { key } = stage.attacker;
      const head = `GET /api/v2/events/attacker HTTP/1.1\r\nHost: waymark\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const close = await holdSockets(stage, many(600), () => head);
      const stop = flood(stage, 20, [send('PUT', '/flows/attacker', key, { name: 'news-{n}' })]);
      return async () => {
        const result = await stop();
        await close();
        return result;
      };
    },
  },
];

const jqType = (name: string, rule: string) => ({ name, evaluator: { content_type: 'jq', rules: [rule] } });

function jqAttack(name: string, count: number, rule: string): Attack {
  return {
    name,
    async prepare({ call, attacker }) {
      await call(attacker, 'POST', '/custom-attestation-types/attacker', jqType('bomb', rule));
    },
    start: async (stage) =>
      flood(stage, many(count) / 10, [
        send('POST', '/attestations/attacker/web/trail/build-1/custom', stage.attacker.key, {
          attestation_name: 'bomb',
          type_name: 'bomb',
          attestation_data: { a: 1 },
        }),
      ]),
  };
}

const HARD = String.raw`[aж][^b]{0,1}\\pL{480}\\d`;
const policyOf = (patterns: number) =>
  [
    '_schema: https://waymark.dev/schemas/policy/v1',
    'artifacts:',
    '  attestations:',
    ...Array.from({ length: patterns }, (_, i) =>
      [
        `    - name: a${i}`,
        '      type: generic',
        `      if: '\${{ matches(artifact.name, "^x${i}[a-z]{20}") }}'`,
      ].join('\n'),
    ),
    '',
  ].join('\n');

const judging: readonly Attack[] = [
  jqAttack('90 jq bombs', 90, '[range(1e9)] | length > 0'),
  jqAttack('jq that asks for all memory', 30, '("a" * 1e9) | length > 0'),
  {
    name: '190 patterns in a simulation',
    start: async (stage) =>
      flood(stage, 5, [
        send('POST', '/policies/attacker/simulate', stage.attacker.key, { policy_yaml: policyOf(190) }),
        send('POST', '/policies/attacker/simulate', stage.attacker.key, {
          policy_yaml: policyOf(1).replace('^x0[a-z]{20}', HARD),
        }),
      ]),
  },
  {
    name: 'reports of many artifacts under a policy with patterns',
    async prepare({ call, attacker }) {
      await call(attacker, 'PUT', '/policies/attacker', { name: 'patterns', policy_yaml: policyOf(20) });
      await call(attacker, 'POST', '/environments/attacker/prod/policies', { policy_names: ['patterns'] });
    },
    start: async (stage) => {
      const artifacts = Array.from({ length: 200 }, (_, i) => ({
        digests: { [`${'x'.repeat(450)}-${i}`]: i.toString(16).padStart(64, '0') },
        creationTimestamp: 1,
      }));
      const report = (extra: number) => ({ artifacts: artifacts.slice(extra) });
      return flood(stage, 5, [
        send('PUT', '/environments/attacker/prod/report/server', stage.attacker.key, report(0)),
        send('PUT', '/environments/attacker/prod/report/server', stage.attacker.key, report(1)),
      ]);
    },
  },
];

const storage: readonly Attack[] = [
  {
    name: 'lists of 380 MB',
    async prepare(stage) {
      const { attacker } = stage;
      const user_data = { text: 'x'.repeat(900_000) };
      for (let i = 0; i < many(400); i++) {
        await stage.call(attacker, 'POST', '/attestations/attacker/web/trail/build-1/generic', {
          attestation_name: `large-${i}`,
          is_compliant: true,
          user_data,
        });
      }
    },
    start: async (stage) =>
      flood(stage, 3, [
        get('/api/v2/attestations/attacker?per_page=1000', stage.attacker.key),
        get('/api/v2/trails/attacker/web/build-1', stage.attacker.key),
      ]),
  },
  {
    name: '64 attestations that wait for a lock',
    start: (stage) =>
      waitForRows(stage, 'POST', '/attestations/attacker/web/trail/build-1/generic', {
        attestation_name: 'a',
        is_compliant: true,
      }),
  },
  {
    name: '64 changes of a flow that wait for a lock',
    start: (stage) => waitForRows(stage, 'PUT', '/flows/attacker', { name: 'web', description: 'change {n}' }),
  },
  {
    name: 'a trail with thousands of names',
    async prepare(stage) {
      for (let i = 0; i < many(1_000); i++) {
        await stage.call(stage.attacker, 'POST', '/attestations/attacker/web/trail/many/generic', {
          attestation_name: `name-${i}`,
          is_compliant: true,
        });
      }
    },
    start: async (stage) => flood(stage, 20, [get('/api/v2/trails/attacker/web/many', stage.attacker.key)]),
  },
];

/** Holds the rows of the attacker locked for the whole attack, while 64 requests wait for them. */
async function waitForRows(stage: Stage, method: string, path: string, body: object): Promise<() => Promise<unknown>> {
  const letGo = await holdRows(
    stage.installation.db,
    sql`select from trail where org_id = ${stage.attacker.id} for update`,
    sql`select from flow where org_id = ${stage.attacker.id} for update`,
  );
  const stop = flood(stage, 20, [send(method, path, stage.attacker.key, body)]);
  return async () => {
    await letGo();
    return stop();
  };
}

const work: readonly Attack[] = [
  {
    name: 'hundreds of environments to judge again',
    async prepare(stage) {
      const { call, attacker } = stage;
      await call(attacker, 'PUT', '/policies/attacker', { name: 'changing', policy_yaml: policyOf(2) });
      for (let i = 0; i < many(200); i++) {
        await call(attacker, 'PUT', '/environments/attacker', { name: `env-${i}`, type: 'server' });
        await call(attacker, 'POST', `/environments/attacker/env-${i}/policies`, { policy_names: ['changing'] });
        await call(attacker, 'PUT', `/environments/attacker/env-${i}/report/server`, {
          artifacts: [{ digests: { app: 'b'.repeat(64) }, creationTimestamp: 1 }],
        });
      }
    },
    start: async (stage) => {
      const change = (patterns: number) =>
        send('PUT', '/policies/attacker', stage.attacker.key, { name: 'changing', policy_yaml: policyOf(patterns) });
      return flood(stage, 1, [change(3), change(4), change(5)]);
    },
  },
];

export const attacks: readonly Attack[] = [...strangers, ...bodies, ...floods, ...judging, ...storage, ...work];
