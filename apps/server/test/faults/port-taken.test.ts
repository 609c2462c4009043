import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { givenInstallation } from './installation.ts';
import { runCommand } from './processes.ts';

async function givenTakenPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

it.for([
  { command: 'worker', setting: 'WAYMARK_METRICS_PORT' },
  { command: 'api', setting: 'WAYMARK_METRICS_PORT' },
  { command: 'api', setting: 'WAYMARK_PORT' },
])('ends the $command with a message when the port of $setting is taken', async ({ command, setting }) => {
  const site = await givenInstallation();
  const port = await givenTakenPort();

  const env = { ...site.env, [setting]: port, WAYMARK_LISTEN_HOST: '127.0.0.1' };
  expect(await runCommand([command], env)).toMatchObject({
    code: 1,
    stderr:
      `Cannot listen on 127.0.0.1:${port} (${setting}): another process uses that port. ` +
      'Free the port or choose another one.\n',
  });
});
