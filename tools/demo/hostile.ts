import {
  beginTrail,
  createControl,
  createServiceAccount,
  putEnvironment,
  putFlow,
  putPolicy,
} from '../../packages/contract/src/index.ts';
import type { Seeding, Step } from './seeding.ts';
import { LONG_NAME } from './words.ts';

/** Names hold letters and digits only, so they can only be long. */
export function hostileSteps({ times }: Seeding): Step[] {
  return [
    {
      at: times.ago(4),
      async run({ api, keys, words }) {
        const description = words.text('A name as long as a line');
        const policy_yaml = '_schema: https://example.com/policy/v1\nartifacts: {}\n';
        await api.call(keys.ada, putFlow, { body: { name: LONG_NAME, description } });
        await api.call(keys.ci, beginTrail, {
          params: { flow_name: LONG_NAME },
          body: { name: LONG_NAME, description },
        });
        await api.call(keys.ada, putEnvironment, { body: { name: LONG_NAME, type: 'server', description } });
        await api.call(keys.ada, putPolicy, { params: { name: LONG_NAME }, body: { policy_yaml, description } });
        await api.call(keys.ada, createControl, { body: { identifier: LONG_NAME, name: description } });
        const body = { name: LONG_NAME.slice(0, 64), description };
        await api.call(keys.ada, createServiceAccount, { body });
      },
    },
  ];
}
