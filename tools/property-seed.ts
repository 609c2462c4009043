import * as fc from 'fast-check';
import { isFull } from './test-size.ts';

/** A failure prints its seed; with it in this variable, the same values are made again. */
const given = process.env['WAYMARK_TEST_SEED'];

// The short form makes the same values every time, as a commit that passes today must pass tomorrow. The full form
// looks further each time it runs.
if (given !== undefined) fc.configureGlobal({ seed: Number(given) });
else if (!isFull) fc.configureGlobal({ seed: 1 });
