import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneId } from './endpoints.ts';

/**
 * Two `up` at once would make the same cluster twice, so only one command changes the services at a time.
 * The lock is a socket in Linux's abstract namespace: it goes with its process, so it is never stale.
 */
export async function withLock<T>(work: () => Promise<T>): Promise<T> {
  const lock = await acquire();
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function acquire(): Promise<Server> {
  for (;;) {
    const lock = await tryAcquire();
    if (lock) return lock;
    await sleep(50);
  }
}

function tryAcquire(): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const lock = createServer();
    lock.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? done(undefined) : fail(error)));
    lock.listen(`\0waymark-${cloneId}`, () => done(lock));
  });
}
