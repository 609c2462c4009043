import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Starts a program that prints its address first, and ends when its input does. */
export async function startIssuerProcess(
  program: URL,
  ...args: string[]
): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--no-warnings', fileURLToPath(program), ...args], {
    // It ends with this process, however that ends.
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [url] = (await Promise.race([once(lines, 'line'), exited.then(() => [''])])) as [string];
  if (!url.startsWith('http')) throw new Error(`the issuer did not start: ${url}`);
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
