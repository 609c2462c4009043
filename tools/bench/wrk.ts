import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../services/endpoints.ts';
import { run } from './installation.ts';

/** The form of a request. Path and body are Lua expressions and may use `run`, `id` and `n`, which make it unique. */
export interface WrkRequest {
  readonly method: string;
  readonly path: string;
  /** `nil` for none. */
  readonly body: string;
  /** Lua that runs once in each thread, before the first request. */
  readonly prepare?: string;
  /** The number of requests that are prepared, and sent in turn. */
  readonly repeated?: number;
}

export function wrkScript(name: string, key: string, request: WrkRequest): string {
  const file = join(endpoints().dataDir, `bench-${name}.lua`);
  const { method, path, body, prepare = '', repeated = 0 } = request;
  writeFileSync(
    file,
    `local thread = 0
local made = {}
function setup(t) thread = thread + 1; t:set("id", thread) end
function make()
  n = n + 1
  return wrk.format("${method}", ${path}, { ["Authorization"] = "Bearer ${key}", ["Content-Type"] = "application/json" }, ${body})
end
function init(args)
  math.randomseed(os.time() * 1000 + id); n = 0; run = math.random(1, 1000000000)
  ${prepare}
  for i = 1, ${repeated} do made[i] = make() end
end
function request()
  ${repeated > 0 ? `n = n + 1; return made[1 + n % ${repeated}]` : 'return make()'}
end
function done(summary, latency)
  io.write("FAILED " .. (summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout) .. "\\n")
  io.write("P50 " .. latency:percentile(50) .. " P95 " .. latency:percentile(95) .. "\\n")
end
`,
  );
  return file;
}

interface WrkLoad {
  readonly connections: number;
  readonly seconds: number;
  /** Each has its own share of the connections and its own `id`. */
  readonly threads?: number;
}

export interface WrkResult {
  readonly perSecond: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p95: number;
}

/** Requests per second; every one of them must succeed. */
export function runWrk(url: string, script: string, connections: number, seconds: number): number {
  return loadWithWrk(url, script, { connections, seconds }).perSecond;
}

export function loadWithWrk(url: string, script: string, { connections, seconds, threads = 1 }: WrkLoad): WrkResult {
  const output = run('wrk', [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, '--timeout=30s', '-s', script, url]);
  if (!output.includes('FAILED 0') || output.includes(' 0 requests in ')) {
    throw new Error(`some requests failed, or none was answered:\n${output}`);
  }
  const [, p50, p95] = /^P50 ([\d.]+) P95 ([\d.]+)$/m.exec(output) ?? [];
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]),
    p50: Number(p50) / 1000,
    p95: Number(p95) / 1000,
  };
}

/** A text as a Lua literal. */
export function luaText(text: string): string {
  return `[==[${text}]==]`;
}
