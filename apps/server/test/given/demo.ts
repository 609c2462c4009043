import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { DemoInstallation } from '../../../../tools/demo/demo-api.ts';
import { type DemoOrg, seedDemo } from '../../../../tools/demo/seed.ts';
import { openDb } from '../../src/platform/db/db.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createDatabase, dropDatabases } from '../databases.ts';

export interface GivenDemo {
  readonly org: DemoOrg;
  readonly installation: DemoInstallation & { readonly blobs: { readonly root: string } };
  /** Deletes the database and the files. */
  drop(): Promise<void>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** What the tests of the web application use. */
    demo: Omit<GivenDemo, 'drop'>;
  }
}

/** As the API writes times, so that a search for the time of an event finds it. */
function wholeSecond(): Date {
  return new Date(Math.floor(Date.now() / 1000) * 1000);
}

/** The demo org in a separate database, for tests of what people see. */
export async function givenDemo(
  options: { now?: Date; hostile?: boolean; publicUrl?: string } = {},
): Promise<GivenDemo> {
  const { name, url } = await createDatabase();
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 0 }, pino({ level: 'silent' }));
  await migrate(db);
  await db.destroy();
  const blobDir = await mkdtemp(join(tmpdir(), 'waymark-demo-blobs-'));
  const { now = wholeSecond(), hostile = false, publicUrl = 'http://waymark.test' } = options;
  const installation = {
    databaseUrl: url,
    blobs: { kind: 'directory', root: blobDir } as const,
    secretKey: Buffer.alloc(32, 7),
    publicUrl,
  };
  const drop = async () => {
    await dropDatabases(name);
    await rm(blobDir, { recursive: true });
  };
  try {
    return { org: await seedDemo({ ...installation, now, hostile }), installation, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}
