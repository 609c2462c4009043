import { hash } from 'node:crypto';
import type { Action, Step } from './step.ts';

/** In seconds since 1970. */
const STARTED = 1_700_000_000;

interface Outside {
  readonly artifacts: readonly object[];
  /** In the table of the client. */
  readonly prints: readonly RegExp[];
  readonly json: readonly object[];
}

/**
 * The client collects these from a cluster or a cloud, neither of which exists here. They are sent in its format, and
 * read with it.
 */
export function outsideReports(run: string): Step[] {
  const web = hash('sha256', `web of ${run}`);
  const side = hash('sha256', `side of ${run}`);
  const steps = Object.entries(outside(web, side)).flatMap(([type, { artifacts, prints, json }]): Step[] => {
    const env = `${run}-out-${type}`;
    return [
      { args: ['create', 'environment', env, '--type', type], exit: 0, prints: [`environment ${env} was created`] },
      send(env, type, artifacts, '1; created'),
      send(env, type, artifacts, '1; unchanged'),
      { args: ['get', 'snapshot', env], exit: 0, prints },
      { args: ['get', 'snapshot', env, '-o', 'json'], exit: 0, json: { index: 1, type, artifacts: json } },
      send(env, type, [], '2; created'),
      { args: ['get', 'snapshot', env], exit: 0, lacks: [/Fingerprint/] },
      { args: ['log', 'environment', env, '--interval', '2..'], exit: 0, prints: ['Exited in snapshot 2'] },
    ];
  });
  return [...steps, ...scaling(run, web)];
}

function outside(web: string, side: string): Record<string, Outside> {
  const plain = (name: string) => ({ digests: { [name]: web }, creationTimestamp: STARTED });
  const simple = (name: string): Outside => ({
    artifacts: [plain(name)],
    prints: rowsOf(name, web, 1),
    json: [{ name, fingerprint: web, creationTimestamp: [STARTED], pods: null }],
  });
  return {
    K8S: {
      artifacts: [
        pod('web-0', { 'example.com/web:1': web, 'example.com/side:1': side }),
        pod('web-1', { 'example.com/web:1': web }),
      ],
      prints: [...rowsOf('example.com/side:1', side, 1), ...rowsOf('example.com/web:1', web, 2)],
      json: [
        { name: 'example.com/side:1', pods: { 'web-0': { namespace: 'shop', creationTimestamp: STARTED } } },
        {
          name: 'example.com/web:1',
          creationTimestamp: [STARTED, STARTED],
          pods: { 'web-0': {}, 'web-1': { owners: [{ kind: 'ReplicaSet', name: 'web', controller: true }] } },
        },
      ],
    },
    ECS: {
      artifacts: [
        {
          taskArn: 'arn:aws:ecs:eu-north-1:1:task/shop/1',
          cluster_name: 'shop',
          service_name: 'web',
          digests: { 'web:1': web, 'side:1': '' },
          creationTimestamp: STARTED,
        },
      ],
      prints: [/^N\/A +Name: side:1 .*\n +Fingerprint: *$/m, ...rowsOf('web:1', web, 1)],
      json: [
        { name: 'side:1', fingerprint: '' },
        {
          name: 'web:1',
          container_task_context: {
            task_arn: 'arn:aws:ecs:eu-north-1:1:task/shop/1',
            cluster_name: 'shop',
            service_name: 'web',
          },
        },
      ],
    },
    S3: simple('shop-bucket'),
    lambda: simple('shop-function'),
    docker: {
      artifacts: [plain('web:1'), plain('web:1')],
      prints: rowsOf('web:1', web, 2),
      json: [{ name: 'web:1', creationTimestamp: [STARTED, STARTED], annotation: { was: 0, now: 2 } }],
    },
    'azure-apps': {
      artifacts: [
        { app_name: 'shop', app_kind: 'app,linux,container', digests_source: 'acr', ...plain('web:1') },
        {
          app_name: 'pay',
          app_kind: 'functionapp',
          digests_source: 'logs',
          digests: { pay: '' },
          creationTimestamp: 0,
        },
      ],
      prints: [/^N\/A +Name: pay /m, ...rowsOf('web:1', web, 1)],
      json: [
        { name: 'pay', fingerprint: '', app_context: { app_name: 'pay', app_kind: 'functionapp' } },
        { name: 'web:1', app_context: { app_name: 'shop', digests_source: 'acr' } },
      ],
    },
    'cloud-run': {
      artifacts: [
        { ...plain('web:1'), kind: 'service', serviceName: 'web', revisionName: 'web-7' },
        { digests: { 'night:1': '' }, creationTimestamp: STARTED, kind: 'job', jobName: 'night' },
      ],
      prints: [/^N\/A +Name: night:1 /m, ...rowsOf('web:1', web, 1)],
      json: [
        { name: 'night:1', serverless_run_context: { kind: 'job', job_name: 'night' } },
        { name: 'web:1', serverless_run_context: { kind: 'service', service_name: 'web', revision_name: 'web-7' } },
      ],
    },
  };
}

/** More instances make no new snapshot, but are a difference between two environments. */
function scaling(run: string, web: string): Step[] {
  const [one, two] = [`${run}-scale-1`, `${run}-scale-2`];
  const digests = { 'web:1': web };
  return [
    ...[one, two].map(
      (env): Step => ({ args: ['create', 'environment', env, '--type', 'K8S'], exit: 0, prints: ['was created'] }),
    ),
    send(one, 'K8S', [pod('web-0', digests)], '1; created'),
    send(one, 'K8S', [pod('web-1', digests), pod('web-2', digests)], '1; unchanged'),
    send(two, 'K8S', [pod('web-0', digests), pod('web-1', digests), pod('web-2', digests)], '1; created'),
    {
      args: ['diff', 'snapshots', one, two],
      exit: 0,
      prints: [new RegExp(`^${one} -> ${two} scaling$`, 'm'), /^ +Instances: +scaled from \d to 3$/m],
    },
  ];
}

function pod(podName: string, digests: Readonly<Record<string, string>>): object {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '7', controller: true };
  const owners = [{ ...owner, blockOwnerDeletion: true }];
  return { podName, namespace: 'shop', digests, creationTimestamp: STARTED, owners };
}

function rowsOf(name: string, fingerprint: string, replicas: number): RegExp[] {
  return [
    new RegExp(`^N/A +Name: ${name} +N/A +NON-COMPLIANT +\\S.* ${replicas}\n +Fingerprint: ${fingerprint} *$`, 'm'),
  ];
}

/** Only this kind of report also carries its type in the body. */
const SAYS_ITS_TYPE = 'cloud-run';

function send(env: string, type: string, artifacts: readonly object[], outcome: string): Action {
  const path = `/api/v2/environments/acme/${env}/report/${type}`;
  return {
    does: `PUT ${path}: ${outcome}`,
    run: async ({ url, key }) => {
      const reply = await fetch(url + path, {
        method: 'PUT',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ ...(type === SAYS_ITS_TYPE && { type }), artifacts }),
      });
      const answered = `${reply.status} ${reply.headers.get('waymark-snapshot')}`;
      const text = await reply.text();
      return answered === `200 ${outcome}` ? [] : [`should have answered 200 ${outcome}`, answered, text];
    },
  };
}
