import { type Config, ConfigError, loadConfig } from '../config/env.ts';
import { createLogger, type Logger } from '../platform/log.ts';

const MISCONFIGURED = 78;

/** Ends the process as misconfigured when `work` finds a setting that cannot be right. */
export async function orMisconfigured<Value>(setting: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    process.stderr.write(`${setting} is wrong: ${(error as Error).message}\n`);
    process.exit(MISCONFIGURED);
  }
}

/** Reads the configuration or says everything that is wrong with it, and makes the log. */
export function start(): { config: Config; log: Logger } {
  try {
    const config = loadConfig(process.env);
    return { config, log: createLogger(config.logLevel) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(MISCONFIGURED);
  }
}
