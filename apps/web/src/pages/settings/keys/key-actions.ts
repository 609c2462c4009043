import {
  type ApiKey,
  type ApiKeyInput,
  type ApiKeyRotation,
  type CreatedApiKey,
  createServiceAccountKey,
  createUserKey,
  type RotatedApiKey,
  restoreServiceAccountKey,
  revokeServiceAccountKey,
  revokeUserKey,
  rotateServiceAccountKey,
  rotateUserKey,
} from '@waymark/contract';
import { useWrite } from '../../../lib/queries.ts';

interface Action<Input> {
  readonly run: (input: Input) => void;
  readonly error: Error | null;
  readonly isPending: boolean;
  /** Forgets the response, with the key in it. */
  readonly reset: () => void;
}

/** What can be done with the keys of a person or of a service account. */
export interface KeyActions {
  readonly create: Action<ApiKeyInput>;
  readonly rotate: Action<ApiKeyRotation & { readonly id: string }>;
  readonly revoke: Action<Pick<ApiKey, 'id'>>;
  /** Absent for personal keys, which are never suspended. */
  readonly restore?: Action<Pick<ApiKey, 'id'>>;
}

export interface KeyOutcomes {
  readonly onCreated: (key: CreatedApiKey) => void;
  readonly onRotated: (key: RotatedApiKey) => void;
  readonly onRevoked: () => void;
}

const REVOKED = 'Key revoked';

export function useOwnKeyActions({ onCreated, onRotated, onRevoked }: KeyOutcomes): KeyActions {
  const create = useWrite(createUserKey, { onDone: onCreated });
  const rotate = useWrite(rotateUserKey, { onDone: onRotated });
  const revoke = useWrite(revokeUserKey, { done: REVOKED, onDone: onRevoked });
  return {
    create: { ...create, run: (body) => create.mutate({ body }) },
    rotate: { ...rotate, run: ({ id, ...body }) => rotate.mutate({ params: { key_id: id }, body }) },
    revoke: { ...revoke, run: ({ id }) => revoke.mutate({ params: { key_id: id } }) },
  };
}

export function useAccountKeyActions(
  org: string,
  name: string,
  { onCreated, onRotated, onRevoked }: KeyOutcomes,
): KeyActions {
  const create = useWrite(createServiceAccountKey, { onDone: onCreated });
  const rotate = useWrite(rotateServiceAccountKey, { onDone: onRotated });
  const revoke = useWrite(revokeServiceAccountKey, { done: REVOKED, onDone: onRevoked });
  const restore = useWrite(restoreServiceAccountKey, { done: 'Key restored' });
  const params = { org, name };
  return {
    create: { ...create, run: (body) => create.mutate({ params, body }) },
    rotate: { ...rotate, run: ({ id, ...body }) => rotate.mutate({ params: { ...params, key_id: id }, body }) },
    revoke: { ...revoke, run: ({ id }) => revoke.mutate({ params: { ...params, key_id: id } }) },
    restore: { ...restore, run: ({ id }) => restore.mutate({ params: { ...params, key_id: id } }) },
  };
}
