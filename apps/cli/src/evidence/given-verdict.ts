import { Option } from '@commander-js/extra-typings';
import { usageError } from '../run/cli-error.ts';

/** The bare flag means yes. Given twice, the last one would override an intended no. */
export function compliantFlag(says: string) {
  const note = 'with a variable, write --compliant="$RESULT", which refuses an empty value';
  return new Option('--compliant [true|false]', `${says}; ${note}`).preset('true').argParser(once);
}

function once(text: string, before: string | undefined): string {
  if (before === undefined) return text;
  throw usageError('--compliant is repeated', 'State one verdict');
}

interface VerdictFlags {
  readonly compliant?: string | undefined;
  readonly nonCompliant?: true | undefined;
}

/** There is no default verdict: an omission in a pipeline must not count as a yes. */
export function verdictOf({ compliant, nonCompliant }: VerdictFlags): boolean {
  if (compliant !== undefined && nonCompliant) {
    throw usageError('--compliant and --non-compliant cannot be combined', 'Use one of them');
  }
  if (nonCompliant) return false;
  if (compliant === undefined) {
    throw usageError('No verdict is set', 'Add --compliant or --non-compliant');
  }
  return trueOrFalse(compliant, '--compliant');
}

function trueOrFalse(text: string, flag: string): boolean {
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  throw usageError(
    `${flag} must be true or false, not '${text}'`,
    'Use --compliant, --compliant=true, or --compliant=false',
  );
}
