import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, it, onTestFinished } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import type { Walk, Walked } from './walk.ts';

/** Needs rights that only root has. */
const isRoot = process.getuid?.() === 0;

/** Everything that the walk starts is in its namespaces, and ends with it. */
const IN_NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];

async function walkApart(options: Pick<Walk, 'followsTutorial' | 'env'>): Promise<Walked> {
  const { server: serverProgram, path: commandPath } = inject('programs');
  const walk: Walk = { serverProgram, commandPath, webDir: join(import.meta.dirname, '../../dist'), ...options };
  const program = join(import.meta.dirname, 'walk.ts');
  const child = spawn('unshare', [...IN_NAMESPACES, process.execPath, program, JSON.stringify(walk)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`the walk ended with ${code}`);
  return JSON.parse(out) as Walked;
}

it.skipIf(!isRoot)('reaches a green verdict without one packet to another machine', async () => {
  const { complaints, loaded, outbound } = await walkApart({ followsTutorial: true, env: {} });
  expect(outbound).toEqual({ packets: 0, to: [] });
  expect(complaints).toEqual([]);
  expect(Object.keys(loaded).filter((path) => /^\/assets\/.*\.(js|css)$/.test(path))).not.toEqual([]);
  expect(new Set(Object.values(loaded))).toEqual(new Set([200]));
});

it.skipIf(!isRoot || !isFull)('would notice a server that calls out, by name or by address', async () => {
  const sendingTracesTo = async (endpoint: string) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    return (await walkApart({ followsTutorial: false, env })).outbound.to;
  };
  expect(await sendingTracesTo('http://collector.example.com:4318')).toContain('192.0.2.53 udp 53');
  expect(await sendingTracesTo('http://198.51.100.7:4318')).toContain('198.51.100.7 tcp 4318');
});
