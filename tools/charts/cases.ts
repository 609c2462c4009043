import type { Values } from './helm.ts';

/** The least that an installation with API servers and workers needs. */
export const leastSplit = {
  publicUrl: 'https://waymark.example.com',
  database: { existingSecret: 'waymark' },
  nats: { existingSecret: 'waymark' },
  evidence: { s3: { bucket: 'evidence' } },
} satisfies Values;

/** The least for one pod, with a directory. */
export const leastAll = {
  publicUrl: 'https://waymark.example.com',
  mode: 'all',
  database: { existingSecret: 'waymark' },
  evidence: { type: 'directory' },
} satisfies Values;

/** Ways to install the server, each rendered, linted and validated. */
export const waymarkCases: Readonly<Record<string, Values>> = {
  'the least': leastSplit,
  'one pod with a directory': leastAll,
  'one pod with a bucket and one role': {
    ...leastSplit,
    mode: 'all',
    database: { existingSecret: 'waymark', ownerUrlKey: '' },
    nats: { existingSecret: '' },
  },
  'all secrets': {
    ...leastSplit,
    secretKey: { existingSecret: 'seal', key: 'current' },
    ledgerKey: { existingSecret: 'ledger', key: 'current' },
    statementKey: { existingSecret: 'statements', key: 'current' },
    mail: { existingSecret: 'mail', from: 'Waymark <waymark@example.com>' },
    evidence: { s3: { bucket: 'evidence', endpoint: 'https://s3.example.com', existingSecret: 's3' } },
  },
  'a shared directory': {
    ...leastSplit,
    evidence: { type: 'directory', directory: { accessModes: ['ReadWriteMany'], storageClass: 'nfs', size: '1Ti' } },
  },
  'a claim that exists': { ...leastAll, evidence: { type: 'directory', directory: { existingClaim: 'evidence' } } },
  'CloudNativePG with one role': {
    ...leastSplit,
    database: {},
    cloudnativepg: { enabled: true, spec: { resources: { limits: { memory: '2Gi' } } } },
  },
  'CloudNativePG with two roles': {
    ...leastSplit,
    database: {},
    cloudnativepg: {
      enabled: true,
      imageName: 'ghcr.io/cloudnative-pg/postgresql:17',
      storage: { size: '50Gi', storageClass: 'fast' },
      serverRole: { existingSecret: 'waymark-server-role' },
    },
  },
  'autoscaling and a budget': {
    ...leastSplit,
    api: { autoscaling: { enabled: true }, podDisruptionBudget: { maxUnavailable: '25%' } },
    worker: { autoscaling: { enabled: true, maxReplicas: 8 }, podDisruptionBudget: { enabled: false } },
  },
  'an ingress': {
    ...leastSplit,
    trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' },
      tls: { existingSecret: 'waymark-tls' },
    },
  },
  'a gateway': { ...leastSplit, gateway: { enabled: true, parentRefs: [{ name: 'public', namespace: 'gateways' }] } },
  'network policies': {
    ...leastSplit,
    networkPolicy: {
      enabled: true,
      ingressFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
      metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
      egress: { enabled: true, rules: [{ to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ port: 5432 }] }] },
    },
  },
  monitoring: {
    ...leastSplit,
    metrics: { port: 9100, serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
    dashboards: { enabled: true },
  },
  'no metrics': { ...leastSplit, metrics: { enabled: false } },
  'everything else': {
    ...leastSplit,
    settings: { WAYMARK_LOG_LEVEL: 'debug', WAYMARK_RATE_BURST: 10_000 },
    image: {
      repository: 'registry.example.com/waymark',
      digest: `sha256:${'a'.repeat(64)}`,
      pullPolicy: 'Always',
      pullSecrets: [{ name: 'registry' }],
    },
    ca: { configMap: 'company-ca' },
    service: { type: 'LoadBalancer', port: 8443, annotations: { 'example.com/internal': 'true' } },
    serviceAccount: { name: 'evidence-writer' },
    extraEnv: [{ name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: { secretKeyRef: { name: 'otlp', key: 'headers' } } }],
    extraVolumes: [{ name: 'extra', configMap: { name: 'extra' } }],
    extraVolumeMounts: [{ name: 'extra', mountPath: '/extra', readOnly: true }],
    podAnnotations: { 'example.com/team': 'platform' },
    podLabels: { team: 'platform' },
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'waymark', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
        },
      },
    },
    priorityClassName: 'high',
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: {} } },
    ],
  },
};

export const leastReporter = {
  host: 'https://waymark.example.com',
  org: 'acme',
  environment: 'prod',
  token: { existingSecret: 'waymark-reporter' },
} satisfies Values;

export const reporterCases: Readonly<Record<string, Values>> = {
  'the least': leastReporter,
  'some namespaces': { ...leastReporter, namespaces: ['shop', 'ops'], labelSelector: 'tier=web' },
  'a token of the cluster': {
    ...leastReporter,
    token: {},
    oidc: { enabled: true, audience: 'https://waymark.example.com/acme' },
    excludeNamespaces: ['^kube-'],
    ca: { configMap: 'company-ca' },
  },
};
