import {
  type Contract,
  createServiceAccount,
  createServiceAccountKey,
  type Permission,
  type permissions,
  type Role,
} from '@waymark/contract';
import type { TestApi } from '../../harness.ts';

/** Permissions that tell what is one's own from what is not. */
type Owned = { [P in Permission]: (typeof permissions)[P] extends { ownBelow: Role } ? P : never }[Permission];

let count = 0;

/** Makes something, for each such permission, and says by which parameters it is found. */
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

/** Whether an operation is about one thing, and not about all there are. */
export function isAboutOne({ path }: Contract): boolean {
  return (path.match(/:\w+/g) ?? []).length > 1;
}

/** Something that the operation takes. */
export function bodyFor({ body }: Contract): object | undefined {
  return [{ description: 'x' }, {}].find((candidate) => body?.safeParse(candidate).success);
}
