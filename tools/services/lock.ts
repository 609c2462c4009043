import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneId } from './endpoints.ts';

/**
 * Two `up` at once would make the same cluster twice, so only one command changes the services at a time. What else
 * must not happen twice at once has a lock of another name.
 * The lock is a socket in Linux's abstract namespace: it goes with its process, so it is never stale.
 */
export async function withLock<T>(work: () => Promise<T>, name = 'waymark'): Promise<T> {
  const lock = await acquire(`\0${name}-${cloneId}`);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function acquire(socket: string): Promise<Server> {
  for (;;) {
    const lock = await tryAcquire(socket);
    if (lock) return lock;
    await sleep(50);
  }
}

function tryAcquire(socket: string): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const lock = createServer();
    lock.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? done(undefined) : fail(error)));
    lock.listen(socket, () => done(lock));
  });
}
