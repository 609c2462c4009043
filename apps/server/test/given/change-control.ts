import { type ChangeRequest, type Contract, putChangeControl } from '@waymark/contract';
import type { z } from 'zod';
import type { TestApi, TestOrg } from '../harness.ts';
import { givenPerson, type Person } from './people.ts';

export interface TwoPeopleOrg {
  readonly org: TestOrg;
  /** An admin who asks. */
  readonly ada: Person;
  /** Another one who approves. */
  readonly bea: Person;
}

/** An org in which changes have to be approved, with two admins. */
export async function givenTwoPeopleOrg(api: TestApi, name: string): Promise<TwoPeopleOrg> {
  const org = await api.givenOrg(name);
  const ada = await givenPerson(api, { org, role: 'admin' });
  const bea = await givenPerson(api, { org, role: 'admin' });
  const params = { org: org.name };
  const { status } = await api.call(putChangeControl, { params, key: ada.key, body: { mode: 'two_people' } });
  if (status !== 200) throw new Error(`change control could not be turned on: ${status}`);
  return { org, ada, bea };
}

/** Sends a request that needs approval, and returns the pending change request. */
export async function givenAsked<C extends Contract>(
  api: TestApi,
  contract: C,
  call: {
    params: Record<string, string>;
    key: string;
    body?: C['body'] extends z.ZodType ? z.input<C['body']> : unknown;
    headers?: Record<string, string>;
  },
): Promise<ChangeRequest> {
  const { status, body } = await api.call(contract, call as never);
  if (status !== 202) throw new Error(`${contract.id} was answered with ${status} ${JSON.stringify(body)}`);
  return body as unknown as ChangeRequest;
}
