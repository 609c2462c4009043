import {
  type Contract,
  createServiceAccount,
  createServiceAccountKey,
  type Permission,
  type permissions,
  type Role,
} from '@waymark/contract';
import type { TestApi } from '../../harness.ts';

/** Permissions that distinguish the caller's own things from others'. */
type Owned = { [P in Permission]: (typeof permissions)[P] extends { ownBelow: Role } ? P : never }[Permission];

let count = 0;

/** Makes something for each such permission, and returns the parameters that find it. */
const makers: Record<Owned, (api: TestApi, key: string) => Promise<Record<string, string>>> = {
  async manage_service_accounts(api, key) {
    const name = `thing-${++count}`;
    await api.call(createServiceAccount, { key, body: { name } });
    const { body } = await api.call(createServiceAccountKey, { key, params: { name }, body: { description: 'x' } });
    return { name, key_id: body.id };
  },
};

export function makerFor({ access }: Contract) {
  return Object.hasOwn(makers, access) ? makers[access as Owned] : undefined;
}

/** Whether an operation is about one thing, and not a list. */
export function isAboutOne({ path }: Contract): boolean {
  return (path.match(/:\w+/g) ?? []).length > 1;
}

/** Something that the operation accepts. */
export function bodyFor({ body }: Contract): object | undefined {
  return [{ description: 'x' }, {}].find((candidate) => body?.safeParse(candidate).success);
}
