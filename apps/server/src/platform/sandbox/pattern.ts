import { RE2JS } from 're2js';

/** A regular expression that runs in time linear in the text, whatever the pattern. */
export function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern;
    throw new Error(
      `the pattern ${shown} is not valid: ${(error as Error).message} (RE2 syntax, without lookarounds and ` +
        'backreferences)',
      { cause: error },
    );
  }
}
