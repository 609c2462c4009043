import { CliError } from '../run/cli-error.ts';

/** Returns what exists once the service has signed a checkpoint. */
export function requireSigned<T>(
  signed: T | null | undefined,
  what = 'The service has not signed a checkpoint yet',
): T {
  if (signed !== null && signed !== undefined) return signed;
  throw new CliError('notFound', what, {
    why: 'It signs one within seconds of the first entry, if it has a signing key',
    fix: 'Try again, or ask the operator of the service whether WAYMARK_LEDGER_KEY is set',
  });
}
