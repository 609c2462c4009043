import type { Scope } from '../rule.ts';

/** For tests: a release of the shop's web service that runs in production. */
export const WEB_IN_PROD: Scope = {
  flow: {
    name: 'web',
    tags: { risk: 'high', tier: '2', score: '07.50', 'cost-centre': 'A-1', 'team.name': 'shop', team: 'all', note: '' },
  },
  artifact: { name: 'registry.example.com/shop/web:1.4', fingerprint: 'a'.repeat(64) },
  environment: { name: 'prod', tags: { region: 'eu', replicas: '12' } },
};

/** The same without provenance: it was reported to no flow. */
export const NO_PROVENANCE: Scope = { ...WEB_IN_PROD, flow: null };

/** Judged by a policy alone, wherever it may run. */
export const NO_ENVIRONMENT: Scope = { ...WEB_IN_PROD, environment: null };
