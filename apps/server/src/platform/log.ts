import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** JSON lines on standard output. What could be a credential never reaches them. */
export function createLogger(level: string): Logger {
  const options = {
    level,
    redact: {
      paths: ['authorization', 'cookie', '*.authorization', '*.cookie', 'req.headers', '*.webhook', '*.password'],
      censor: '[redacted]',
    },
  };
  // Lines are written together, at the latest after a second; the log is for operators, the journal for proof.
  return pino(options, pino.destination({ sync: false, minLength: 4096, periodicFlush: 1_000 }));
}
