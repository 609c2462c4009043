export const SAMPLE = { flow: 'sample-shop', environment: 'sample-production', policy: 'sample-policy' } as const;

/** Only what has this description is taken for sample data: a name alone could be somebody's own. */
export const SAMPLE_DESCRIPTION = 'Sample data, added on Home. Nothing here was built or deployed.';

export function isSample({ description }: { readonly description: string }): boolean {
  return description === SAMPLE_DESCRIPTION;
}
