import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** JSON lines on standard output. What could be a credential never reaches them. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    redact: {
      paths: ['authorization', 'cookie', '*.authorization', '*.cookie', 'req.headers', '*.webhook', '*.password'],
      censor: '[redacted]',
    },
  });
}
