import { type Environment, type EnvironmentType, getEnvironment, putEnvironment } from '@waymark/contract';
import type { Answer, TestApi, TestOrg } from '../harness.ts';

export async function givenEnvironment(
  api: TestApi,
  name: string,
  type: EnvironmentType = 'server',
  more: object = {},
  org: TestOrg = api.org,
): Promise<void> {
  const answer = await api.call(putEnvironment, {
    params: { org: org.name },
    key: org.keys.admin,
    body: { name, type, ...more },
  });
  if (answer.status !== 201) throw new Error(`the environment was not put: ${JSON.stringify(answer.body)}`);
}

export async function environmentOf(api: TestApi, name: string, org: TestOrg = api.org): Promise<Environment> {
  const call = { params: { org: org.name, env_name: name }, key: org.keys.reader };
  const answer = (await api.call(getEnvironment, call)) as Answer<Environment>;
  if (answer.status !== 200) throw new Error(`there is no such environment: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** As if it had reported then, and before that at this interval. */
export async function givenHeartbeat(api: TestApi, name: string, at: Date, intervals: number[] = []): Promise<void> {
  const { id } = await environmentOf(api, name);
  await api.db
    .insertInto('environment_heartbeat')
    .values({
      org_id: api.org.id,
      environment_id: id,
      last_reported_at: at,
      intervals,
      known_bytes: null,
      known_by: null,
      known_content: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'environment_id']).doUpdateSet({ last_reported_at: at, intervals }),
    )
    .execute();
}
