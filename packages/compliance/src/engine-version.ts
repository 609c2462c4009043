/**
 * Stored with each judgement, so that it can be replayed. Changes whenever the same input may be judged differently.
 */
export const ENGINE_VERSION = 'compliance/4';
