import { rateLimited } from '../errors.ts';

/** Each reads from the database until its client has all of it. */
export const EXPORTS_PER_ORG = 3;
const RETRY_AFTER_S = 5;

export interface ExportPlaces {
  /** Takes a place of the org until the returned function is called; refuses when it has none left. */
  take(org: string): () => void;
}

/** Counts the exports that run on this server. */
export function createExportPlaces(): ExportPlaces {
  const running = new Map<string, number>();
  return {
    take(org) {
      const before = running.get(org) ?? 0;
      if (before >= EXPORTS_PER_ORG) {
        throw rateLimited(
          RETRY_AFTER_S,
          `This org already has ${EXPORTS_PER_ORG} exports running. Wait until one has ended`,
        );
      }
      running.set(org, before + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = (running.get(org) ?? 0) - 1;
        if (left > 0) running.set(org, left);
        else running.delete(org);
      };
    },
  };
}
