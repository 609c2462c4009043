import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a server that can lose what is sent on it, without a word to either side. */
export interface LossyProxy {
  readonly port: number;
  /** Every connection there is now stays open and carries nothing any more. */
  swallow(): void;
  /** Every connection there is ends, and new ones lead elsewhere. */
  redirect(target: Target): void;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

export async function givenProxyTo(first: Target): Promise<LossyProxy> {
  let target = first;
  const open = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(target.port, target.host);
    near.pipe(far).pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      // Both ends may go at any time; that is what the proxy is for.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    for (const socket of open) socket.destroy();
  });
  return {
    port: (proxy.address() as AddressInfo).port,
    swallow() {
      for (const socket of open) socket.unpipe().resume();
    },
    redirect(to) {
      target = to;
      for (const socket of open) socket.destroy();
    },
  };
}
