import { z } from 'zod';
import type { Demand } from '../demand.ts';
import { counted, ofFlow } from '../in-words.ts';

const HOUR = 3600;
const UNITS = { h: { seconds: HOUR, noun: 'hour' }, d: { seconds: 24 * HOUR, noun: 'day' } } as const;
const FORM = /^[1-9][0-9]{0,4}[hd]$/;
const MESSAGE = '"max_age" must be a number of hours or days, such as "12h" or "14d", and at most 3650d.';
const SECONDS_MAX = 3650 * 24 * HOUR;

export const MaxAge = z
  .string({ error: ({ input }) => (input === undefined ? undefined : MESSAGE) })
  .regex(FORM, { error: MESSAGE })
  .refine((text) => !FORM.test(text) || lengthOf(text).seconds <= SECONDS_MAX, { error: MESSAGE })
  .meta({ description: 'How old the evidence may be, counted from its receipt, such as "14d" or "12h".' });

/** Judged at the time of each evaluation. */
export function maxAgeDemand(maxAge: string): Demand {
  const { seconds, inWords } = lengthOf(maxAge);
  return {
    field: 'max_age',
    value: maxAge,
    inWords: `, at most ${inWords} old`,
    judge: ({ name, at }, { flow, at: now }) => {
      const end = at + seconds;
      if (now === null || now < end) return null;
      return {
        fails: false,
        context: { max_age: maxAge, recorded_at: at, expired_at: end },
        found: `'${name}' became too old on ${dateInWords(end)}: it was recorded on ${dateInWords(at)}`,
        fix: `Report '${name}' again ${ofFlow(flow)}.`,
      };
    },
    turnsAt: ({ at }) => [at + seconds],
  };
}

function lengthOf(text: string): { seconds: number; inWords: string } {
  const count = Number(text.slice(0, -1));
  const { seconds, noun } = text.endsWith('h') ? UNITS.h : UNITS.d;
  return { seconds: count * seconds, inWords: counted(count, noun) };
}

/** To the minute, as a decision may be read anywhere. */
function dateInWords(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString();
  return `${text.slice(0, 10)} at ${text.slice(11, 16)} UTC`;
}
