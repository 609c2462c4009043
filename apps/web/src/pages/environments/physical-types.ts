import { environmentTypes } from '@waymark/contract';

/** Those that report by themselves: a logical environment is what its members are. */
export const PHYSICAL_TYPES = environmentTypes.filter((type) => type !== 'logical');
