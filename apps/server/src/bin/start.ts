import { type Config, ConfigError } from '../config/env.ts';
import { createLogger, type Logger } from '../platform/log.ts';
import { type Metrics, openMetrics } from '../platform/metrics.ts';

const MISCONFIGURED = 78;

/** Ends the process as misconfigured when `work` finds an invalid setting. */
export async function orMisconfigured<Value>(setting: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    process.stderr.write(`${setting} is wrong: ${(error as Error).message}\n`);
    process.exit(MISCONFIGURED);
  }
}

interface Listen {
  readonly host: string;
  readonly port: number;
}

/** Ends the process when it cannot listen: a server that nobody can reach must not appear alive. */
export async function orCannotListen<Value>(
  setting: string,
  { host, port }: Listen,
  work: Promise<Value>,
): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another process uses that port' : message;
    process.stderr.write(
      `Cannot listen on ${host}:${port} (${setting}): ${reason}. Free the port or choose another one.\n`,
    );
    process.exit(1);
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the configuration, or reports every problem in it, and makes the log. */
export function start<Settings extends { readonly logLevel: string }>(
  load: (env: Env) => Settings,
): { config: Settings; log: Logger } {
  try {
    const config = load(process.env);
    return { config, log: createLogger(config.logLevel) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(MISCONFIGURED);
  }
}

/** Undefined when no port is configured for metrics. */
export async function metricsOf({ metrics: listen }: Pick<Config, 'metrics'>): Promise<Metrics | undefined> {
  if (listen === undefined) return undefined;
  return orCannotListen('WAYMARK_METRICS_PORT', listen, openMetrics(listen));
}
