import type { ComponentType } from 'react';

export interface Story {
  /** The name of the component's file. */
  readonly of: string;
  readonly show: ComponentType;
}

export const ORG = 'acme';

/** When the kit was opened, in seconds since 1970. */
export const NOW = Math.floor(Date.now() / 1000);

export const HOUR = 3_600;
export const DAY = 86_400;
