import { spawnSync } from 'node:child_process';

const OUTPUT_MAX_BYTES = 1024 ** 3;

/** Runs a program to its end, and returns what it printed. Throws with what it said when it failed. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly input?: Buffer; readonly env?: NodeJS.ProcessEnv } = {},
): Buffer {
  const { status, stdout, stderr, error } = spawnSync(program, args, { maxBuffer: OUTPUT_MAX_BYTES, ...options });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.toString()}`);
  return stdout;
}
