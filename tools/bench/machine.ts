import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

const TICKS_PER_SECOND = 100;

interface Times {
  readonly parent: number;
  readonly ticks: number;
  /** Of children that have ended. */
  readonly childTicks: number;
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
      times.set(Number(pid), {
        parent: fields[1] ?? 0,
        ticks: (fields[11] ?? 0) + (fields[12] ?? 0),
        childTicks: (fields[13] ?? 0) + (fields[14] ?? 0),
      });
    } catch {
      // Ended meanwhile.
    }
  }
  return times;
}

/** CPU time in seconds that these processes and their children, also those that have ended, have used. */
export function cpuSecondsOf(roots: readonly number[]): number {
  const [ours, all] = [new Set(roots), snapshot()];
  let ticks = 0;
  for (const [pid, times] of all) {
    if (isBelow(pid, ours, all)) ticks += times.ticks;
    if (ours.has(pid)) ticks += times.childTicks;
  }
  return ticks / TICKS_PER_SECOND;
}

function isBelow(pid: number, roots: ReadonlySet<number>, all: ReadonlyMap<number, Times>): boolean {
  for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) if (roots.has(at)) return true;
  return false;
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
  let ticks = 0;
  for (const [pid, times] of after)
    if (!isBelow(pid, ours, after)) ticks += times.ticks - (before.get(pid)?.ticks ?? 0);
  return { result, foreign: ticks / TICKS_PER_SECOND / seconds / cpus().length };
}
