import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy that can drop what is sent through it, without either side noticing. */
export interface LossyProxy {
  readonly port: number;
  /** Every current connection stays open, and carries nothing any more. */
  swallow(): void;
  /** Every current connection ends, and new ones lead elsewhere. */
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
      // Both ends may disconnect at any time; that is what the proxy is for.
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
