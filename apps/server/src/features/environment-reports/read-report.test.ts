import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../platform/errors.ts';
import { type InstanceDetail, sameInstances } from '../snapshots/instance-detail.reads.ts';
import { type ReportKind, readers, readerVersion, readReport } from './read-report.ts';

const kinds = Object.keys(readers) as ReportKind[];
const anonymous = ['S3', 'lambda', 'server', 'docker'] as const;
const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];

type Entries = readonly Readonly<Record<string, unknown>>[];

const readBody = (kind: ReportKind, body: unknown) => readReport(kind, body, JSON.stringify(body)?.length ?? 0);
const read = (kind: ReportKind, ...artifacts: Entries) => readBody(kind, { artifacts });
const digestOf = (kind: ReportKind, ...artifacts: Entries) => read(kind, ...artifacts).digest.toString('hex');
const detailsOf = (kind: ReportKind, ...artifacts: Entries) =>
  read(kind, ...artifacts).artifacts.map(({ detail }) => JSON.parse(detail) as InstanceDetail);

function faultsOf(kind: ReportKind, body: unknown): unknown {
  try {
    readBody(kind, body);
  } catch (error) {
    return (error as Problem).fields;
  }
  return 'none';
}

/** An entry with all members that its kind requires. */
const entryOf = (kind: ReportKind, digests: Record<string, string> = { app: a }, creationTimestamp: unknown = 1) => ({
  digests,
  creationTimestamp,
  ...(kind === 'K8S' && { podName: 'pod' }),
  ...(kind === 'ECS' && { taskArn: 'arn' }),
  ...((kind === 'cloudx-apps' || kind === 'azure-apps') && { app_name: 'app', app_kind: 'k', digests_source: 's' }),
});

describe.each(kinds)('a %s report', (kind) => {
  it('may be empty, and may name its type', () => {
    expect(readBody(kind, { artifacts: [] }).artifacts).toEqual([]);
    expect(readBody(kind, { artifacts: [], type: kind }).artifacts).toEqual([]);
    expect(readBody(kind, { artifacts: [], type: null }).artifacts).toEqual([]);
    expect(faultsOf(kind, { artifacts: [], type: 'logical' })).toEqual({ type: `must be ${kind}` });
  });

  it('lists artifacts by name and fingerprint, in order', () => {
    const { artifacts } = read(kind, entryOf(kind, { b: a, constructor: a }), entryOf(kind, { a: b }));
    expect(artifacts.map(({ name, fingerprint, count }) => [name, fingerprint, count])).toEqual([
      ['a', b, 1],
      ['b', a, 1],
      ['constructor', a, 1],
    ]);
    const two = read(kind, entryOf(kind, { a: b }), entryOf(kind), entryOf(kind, { a }), entryOf(kind, { a: b }));
    expect(two.artifacts.map(({ name, fingerprint }) => name + fingerprint)).toEqual([`a${a}`, `a${b}`, `app${a}`]);
  });

  it.each([null, undefined, [], 'text', 1])('that is %j is refused', (body) => {
    expect(faultsOf(kind, body)).toEqual({ body: body === undefined ? 'is required' : 'must be an object' });
  });

  it('is refused without its list, and with unknown members', () => {
    expect(faultsOf(kind, {})).toEqual({ artifacts: 'is required' });
    expect(faultsOf(kind, { artifacts: [], extra: 1 })).toEqual({ extra: 'is unknown' });
    expect(faultsOf(kind, { artifacts: [entryOf(kind), { ...entryOf(kind), extra: 1 }] })).toEqual({
      'artifacts.1.extra': 'is unknown',
    });
  });

  it.each(['a'.repeat(63), 'A'.repeat(65), `${a}\n`, 'g'.repeat(64)])('refuses digest %j', (digest) => {
    const rule = anonymous.some((one) => one === kind) ? '' : ', or empty';
    expect(faultsOf(kind, { artifacts: [entryOf(kind, { app: digest })] })).toEqual({
      'artifacts.0.digests.app': `must be 64 hexadecimal digits${rule}`,
    });
  });

  it.each([
    ['', 'must be at least 1 character long'],
    ['a\u0000b', 'must be text without control characters'],
    ['a\nb', 'must be text without control characters'],
    ['\u007f', 'must be text without control characters'],
    ['x'.repeat(501), 'must be at most 500 characters long'],
  ])('refuses the name %j', (name, fault) => {
    expect(Object.values(faultsOf(kind, { artifacts: [entryOf(kind, { [name]: a })] }) as object)).toEqual([
      `is not a valid name: ${fault}`,
    ]);
  });

  it('refuses lone surrogates, in a name and in a text', () => {
    const name = entryOf(kind, JSON.parse(`{"\\ud800":"${a}"}`));
    expect(faultsOf(kind, { artifacts: [name] })).toEqual({
      'artifacts.0.digests': 'must not contain invalid Unicode characters',
    });
    expect(faultsOf(kind, { artifacts: [], type: JSON.parse('"\\udfff"') })).toEqual({
      type: 'must not contain invalid Unicode characters',
    });
  });

  it('counts characters of any plane as one each', () => {
    const name = '💩'.repeat(500);
    expect(read(kind, entryOf(kind, { [name]: a })).artifacts).toMatchObject([{ name }]);
    expect(faultsOf(kind, { artifacts: [entryOf(kind, { [`${name}x`]: a })] })).not.toBe('none');
  });

  it.each([0, -0, 253_402_300_799])('takes the start %d', (start) => {
    expect(detailsOf(kind, entryOf(kind, { app: a }, start))[0]?.timestamps).toEqual([Math.abs(start)]);
  });

  it.each(['-1', '253402300800', '1.5', '1e999', '"1"', 'null', '[]'])('refuses the start %s', (start) => {
    const faults = faultsOf(kind, { artifacts: [entryOf(kind, { app: a }, JSON.parse(start))] });
    expect(Object.keys(faults as object)).toEqual(['artifacts.0.creationTimestamp']);
  });

  it('may hold 20,000 entries', () => {
    const artifacts = Array.from({ length: 21_000 }, (_, i) => entryOf(kind, { [`app-${i}`]: a }));
    expect(readBody(kind, { artifacts: artifacts.slice(0, 20_000) }).artifacts).toHaveLength(20_000);
    expect(faultsOf(kind, { artifacts })).toEqual({ artifacts: 'must have at most 20000 items' });
  });

  it('may hold 20,000 artifacts and 40,000 names in all', () => {
    const names = (count: number, from = 0) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`app-${from + i}`, a]));
    const faults = (...digests: Record<string, string>[]) =>
      faultsOf(kind, { artifacts: digests.map((each) => entryOf(kind, each)) });
    expect(faults(names(20_000), names(20_000))).toBe('none');
    expect(faults(names(20_001))).toEqual({ artifacts: 'must not contain more than 20000 different artifacts' });
    expect(faults(names(20_000), names(20_000), names(1))).toEqual({
      artifacts: 'must not contain more than 40000 names in total',
    });
  });

  it('with a million faults names a few of them', () => {
    const artifacts = Array.from({ length: 20_000 }, () => ({}));
    expect(Object.keys(faultsOf(kind, { artifacts }) as object).length).toBeLessThan(200);
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [i, 1]));
    const tooMany = { body: 'is not valid, and has too many problems to list' };
    expect(faultsOf(kind, wide)).toEqual(tooMany);
    expect(faultsOf(kind, Object.keys(wide))).toEqual(tooMany);
    expect(faultsOf(kind, { artifacts: wide })).toEqual(tooMany);
    expect(faultsOf(kind, { artifacts: [entryOf(kind), wide] })).toEqual(tooMany);
    expect(faultsOf(kind, { artifacts: [{ ...entryOf(kind), digests: wide }] })).toEqual(tooMany);
    expect(faultsOf(kind, { artifacts: [{ ...entryOf(kind), owners: Array(60_000).fill({}) }] })).toEqual(tooMany);
  });

  it('names the fault of the last of many entries by its path', () => {
    const artifacts = [...Array.from({ length: 999 }, () => entryOf(kind)), { ...entryOf(kind), digests: 1 }];
    expect(faultsOf(kind, { artifacts })).toEqual({ 'artifacts.999.digests': 'must be an object' });
  });
});

describe('what cannot be identified', () => {
  it.each(kinds)('is taken in %s reports unless it is always known', (kind) => {
    const isTaken = !anonymous.some((one) => one === kind);
    expect(faultsOf(kind, { artifacts: [entryOf(kind, { app: '' })] }) === 'none').toBe(isTaken);
    if (isTaken)
      expect(read(kind, entryOf(kind, { app: '' })).artifacts).toMatchObject([{ fingerprint: '', count: 1 }]);
  });
});

describe('instances', () => {
  it.each(anonymous)('in %s reports are as many as there are entries', (kind) => {
    const { artifacts } = read(kind, ...[3, 1, 1].map((start) => entryOf(kind, { app: a }, start)));
    expect(artifacts).toEqual([{ name: 'app', fingerprint: a, count: 3, detail: '{"timestamps":[1,1,3]}' }]);
    expect(digestOf(kind, entryOf(kind))).not.toBe(digestOf(kind, entryOf(kind), entryOf(kind)));
  });

  const pod = (podName: string, namespace?: string | null, more = {}) => ({
    podName,
    digests: { app: a },
    creationTimestamp: 5,
    ...(namespace !== undefined && { namespace }),
    ...more,
  });

  it('of pods are listed by name, and by namespace where names clash', () => {
    const owners = [{ uid: 'u', kind: 'ReplicaSet', apiVersion: null, controller: false }];
    expect(
      detailsOf('K8S', pod('x', 'two'), pod('y', null), pod('x', 'one', { creationTimestamp: 4, owners })),
    ).toEqual([
      {
        timestamps: [4, 5, 5],
        pods: {
          y: { namespace: '', creationTimestamp: 5, owners: [] },
          x: { namespace: 'one', creationTimestamp: 4, owners: [{ kind: 'ReplicaSet', uid: 'u', controller: false }] },
          'two/x': { name: 'x', namespace: 'two', creationTimestamp: 5, owners: [] },
        },
      },
    ]);
  });

  it('of pods are kept apart where they look alike', () => {
    const trick = [pod('x', 'n'), pod('x', 'two'), pod('two/x', 'two')];
    expect(Object.keys(detailsOf('K8S', ...trick)[0]?.pods ?? {})).toHaveLength(3);
    const one = read('K8S', pod('x', 'n'), pod('x', 'two')).artifacts[0]?.detail ?? '';
    const other = read('K8S', pod('x', 'n'), pod('two/x', 'two')).artifacts[0]?.detail ?? '';
    expect(sameInstances(one, other)).toBe(false);
  });

  it('of pods may have any name', () => {
    for (const name of ['__proto__', 'constructor', '"quoted\\"', '1', 'é💩\u2028']) {
      const [detail] = detailsOf('K8S', pod(name, name, { owners: [{ name }] }));
      expect(Object.entries(detail?.pods ?? {})).toEqual([
        [name, { namespace: name, creationTimestamp: 5, owners: [{ name }] }],
      ]);
    }
  });

  it.each([
    ['K8S', { podName: 'p', namespace: 'n' }],
    ['ECS', { taskArn: 't' }],
    ['cloudx-apps', { app_name: 'n', app_kind: 'k', digests_source: 's' }],
    ['azure-apps', { app_name: 'n', app_kind: 'k', digests_source: 's' }],
    ['cloud-run', { kind: 'job', jobName: 'j' }],
  ] as const)('in %s reports count once however often they are listed, the earliest of them', (kind, identity) => {
    const entry = (start: number, app = a) => ({ ...identity, digests: { app }, creationTimestamp: start });
    const once = read(kind, entry(3));
    expect(read(kind, entry(9), entry(3), entry(4))).toEqual(once);
    expect(once.artifacts).toMatchObject([{ count: 1 }]);
    expect(read(kind, entry(3), entry(3, b)).artifacts).toMatchObject([{ count: 1 }, { count: 1 }]);
  });

  it('of tasks, apps and runs show the first one, and the others by what distinguishes them', () => {
    const digests = { app: a };
    expect(
      detailsOf(
        'ECS',
        { taskArn: 'b', digests, creationTimestamp: 1 },
        { taskArn: 'a', cluster_name: 'c', digests, creationTimestamp: 2 },
      ),
    ).toEqual([
      { timestamps: [1, 2], task: { task_arn: 'a', cluster_name: 'c', service_name: null }, ids: ['a', 'b'] },
    ]);
    expect(detailsOf('cloudx-apps', entryOf('cloudx-apps'))).toEqual([
      { timestamps: [1], app: { app_name: 'app', app_kind: 'k', digests_source: 's' } },
    ]);
    expect(
      detailsOf(
        'cloud-run',
        { kind: 'service', serviceName: 's', revisionName: 'r', digests, creationTimestamp: 1 },
        { kind: 'job', jobName: 'j', digests, creationTimestamp: 2 },
      ),
    ).toEqual([
      {
        timestamps: [1, 2],
        run: { kind: 'job', revision_name: null, service_name: null, job_name: 'j' },
        ids: ['job\u001f\u001f\u001fj', 'service\u001fs\u001fr\u001f'],
      },
    ]);
  });

  it('are not repeated until the report is huge', () => {
    const owners = Array.from({ length: 100 }, () => ({ name: 'x'.repeat(300), uid: 'y'.repeat(300) }));
    const digests = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`app-${i}`, a]));
    expect(faultsOf('K8S', { artifacts: [pod('x', 'n', { owners, digests })] })).toEqual({
      artifacts: 'contains too much data about instances that each run many images',
    });
  });
});

const word = fc.oneof(
  fc.constantFrom('a', 'b', 'constructor', 'toString', 'é💩', '"\\'),
  fc.stringMatching(/^[ -~]{1,9}$/),
);
const optional = fc.option(fc.oneof(word, fc.constant('')), { nil: undefined });
const nullable = fc.oneof(optional, fc.constant(null));
const start = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 253_402_300_799 }));

const membersOf: Record<ReportKind, Record<string, fc.Arbitrary<unknown>>> = {
  K8S: {
    podName: word,
    namespace: nullable,
    owners: fc.option(
      fc.array(fc.record({ kind: nullable, name: nullable, controller: fc.option(fc.boolean()) }), { maxLength: 2 }),
    ),
  },
  ECS: { taskArn: word, cluster_name: nullable, service_name: nullable },
  S3: {},
  lambda: {},
  server: {},
  docker: {},
  'cloudx-apps': { app_name: word, app_kind: word, digests_source: word },
  'azure-apps': { app_name: word, app_kind: word, digests_source: word },
  'cloud-run': {
    kind: fc.constantFrom('service', 'job', null, undefined),
    serviceName: nullable,
    revisionName: nullable,
    jobName: nullable,
  },
};

/** Entries as parsed from JSON. */
function entriesOf(kind: ReportKind): fc.Arbitrary<Record<string, unknown>[]> {
  const fingerprint = fc.constantFrom(a, b, ...(anonymous.some((one) => one === kind) ? [] : ['']));
  const digests = fc
    .array(fc.tuple(word, fingerprint), { maxLength: 3 })
    .map((pairs) => Object.fromEntries(pairs.filter(([name]) => name !== '__proto__')));
  const entry = fc.record({ ...membersOf[kind], digests, creationTimestamp: start });
  return fc.array(entry, { maxLength: 8 }).map((entries) => JSON.parse(JSON.stringify(entries)));
}

const withKeysTurned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withKeysTurned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, withKeysTurned(member)]),
  );
};

const shuffled = (kind: ReportKind) =>
  entriesOf(kind).chain((entries) =>
    fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
  );

describe.each(kinds)('the digest of a %s report', (kind) => {
  const entry = entryOf(kind);

  it('does not depend on any order', () => {
    fc.assert(
      fc.property(shuffled(kind), ([entries, others]) => {
        const turned = withKeysTurned(others) as Entries;
        expect(read(kind, ...turned)).toEqual(read(kind, ...entries));
      }),
    );
  });

  it('does not depend on start times', () => {
    expect(digestOf(kind, { ...entry, creationTimestamp: 7 })).toBe(digestOf(kind, entry));
  });

  it('depends on names, fingerprints and their number', () => {
    const digests = [
      digestOf(kind),
      digestOf(kind, entry),
      digestOf(kind, entryOf(kind, { app: b })),
      digestOf(kind, entryOf(kind, { other: a })),
      digestOf(kind, entryOf(kind, { app: a, other: a })),
      digestOf(kind, entryOf(kind, { app: a, other: b })),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('is the same exactly when the same artifacts run in the same instances', () => {
    fc.assert(
      fc.property(entriesOf(kind), entriesOf(kind), fc.boolean(), fc.nat(), (entries, others, similar, at) => {
        const varied = entries.map((each, i) => ({
          ...each,
          ...(i === at % entries.length && { creationTimestamp: 9 }),
        }));
        const [one, other] = [read(kind, ...entries), read(kind, ...(similar ? varied : others))];
        const same =
          one.artifacts.length === other.artifacts.length &&
          one.artifacts.every((artifact, i) => {
            const match = other.artifacts[i];
            return (
              match?.name === artifact.name &&
              match.fingerprint === artifact.fingerprint &&
              sameInstances(artifact.detail, match.detail)
            );
          });
        expect(one.digest.equals(other.digest)).toBe(same);
      }),
    );
  });
});

it.each([
  ['K8S', { podName: 'other' }],
  ['K8S', { namespace: 'other' }],
  ['ECS', { taskArn: 'other' }],
  ['cloudx-apps', { app_name: 'other' }],
  ['cloud-run', { kind: 'job' }],
  ['cloud-run', { serviceName: 'other' }],
  ['cloud-run', { revisionName: 'other' }],
  ['cloud-run', { jobName: 'other' }],
] as const)('the digest of a %s report tells the instance %j', (kind, change) => {
  expect(digestOf(kind, { ...entryOf(kind), ...change })).not.toBe(digestOf(kind, entryOf(kind)));
});

it.each([
  ['K8S', { owners: [{ kind: 'other' }] }],
  ['K8S', { namespace: '' }],
  ['ECS', { cluster_name: 'other', service_name: 'other' }],
  ['azure-apps', { app_kind: 'other', digests_source: 'other' }],
] as const)('the digest of a %s report does not tell %j', (kind, change) => {
  expect(digestOf(kind, { ...entryOf(kind), ...change })).toBe(digestOf(kind, entryOf(kind)));
});

const odd = fc.constantFrom<unknown>(
  ...[null, true, 0, -1, 1.5, 1e300, Number.POSITIVE_INFINITY, 253_402_300_799, 253_402_300_800, 2 ** 53, '', 'x', '1'],
  ...['a\u0000', '\u001f', '\u007f', '\u0080', '\ud800', '\udc00x', '💩', 'service', 'K8S', a, `${a}\n`, `${a}a`],
  ...['x'.repeat(300), 'x'.repeat(301), '💩'.repeat(300), 'x'.repeat(500), 'x'.repeat(501), 'x'.repeat(2049)],
  ...[[], {}, [null], [{}], { x: a }, { '': a }, { '\n': a }, { toString: a }, { '\ud800': a }, { x: '' }],
);

/** Changes, removes or adds something. */
function mutate(body: unknown, steps: readonly number[], how: 'set' | 'delete' | 'add', value: unknown): void {
  let [parent, key]: [object | undefined, string] = [undefined, ''];
  let node: unknown = body;
  for (const step of steps) {
    if (typeof node !== 'object' || node === null || Object.keys(node).length === 0) break;
    [parent, key] = [node, Object.keys(node)[step % Object.keys(node).length] ?? ''];
    node = Reflect.get(node, key);
  }
  if (!parent) return;
  if (how === 'set') Reflect.set(parent, key, value);
  else if (Array.isArray(parent)) parent.push(value);
  else if (how === 'delete') Reflect.deleteProperty(parent, key);
  else Reflect.set(parent, 'extra', value);
}

it.each(kinds)(
  'the compiled check lets nothing pass that the shape refuses, and refuses no %s report for good',
  (kind) => {
    const agree = (body: unknown) => {
      const isRight = readers[kind].shape.safeParse(body).success;
      if (readers[kind].accepts(body)) expect(isRight).toBe(true);
      else if (isRight) expect(readBody(kind, body).digest).toHaveLength(32);
    };
    fc.assert(
      fc.property(
        entriesOf(kind),
        fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('set', 'delete', 'add'),
        odd,
        (artifacts, steps, how, value) => {
          const body = { type: kind, artifacts };
          expect(readers[kind].accepts(body)).toBe(true);
          agree(body);
          mutate(body, steps, how, value);
          agree(body);
        },
      ),
      { numRuns: 500 },
    );
    fc.assert(fc.property(fc.jsonValue(), agree));
  },
);

it('the version of the reader is short and stable, with one per shape', () => {
  const versions = kinds.map(readerVersion);
  expect(versions).toEqual(kinds.map(readerVersion));
  for (const version of versions) expect(version).toMatch(/^[0-9a-f]{16}$/);
  expect(new Set(versions).size).toBe(kinds.length);
});
