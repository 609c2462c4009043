import { getEnvironment, getFlow } from '../../packages/contract/src/index.ts';
import { type DemoInstallation, openDemoApi } from './demo-api.ts';
import { SEEDED_TAG } from './seed.ts';
import { PHYSICAL, SERVICES, WHOLE } from './shop.ts';

/** Whether the history exists, can be created, or would conflict with other data. */
export type DemoState = { readonly kind: 'seeded' | 'free' } | { readonly kind: 'taken'; readonly by: string };

export async function findDemoState(installation: DemoInstallation, key: string): Promise<DemoState> {
  const api = openDemoApi(installation, new Date());
  try {
    const whole = await api.ask(key, getEnvironment, { params: { env_name: WHOLE } });
    if (whole.status === 200 && whole.body.tags[SEEDED_TAG.key] === SEEDED_TAG.value) return { kind: 'seeded' };
    for (const env_name of [...PHYSICAL, WHOLE]) {
      const { status } = await api.ask(key, getEnvironment, { params: { env_name } });
      if (status === 200) return { kind: 'taken', by: `environment '${env_name}'` };
    }
    for (const { name } of SERVICES) {
      const { status } = await api.ask(key, getFlow, { params: { flow_name: name } });
      if (status === 200) return { kind: 'taken', by: `flow '${name}'` };
    }
    return { kind: 'free' };
  } finally {
    await api.close();
  }
}
