import { z } from 'zod';

export interface Component {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

const Text = z.string().catch('');

const CycloneDx = z.object({
  bomFormat: z.string(),
  components: z
    .array(
      z.object({
        name: Text,
        version: Text,
        licenses: z
          .array(
            z.object({
              expression: z.string().optional().catch(undefined),
              license: z
                .object({ id: z.string().optional().catch(undefined), name: z.string().optional().catch(undefined) })
                .optional()
                .catch(undefined),
            }),
          )
          .catch([]),
      }),
    )
    .catch([]),
});

const Spdx = z.object({
  spdxVersion: z.string(),
  packages: z
    .array(z.object({ name: Text, versionInfo: Text, licenseConcluded: Text, licenseDeclared: Text }))
    .catch([]),
});

/** The components of a bill of materials, from the file itself; undefined for an unknown format. */
export function componentsOf(text: string): readonly Component[] | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  const cyclone = CycloneDx.safeParse(document).data;
  if (cyclone)
    return cyclone.components.map(({ name, version, licenses }) => ({
      name,
      version,
      licence: licenses
        .map(({ expression, license }) => expression ?? license?.id ?? license?.name ?? '')
        .filter((one) => one !== '')
        .join(', '),
    }));
  return Spdx.safeParse(document).data?.packages.map(({ name, versionInfo, licenseConcluded, licenseDeclared }) => ({
    name,
    version: versionInfo,
    licence: isStated(licenseConcluded) ? licenseConcluded : isStated(licenseDeclared) ? licenseDeclared : '',
  }));
}

function isStated(licence: string): boolean {
  return licence !== '' && licence !== 'NOASSERTION' && licence !== 'NONE';
}

/** The number of components per license, the most frequent first. */
export function licencesOf(components: readonly Component[]): readonly (readonly [licence: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { licence } of components) counts.set(licence, (counts.get(licence) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1] || one[0].localeCompare(other[0]));
}
