/** Stored with each judgement, so that it can be replayed. Changes whenever the same input may be judged otherwise. */
export const ENGINE_VERSION = 'compliance/3';
