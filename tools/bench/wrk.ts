import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../services/endpoints.ts';
import { run } from './installation.ts';

/** What one request is. Path and body are Lua expressions and may use `run`, `id` and `n`, which make it unique. */
export interface WrkRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export function wrkScript(name: string, key: string, { method, path, body }: WrkRequest): string {
  const file = join(endpoints().dataDir, `bench-${name}.lua`);
  writeFileSync(
    file,
    `local thread = 0
function setup(t) thread = thread + 1; t:set("id", thread) end
function init(args) math.randomseed(os.time() * 1000 + id); n = 0; run = math.random(1, 1000000000) end
function request()
  n = n + 1
  return wrk.format("${method}", ${path}, { ["Authorization"] = "Bearer ${key}", ["Content-Type"] = "application/json" }, ${body})
end
function done(summary, latency)
  io.write("FAILED " .. (summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout) .. "\\n")
end
`,
  );
  return file;
}

/** Requests a second; every one of them must be answered well. */
export function runWrk(url: string, script: string, connections: number, seconds: number): number {
  const output = run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url]);
  if (!output.includes('FAILED 0')) throw new Error(`some requests failed:\n${output}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
}

/** A text as a Lua literal. */
export function luaText(text: string): string {
  return `[==[${text}]==]`;
}
