import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const TICKS_PER_SECOND = 100;

interface Times {
  readonly parent: number;
  readonly ticks: number;
}

/** CPU time of every process. */
function snapshot(): Map<number, Times> {
  const times = new Map<number, Times>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      times.set(Number(pid), { parent: fields[1] ?? 0, ticks: (fields[11] ?? 0) + (fields[12] ?? 0) });
    } catch {
      // Ended meanwhile.
    }
  }
  return times;
}

/**
 * Runs `work` and returns the share of the machine that other processes took. Ours are this process, its children, and
 * the given roots with their children.
 */
export async function withForeignLoad<T>(
  roots: readonly number[],
  work: () => Promise<T>,
): Promise<{ result: T; foreign: number }> {
  const before = snapshot();
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  const after = snapshot();
  const ours = new Set([process.pid, ...roots]);
  const isOurs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = after.get(at)?.parent ?? 0) if (ours.has(at)) return true;
    return false;
  };
  let ticks = 0;
  for (const [pid, times] of after) if (!isOurs(pid)) ticks += times.ticks - (before.get(pid)?.ticks ?? 0);
  return { result, foreign: ticks / TICKS_PER_SECOND / seconds / cpus().length };
}
