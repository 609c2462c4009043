/** Kept with each verdict. It moves when a reader would answer otherwise for the same bytes. */
export const READER_VERSION = 'evidence/4';
