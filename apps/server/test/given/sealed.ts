import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ED25519, regionOrigin, signingKey } from '@waymark/transparency';
import { afterAll } from 'vitest';
import { directoryObjects } from '../../src/platform/blobs/directory-objects.ts';
import type { ObjectStore } from '../../src/platform/blobs/object-store.ts';
import type { Db } from '../../src/platform/db/db.ts';
import { sequenceAll } from '../../src/platform/journal/pass.ts';
import { type LogKey, logKeyOf, verifierKeyTexts } from '../../src/platform/ledger/log-keys.ts';
import { sealAll } from '../../src/platform/ledger/seal-all.ts';
import { noLog } from '../harness.ts';

export const LOG_NAME = 'waymark.test/eu';

/** A key that is the same in every run. */
export async function givenLogKey(number = 1): Promise<LogKey> {
  return logKeyOf(await signingKey(LOG_NAME, ED25519, Buffer.alloc(32, number)));
}

export interface SealedLedger {
  readonly name: string;
  readonly objects: ObjectStore;
  readonly keys: readonly LogKey[];
  /** Sequences, seals, and signs everything that was recorded. */
  seal(): Promise<void>;
  /** A trust policy with the log of an epoch, and no witness. */
  policy(epoch?: number): string;
}

/** The ledger of a database, with a fixed key and a directory for its objects. To be called outside of tests. */
export async function givenSealedLedger(
  db: Db,
  given: { objects?: ObjectStore; keys?: readonly LogKey[] } = {},
): Promise<SealedLedger> {
  const keys = given.keys ?? [await givenLogKey()];
  const objects = given.objects ?? (await givenObjects());
  return {
    name: LOG_NAME,
    objects,
    keys,
    async seal() {
      await sequenceAll(db);
      await sealAll({ db, objects, keys, name: LOG_NAME, log: noLog });
    },
    policy(epoch = 1) {
      const logs = verifierKeyTexts(regionOrigin(LOG_NAME, epoch), keys).map((key) => `log ${key}\n`);
      return `${logs.join('')}quorum none\n`;
    },
  };
}

async function givenObjects(): Promise<ObjectStore> {
  const root = await mkdtemp(join(tmpdir(), 'waymark-ledger-'));
  afterAll(() => rm(root, { recursive: true, force: true }));
  return directoryObjects({ root });
}
