/** Continuous integration runs a short form of each fault; the full form is for a release. */
export const isFull = process.env['WAYMARK_TEST_SIZE'] === 'full';
