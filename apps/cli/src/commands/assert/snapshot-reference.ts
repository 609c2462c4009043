import { usageError } from '../../run/cli-error.ts';

/** `prod`, `prod#7`, `prod~1`, `prod@{2.days.ago}`; without an expression, the latest snapshot. */
export function readSnapshotReference(reference: string): { environment: string; expression: string | undefined } {
  const [, environment = '', sign, rest = ''] = /^([^@#~]+)(?:([@#~])(.*))?$/s.exec(reference) ?? [];
  if (environment === '' || (sign !== undefined && rest === '')) {
    throw usageError(
      `'${reference}' is not an environment or a snapshot`,
      'Use ENV, ENV#7, ENV~1, or ENV@{2.days.ago}',
    );
  }
  if (sign === undefined) return { environment, expression: undefined };
  if (sign !== '@') return { environment, expression: `${sign}${rest}` };
  // Shells often swallow the braces, and nothing else can be meant.
  if (/^-?\d+$/.test(rest)) return { environment, expression: rest };
  return { environment, expression: rest.startsWith('{') ? `@${rest}` : `@{${rest}}` };
}
