import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { version } from '../../apps/cli/src/run/version.ts';
import { metaOf, ServerSettings } from '../../apps/server/src/config/settings.ts';
import { leastAll, leastSplit, waymarkCases } from './cases.ts';
import { CHARTS, installChartTools, lint, render, validate } from './helm.ts';
import { containersOf, findManifest, type Manifest, podsOf } from './manifest.ts';
import { expectHardened, expectNoSecretInside } from './security.ts';

const names = Object.keys(ServerSettings.shape) as (keyof ServerSettings)[];
const secrets = names.filter((name) => metaOf(name).isSecret);
const rendered = new Map<string, Manifest[]>();
const of = (name: keyof typeof waymarkCases): Manifest[] => rendered.get(name) ?? [];

beforeAll(async () => {
  await installChartTools();
  for (const [name, values] of Object.entries(waymarkCases)) rendered.set(name, render('waymark', values));
}, 600_000);

it.each(Object.entries(waymarkCases))('has no fault with %s', (_, values) => {
  lint('waymark', values);
});

it('renders objects that Kubernetes accepts', () => {
  validate([...rendered.values()].flat());
});

it('is checked by something that finds a fault', () => {
  const [pod] = of('the least').filter(({ kind }) => kind === 'Deployment');
  if (!pod) throw new Error('no Deployment');

  expect(() => validate([{ ...pod, spec: { ...pod.spec, replikas: 2 } }])).toThrow('replikas');
});

it.each(Object.keys(waymarkCases))('runs hardened pods without a secret in them with %s', (name) => {
  expectHardened(of(name));
  expectNoSecretInside(of(name), secrets);
  for (const pod of podsOf(of(name))) expect(pod.automountServiceAccountToken).toBe(false);
});

it.each(Object.keys(waymarkCases))('gives servers settings that exist with %s', (name) => {
  const settings = Object.keys(findManifest(of(name), 'ConfigMap', 'waymark').data ?? {});
  expect(settings.filter((setting) => !(names as string[]).includes(setting))).toEqual([]);
  const files = containersOf(podsOf(of(name))).flatMap(({ env = [] }) => env.map((each) => each.name));
  const ofFiles = files.filter((file) => file.startsWith('WAYMARK_'));
  expect(ofFiles.filter((file) => !secrets.some((secret) => `${secret}_FILE` === file))).toEqual([]);
});

it('mounts each secret that a container reads', () => {
  const mounted = podsOf(of('all secrets')).flatMap(
    ({ volumes = [] }) => volumes.find((volume) => volume.name === 'secrets')?.projected?.sources ?? [],
  );
  expect(new Set(mounted.map(({ secret }) => secret?.name))).toEqual(
    new Set(['waymark', 'seal', 'ledger', 'statements', 'mail', 's3']),
  );
  const [api] = containersOf(podsOf([findManifest(of('all secrets'), 'Deployment', 'waymark-api')])).slice(-1);
  expect(api?.env?.map((each) => each.name).toSorted()).toEqual([
    'WAYMARK_DATABASE_URL_FILE',
    'WAYMARK_LEDGER_KEY_FILE',
    'WAYMARK_NATS_URL_FILE',
    'WAYMARK_S3_ACCESS_KEY_FILE',
    'WAYMARK_S3_SECRET_KEY_FILE',
    'WAYMARK_SECRET_KEY_FILE',
    'WAYMARK_SMTP_URL_FILE',
    'WAYMARK_STATEMENT_KEY_FILE',
  ]);
});

it('gives the owner of the tables to migrations only', () => {
  for (const manifests of rendered.values()) {
    const readers = manifests.filter((each) => JSON.stringify(each).includes('database-owner-url'));
    expect(readers.map(({ kind }) => kind).filter((kind) => kind !== 'Job')).toEqual([]);
  }
  expect(JSON.stringify(findManifest(of('the least'), 'Job'))).toContain('WAYMARK_DATABASE_OWNER_URL_FILE');
  const one = findManifest(of('one pod with a bucket and one role'), 'Job');
  expect(JSON.stringify(one)).not.toContain('OWNER');
});

it('names a Job after what it runs, because a Job cannot be changed', () => {
  const nameOf = (values: object) => findManifest(render('waymark', { ...leastSplit, ...values }), 'Job').metadata.name;
  expect(nameOf({})).toBe(nameOf({ api: { replicas: 3 } }));
  expect(nameOf({})).not.toBe(nameOf({ image: { tag: '9.9.9' } }));
  expect(nameOf({})).toMatch(/^waymark-migrate-[0-9a-f]{8}$/);
});

it('lets every server wait for the migrations', () => {
  for (const manifests of rendered.values()) {
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Deployment')) {
      expect(spec.template.spec.initContainers).toMatchObject([{ args: ['migrate', '--wait'] }]);
    }
  }
});

it('replaces API servers one by one, each after the next one is ready', () => {
  const { strategy, template } = findManifest(of('the least'), 'Deployment', 'waymark-api').spec;
  expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  const [container] = template.spec.containers;
  expect(container).toMatchObject({
    startupProbe: { httpGet: { path: '/live' } },
    livenessProbe: { httpGet: { path: '/live' } },
    readinessProbe: { httpGet: { path: '/ready' } },
    lifecycle: { preStop: { sleep: { seconds: 5 } } },
  });
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(35);
  expect(template.spec.topologySpreadConstraints).toHaveLength(2);
});

it('restarts pods when a setting changes, and not otherwise', () => {
  const checksum = (values: object) =>
    findManifest(render('waymark', { ...leastSplit, ...values }), 'Deployment').spec.template.metadata.annotations;
  expect(checksum({})).toEqual(checksum({ api: { replicas: 3 } }));
  expect(checksum({})).not.toEqual(checksum({ settings: { WAYMARK_LOG_LEVEL: 'debug' } }));
});

it('runs one pod without NATS in mode "all", and stops it first where the volume has room for one', () => {
  const { spec } = findManifest(of('one pod with a directory'), 'Deployment');
  expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  expect(spec.template.spec.containers).toMatchObject([{ args: ['all'] }]);
  expect(JSON.stringify(of('one pod with a directory'))).not.toContain('NATS');
  const claim = findManifest(of('one pod with a directory'), 'PersistentVolumeClaim');
  expect(claim.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  const bucket = findManifest(of('one pod with a bucket and one role'), 'Deployment');
  expect(bucket.spec.strategy.type).toBe('RollingUpdate');
});

it('leaves the number of pods to the autoscaler', () => {
  const manifests = of('autoscaling and a budget');
  const api = findManifest(manifests, 'Deployment', 'waymark-api');
  expect(api.spec).not.toHaveProperty('replicas');
  expect(findManifest(manifests, 'HorizontalPodAutoscaler', 'waymark-worker').spec).toMatchObject({ maxReplicas: 8 });
  const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
  expect(budgets.map(({ spec }) => spec.maxUnavailable)).toEqual(['25%']);
});

it('selects its own pods by Service and network policy', () => {
  const manifests = of('network policies');
  const { selector } = findManifest(manifests, 'Service', 'waymark').spec;
  const { labels } = findManifest(manifests, 'Deployment', 'waymark-api').spec.template.metadata;
  expect(labels).toMatchObject(selector);
  const [all, http] = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
  expect(all).toMatchObject({ policyTypes: ['Ingress', 'Egress'], ingress: [{ ports: [{ port: 'metrics' }] }] });
  expect(http).toMatchObject({ policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 'http' }] }] });
  expect(http.podSelector.matchLabels).toMatchObject({ 'app.kubernetes.io/component': 'api' });
});

describe('objects of operators', () => {
  it('routes the host of the public URL by an ingress or a gateway', () => {
    const [rule] = findManifest(of('an ingress'), 'Ingress').spec.rules;
    expect(rule.host).toBe('waymark.example.com');
    const route = findManifest(of('a gateway'), 'HTTPRoute');
    expect(route.apiVersion).toBe('gateway.networking.k8s.io/v1');
    expect(route.spec).toMatchObject({
      parentRefs: [{ name: 'public', namespace: 'gateways' }],
      hostnames: ['waymark.example.com'],
      rules: [{ backendRefs: [{ name: 'waymark', port: 80 }], timeouts: { request: '0s' } }],
    });
  });

  it('scrapes the Service of metrics', () => {
    const monitor = findManifest(of('monitoring'), 'ServiceMonitor');
    expect(monitor.apiVersion).toBe('monitoring.coreos.com/v1');
    expect(monitor.metadata.labels).toMatchObject({ release: 'prometheus' });
    const service = findManifest(of('monitoring'), 'Service', 'waymark-metrics');
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(service.spec.ports).toMatchObject([{ name: monitor.spec.endpoints[0].port, port: 9100 }]);
  });

  it('brings the alerts and dashboards of the repository', () => {
    const rules = readFileSync(join(CHARTS, '../observability/waymark.rules.yaml'), 'utf8');
    expect(findManifest(of('monitoring'), 'PrometheusRule').spec).toEqual(parse(rules));
    const dashboards = findManifest(of('monitoring'), 'ConfigMap', 'waymark-dashboards');
    expect(Object.keys(dashboards.data ?? {})).toEqual(['api.json', 'overview.json', 'worker.json']);
    expect(JSON.stringify(dashboards).length).toBeLessThan(1024 ** 2);
  });

  it('asks CloudNativePG for a database, and takes the secret that it makes', () => {
    const one = of('CloudNativePG with one role');
    const cluster = findManifest(one, 'Cluster');
    expect(cluster.apiVersion).toBe('postgresql.cnpg.io/v1');
    expect(cluster.spec).toMatchObject({
      instances: 3,
      storage: { size: '20Gi' },
      bootstrap: { initdb: { database: 'waymark', owner: 'waymark', encoding: 'UTF8' } },
      resources: { limits: { memory: '2Gi' } },
    });
    expect(JSON.stringify(findManifest(one, 'Deployment'))).toContain(`"${cluster.metadata.name}-app"`);
  });

  it('asks it for a second role where there is a secret for one', () => {
    const two = of('CloudNativePG with two roles');
    expect(findManifest(two, 'Cluster').spec.managed.roles).toEqual([
      { name: 'waymark_server', ensure: 'present', login: true, passwordSecret: { name: 'waymark-server-role' } },
    ]);
    expect(JSON.stringify(findManifest(two, 'Deployment'))).not.toContain('waymark-db-app');
    expect(JSON.stringify(findManifest(two, 'Job'))).toContain('waymark-db-app');
  });
});

it.each([
  ['no address', { publicUrl: undefined }, 'publicUrl'],
  ['no database', { database: {} }, 'Set database.existingSecret'],
  ['two databases', { cloudnativepg: { enabled: true } }, 'not both'],
  ['no NATS', { nats: {} }, 'or mode=all'],
  ['no bucket', { evidence: {} }, 'Set evidence.s3.bucket'],
  ['a directory for one node', { evidence: { type: 'directory' } }, 'share evidence files'],
  ['a gateway without a parent', { gateway: { enabled: true } }, 'Set gateway.parentRefs'],
  ['a monitor without metrics', { metrics: { enabled: false, serviceMonitor: { enabled: true } } }, 'needs metrics'],
  ['a value that does not exist', { databse: {} }, 'databse'],
  ['a secret among the settings', { settings: { WAYMARK_SMTP_URL: 'smtp://u:p@mail' } }, 'settings'],
])('refuses %s', (_, change, message) => {
  expect(() => render('waymark', { ...leastSplit, ...change })).toThrow(message);
});

it('knows every secret among the settings', () => {
  const schema = JSON.parse(readFileSync(join(CHARTS, 'waymark/values.schema.json'), 'utf8'));
  expect(schema.properties.settings.propertyNames.not.enum.toSorted()).toEqual(secrets.toSorted());
});

it('describes every value, and has a default for every value that is described', () => {
  const schema = JSON.parse(readFileSync(join(CHARTS, 'waymark/values.schema.json'), 'utf8'));
  const values = parse(readFileSync(join(CHARTS, 'waymark/values.yaml'), 'utf8'));
  expect(Object.keys(values).toSorted()).toEqual(
    Object.keys(schema.properties)
      .filter((name) => name !== 'global')
      .toSorted(),
  );
});

it.each(['waymark', 'waymark-reporter'])('releases the chart %s with the version of everything else', (chart) => {
  const { appVersion, version: chartVersion } = parse(readFileSync(join(CHARTS, chart, 'Chart.yaml'), 'utf8'));
  expect([appVersion, chartVersion]).toEqual([version, version]);
});

it('names objects after the release, within what Kubernetes allows', () => {
  const long = render('waymark', leastAll, 'a-very-long-name-of-a-release-that-somebody-chose');
  for (const { metadata } of long) expect(metadata.name.length).toBeLessThanOrEqual(63);
  expect(render('waymark', leastAll, 'shop').map(({ metadata }) => metadata.name)).toContain('shop-waymark');
});
