import type { Ctx } from '../../platform/ctx.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { distinctValues } from './attestation.reads.ts';

const NAMES_MAX = 25_000;
/** Per request, each up to 125 ns. */
const STEPS_MAX = 40_000_000;
/** Per turn in the sandbox. */
const STEPS_PER_TURN = 2_000_000;
/** Ten times the duration of a turn, as the machine may be busy. */
const TIMEOUT_MS = 2_500;

/** Returns the names in use that match a pattern. */
export async function findNames(ctx: Ctx, sandbox: Sandbox, pattern: string): Promise<string[]> {
  const found: string[] = [];
  let [read, steps] = [0, 0];
  for await (const names of distinctValues(ctx, 'name', '')) {
    read += names.length;
    if (read > NAMES_MAX)
      throw tooMuch(`can search at most ${NAMES_MAX.toLocaleString('en')} names, and this org uses more`);
    for (let from = 0; from < names.length; ) {
      const input = { pattern, names: names.slice(from), steps: STEPS_PER_TURN };
      const searched = await sandbox.run(ctx.org, 'searchNames', () => input, { timeoutMs: TIMEOUT_MS });
      if ('problem' in searched) throw invalidField('query.name_regex', searched.problem);
      found.push(...searched.found);
      from += searched.searched;
      steps += searched.steps;
      if (steps > STEPS_MAX) throw tooMuch('takes too many steps on the names of this org. Shorten it');
    }
  }
  return found;
}

function tooMuch(why: string) {
  return invalidField('query.name_regex', `${why}. Use name instead`);
}
