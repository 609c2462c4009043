/** Stored with each verdict. Changes when a reader would answer differently for the same bytes. */
export const READER_VERSION = 'evidence/7';
