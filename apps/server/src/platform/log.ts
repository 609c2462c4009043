import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** JSON lines on standard output. Redacts everything that could be a credential. */
export function createLogger(level: string): Logger {
  const options = {
    level,
    redact: {
      paths: ['authorization', 'cookie', '*.authorization', '*.cookie', 'req.headers', '*.webhook', '*.password'],
      censor: '[redacted]',
    },
  };
  // Lines are buffered for at most a second; the log is for operators, the journal for proof.
  return pino(options, pino.destination({ sync: false, minLength: 4096, periodicFlush: 1_000 }));
}
