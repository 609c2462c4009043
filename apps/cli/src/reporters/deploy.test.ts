import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const deploy = new URL('../../../../deploy/', import.meta.url);
const read = (path: string) => readFile(new URL(path, deploy), 'utf8');

interface Container {
  readonly args: string[];
  readonly env: { name: string; value?: string }[];
  readonly livenessProbe: object;
  readonly securityContext: object;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: object[];
  readonly subjects?: object[];
  readonly roleRef?: { readonly name: string };
  readonly spec?: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        securityContext: object;
        containers: Container[];
        volumes: object[];
        serviceAccountName: string;
      };
    };
  };
}

async function manifests(): Promise<Map<string, Manifest>> {
  const documents = parseAllDocuments(await read('kubernetes/reporter.yaml'));
  if (!Array.isArray(documents)) throw new Error('the file is empty');
  expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
  return new Map(documents.map((document) => document.toJS() as Manifest).map((manifest) => [manifest.kind, manifest]));
}

it('lets the reporter read pods, and nothing else', async () => {
  const all = await manifests();
  expect([...all.keys()]).toEqual(['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Deployment']);
  expect(all.get('ClusterRole')?.rules).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
  ]);
  const account = all.get('ServiceAccount')?.metadata;
  expect(all.get('ClusterRoleBinding')?.subjects).toEqual([{ kind: 'ServiceAccount', ...account }]);
  expect(all.get('ClusterRoleBinding')?.roleRef?.name).toBe(all.get('ClusterRole')?.metadata.name);
});

it('runs the reporter as an unprivileged user, on a read-only file system', async () => {
  const spec = (await manifests()).get('Deployment')?.spec;
  const pod = spec?.template.spec;
  expect(spec?.replicas).toBe(1);
  expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(pod?.containers).toHaveLength(1);
  expect(pod?.containers[0]?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(pod?.containers[0]?.livenessProbe).toMatchObject({ httpGet: { path: '/healthz' } });
  expect(pod?.containers[0]?.args.slice(0, 4)).toEqual(['snapshot', 'k8s', 'prod', '--watch']);
});

it('holds no secret, only the name of one', async () => {
  const all = await manifests();
  const pod = all.get('Deployment')?.spec?.template.spec;
  expect(all.has('Secret')).toBe(false);
  expect(pod?.containers[0]?.env.map(({ name }) => name)).not.toContain('WAYMARK_TOKEN');
  expect(pod?.volumes).toMatchObject([{ secret: { secretName: 'waymark-reporter' } }]);
  expect(await read('kubernetes/reporter.yaml')).not.toMatch(/wmk_/);
});

it('has a chart whose templates use no value that is not described', async () => {
  const chart = 'helm/waymark-reporter';
  const values = parse(await read(`${chart}/values.yaml`)) as Record<string, unknown>;
  const schema = JSON.parse(await read(`${chart}/values.schema.json`)) as { properties: object };
  expect(
    Object.keys(schema.properties)
      .filter((name) => name !== 'global')
      .sort(),
  ).toEqual(Object.keys(values).sort());
  const names = await readdir(new URL(`${chart}/templates/`, deploy));
  const templates = await Promise.all(names.map((name) => read(`${chart}/templates/${name}`)));
  const used = templates.flatMap((text) => Array.from(text.matchAll(/\.Values\.([\w.]+)/g), ([, path = '']) => path));
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((path) => valueAt(values, path) === undefined)).toEqual([]);
});

it('has a chart that requests read access to pods only', async () => {
  const helpers = await read('helm/waymark-reporter/templates/_helpers.tpl');
  const rbac = await read('helm/waymark-reporter/templates/rbac.yaml');
  const [, rules = ''] = /define "reporter.rules" -}}\n(.*?)\{\{- end/s.exec(helpers) ?? [];
  expect(parse(rules)).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }]);
  expect(rbac.match(/^rules:\n.*$/gm)).toHaveLength(2);
  expect(rbac).not.toMatch(/verbs|resources/);
});

function valueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], values);
}
