import { usageError } from './cli-error.ts';
import type { Io } from './io.ts';
import type { Outcome } from './outcome.ts';

/** Opens the page in a browser; without one the address is the result. */
export function openPage(io: Io, { page }: Outcome): void {
  if (page === undefined) throw usageError('This result has no page', 'Leave out --web');
  const opener = io.env['BROWSER'] || (process.platform === 'darwin' ? 'open' : 'xdg-open');
  if (!io.stdout.isTty || io.run(opener, [page]).status !== 0) io.stdout.write(`${page}\n`);
}
